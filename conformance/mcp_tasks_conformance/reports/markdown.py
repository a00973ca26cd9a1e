"""The report as Markdown: the summary of a GitHub step, or a page of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.reports.digest import (
    Breach,
    Reproduce,
    by_reason,
    ended,
    entries,
    quality_findings,
    violations,
    waived,
    warnings,
    with_verdict,
    worth_showing,
)
from mcp_tasks_conformance.reports.doubts import Doubt, examples, open_requirements, open_scenarios, place_of
from mcp_tasks_conformance.reports.evidence import evidence_lines
from mcp_tasks_conformance.reports.markup import block, code, details, inline, link, table
from mcp_tasks_conformance.reports.profile import amiss_in_trials, not_shown, notes
from mcp_tasks_conformance.reports.requests import request_line
from mcp_tasks_conformance.reports.target import target_line
from mcp_tasks_conformance.reports.text import brief, visible
from mcp_tasks_conformance.verdicts.model import (
    CertificateLevel,
    EntryResult,
    EntryState,
    RequirementResult,
    RunResult,
    RunVerdict,
    Tally,
    Verdict,
)

LIMIT: Final = 900_000
"""Bytes; GitHub takes 1 MiB of a step's summary and drops a longer one whole."""
_LONGEST: Final = 400
_STDERR: Final = 4_000
_SCENARIOS: Final = 3
_TALLIED: Final = ("proven", "violated", "waived", "warned", "inconclusive", "not_exercised")
_OPEN: Final = (ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG, ScenarioOutcome.NOT_RUN, ScenarioOutcome.HARNESS_ERROR)


def markdown_of(result: RunResult, reproduce: Reproduce | None = None, *, limit: int = LIMIT) -> str:
    """The page of a result, what matters most first; where it would be too long, its end is left out.

    Args:
        result: what the run came to.
        reproduce: gives the shell command that runs a scenario again; without it no command is shown.
        limit: how many bytes the page may have.
    """
    left_out = "\n*The rest is left out because this page would be too long. It is in the results file.*\n"
    room = limit - len(left_out.encode())
    parts: list[str] = []
    for part in _parts(result, reproduce):
        room -= len(part.encode()) + 1
        if room < 0:
            return "\n".join([*parts, left_out])
        parts.append(part)
    return "\n".join(parts)


def _parts(result: RunResult, reproduce: Reproduce | None) -> Iterator[str]:
    yield from _head(result)
    violated = violations(result)
    if violated:
        yield f"### Violated ({len(violated)})\n"
        yield _breaches(violated)
    once = [row for row in result.requirements if row.seen_broken]
    if once:
        yield f"### Seen broken once and not confirmed ({len(once)})\n"
        rows = [(_named(row), row.level, inline(row.rule), ", ".join(map(code, row.seen_broken))) for row in once]
        yield table(("requirement", "level", "rule", "scenarios"), rows)
    yield from _baseline(result)
    for breach in violated:
        yield _evidence(breach, reproduce)
    yield from _others(result)


def _head(result: RunResult) -> Iterator[str]:
    yield f"## MCP Tasks: {_verdict(result)}\n"
    yield f"{inline(target_line(result.target))}\n"
    for note in notes(result.target):
        yield f"Note: {inline(brief(note, _LONGEST))}\n"
    if result.failure is not None:
        yield f"Could not test: {inline(brief(result.failure.problem, _LONGEST))}\n"
        if result.failure.hint is not None:
            yield f"{inline(brief(result.failure.hint, _LONGEST))}\n"
    elif result.verdict is not RunVerdict.CONFORMANT:
        yield f"{inline(brief(result.reason, _LONGEST))}\n"
    if result.requirements:
        yield f"**{result.counts.summary}**\n"
        yield _counts(result)
    if result.failure is not None and result.stderr_tail:
        lines = _visible_lines(result.stderr_tail[-_STDERR:])
        yield details("last lines of the target's stderr", [block(lines)])


def _verdict(result: RunResult) -> str:
    if result.verdict is not RunVerdict.CONFORMANT:
        return result.verdict
    known = " outside the baseline" if any(row.verdict is Verdict.WAIVED for row in result.requirements) else ""
    level = "no level" if result.level is CertificateLevel.NONE else f"level {result.level}"
    missing = f" ({inline(result.level_reason)})" if result.level_reason is not None else ""
    return f"{result.verdict}{known}, {level}{missing}"


def _counts(result: RunResult) -> str:
    counts = result.counts
    levels = {"MUST": counts.must, "SHOULD": counts.should, "MAY": counts.may, "quality": counts.quality}
    head = ("", "applicable", *(name.replace("_", " ") for name in _TALLIED))
    return table(head, [_tally(name, tally) for name, tally in levels.items() if tally != Tally()])


def _tally(name: str, tally: Tally) -> Sequence[str]:
    return (name, str(tally.applicable), *(str(getattr(tally, verdict)) for verdict in _TALLIED))


def _breaches(breaches: Iterable[Breach]) -> str:
    rows = [
        (
            _named(breach.requirement),
            breach.requirement.level,
            inline(breach.requirement.rule),
            str(len({case.scenario.key for case in breach.cases})),
        )
        for breach in breaches
    ]
    return table(("requirement", "level", "rule", "scenarios"), rows)


def _named(row: RequirementResult) -> str:
    return link(row.id, row.link)


def _evidence(breach: Breach, reproduce: Reproduce | None) -> str:
    """What was sent and received in a few cases of a breach."""
    shown = worth_showing(breach.cases)
    lines: list[str] = []
    for case in shown:
        lines += [visible(case.scenario.title), visible(case.scenario.key), *evidence_lines(case.check)]
        if reproduce is not None:
            lines.append(f"reproduce {visible(reproduce(case.scenario.key))}")
        lines.append("")
    more = len(breach.cases) - len(shown)
    if more > 0:
        lines.append(f"and {more} more")
    return details(f"{breach.requirement.id}: what was sent and received", [block(lines)])


def _baseline(result: RunResult) -> Iterator[str]:
    stale = entries(result, EntryState.STALE)
    if stale:
        yield f"### Stale entries of the baseline ({len(stale)})\n"
        yield "What they know of no longer fails. Remove them from the baseline.\n"
        yield table(("requirement", "entry", "reason"), map(_entry, stale))
    expired = entries(result, EntryState.EXPIRED)
    if expired:
        yield f"### Expired entries of the baseline ({len(expired)})\n"
        yield "What they know of counts again where it occurs.\n"
        rows = [(*_entry(entry), entry.expires or "", str(len(entry.occurred))) for entry in expired]
        yield table(("requirement", "entry", "reason", "expired after", "scenarios"), rows)
    breaches = waived(result)
    if breaches:
        yield details(
            f"Waived by the baseline ({len(breaches)})", [_waived(breaches, entries(result, EntryState.IN_USE))]
        )
    unseen = entries(result, EntryState.NOT_SEEN)
    if unseen:
        title = f"Waived, though not seen in this run: it occurs by chance ({len(unseen)})"
        yield details(title, [table(("requirement", "entry", "reason"), map(_entry, unseen))])


def _entry(entry: EntryResult) -> tuple[str, ...]:
    return (code(entry.requirement), code(entry.place), _reason(entry.reason, entry.link))


def _reason(reason: str, address: str | None) -> str:
    told = inline(brief(reason, _LONGEST))
    return told if address is None else f"{told} ({link('link', address, plain=True)})"


def _waived(breaches: Iterable[Breach], known: Sequence[EntryResult]) -> str:
    rows = []
    for breach in breaches:
        links = {entry.reason: entry.link for entry in known if entry.requirement == breach.requirement.id}
        reasons = dict.fromkeys(case.check.waived for case in breach.cases if case.check.waived is not None)
        told = "; ".join(_reason(reason, links.get(reason)) for reason in reasons)
        scenarios = len({case.scenario.key for case in breach.cases})
        rows.append((_named(breach.requirement), breach.requirement.level, told, str(scenarios)))
    return table(("requirement", "level", "reason", "scenarios"), rows)


def _others(result: RunResult) -> Iterator[str]:
    """What does not make the run fail, folded."""
    for title, breaches in (
        ("Warnings", warnings(result)),
        ("Quality, apart from the verdict", quality_findings(result)),
    ):
        if breaches:
            yield details(f"{title} ({len(breaches)})", [_briefly(breaches)])
    rows = with_verdict(result, Verdict.INCONCLUSIVE)
    if rows:
        yield details(f"Inconclusive ({len(rows)})", [_doubts(open_requirements(result))])
    alone = open_scenarios(result)
    if alone:
        number = sum(len(doubt.scenarios) for doubt in alone)
        yield details(f"Inconclusive scenarios that leave no requirement open ({number})", [_doubts(alone)])
    rows = with_verdict(result, Verdict.NOT_EXERCISED)
    if rows:
        groups = by_reason(rows, lambda row: row.reason)
        listed = [(inline(brief(why, _LONGEST)), ", ".join(code(row.id) for row in members)) for why, members in groups]
        yield details(f"Not exercised ({len(rows)})", [table(("reason", "requirements"), listed)])
    missing = not_shown(result.target)
    if missing:
        lacking = [
            (code(str(row.get("behaviour"))), inline(str(row.get("reason"))), code(str(row.get("line"))))
            for row in missing
        ]
        yield details(
            f"Behaviours without a tool ({len(missing)})",
            ["A profile with such lines has them exercised.\n", table(("behaviour", "why", "line"), lacking)],
        )
    amiss = amiss_in_trials(result)
    if amiss:
        told = [(code(requirement), inline(brief(said, _LONGEST))) for requirement, said in amiss.items()]
        title = f"Seen broken in trial calls, in no scenario, and not counted ({len(amiss)})"
        yield details(title, [table(("requirement", "seen"), told)])
    broken = ended(result, *_OPEN)
    if broken:
        rows_told = [
            (each.outcome.value, code(each.key), inline(brief(each.reason or "", _LONGEST))) for each in broken
        ]
        yield details(
            f"Scenarios that came to nothing ({len(broken)})", [table(("outcome", "scenario", "reason"), rows_told)]
        )


def _doubts(doubts: Iterable[Doubt]) -> str:
    rows = []
    for doubt in doubts:
        said = inline(brief(doubt.reason, _LONGEST))
        came = "" if doubt.came is None else f"; came {code(brief(request_line(doubt.came), _LONGEST))}"
        shown = examples(doubt.scenarios, _SCENARIOS)
        seen = [f"{code(one.key)} ({code(place_of(one))})" for one in shown]
        more = len(doubt.scenarios) - len(shown)
        seen += [f"and {more} more"] if more else []
        rows.append((said + came, ", ".join(code(row.id) for row in doubt.requirements), ", ".join(seen)))
    return table(("seen instead", "requirements left open", "scenarios"), rows)


def _briefly(breaches: Iterable[Breach]) -> str:
    rows = []
    for breach in breaches:
        check = breach.cases[0].check if breach.cases else None
        expected, received = ("", "") if check is None else (check.expected, check.observed)
        seen = (code(brief(expected, _LONGEST)), code(brief(received, _LONGEST)))
        rows.append((_named(breach.requirement), breach.requirement.level, inline(breach.requirement.rule), *seen))
    return table(("requirement", "level", "rule", "expected", "received"), rows)


def _visible_lines(text: str) -> list[str]:
    """The lines of a text, each made visible."""
    return [visible(line) for line in text.splitlines()]
