"""A result as a JSON document, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from mcp_tasks_conformance.catalog.model import Level
from mcp_tasks_conformance.events import Direction, JsonValue, Outcome, ScenarioOutcome, Seen, SeenKind
from mcp_tasks_conformance.verdicts.model import (
    BaselineResult,
    CertificateLevel,
    Counts,
    EntryResult,
    EntryState,
    Failure,
    JudgedCheck,
    Proofs,
    RequirementResult,
    RunResult,
    RunVerdict,
    ScenarioResult,
    Tally,
    Verdict,
)

FORMAT: Final = 1
"""Version of the document; another number when a reader of this one would misread it."""


def to_document(result: RunResult) -> dict[str, JsonValue]:
    """The document of a result. Members that say nothing (null, false, empty) are left out of its rows."""
    return {
        "format": FORMAT,
        "suite": dict(result.suite),
        "target": dict(result.target),
        "options": dict(result.options),
        "verdict": result.verdict,
        "reason": result.reason,
        "exit_code": result.exit_code,
        "level": result.level,
        "level_reason": result.level_reason,
        "summary": result.counts.summary,
        "counts": _counts(result.counts),
        "generations": dict(result.generations),
        "failure": None if result.failure is None else asdict(result.failure),
        "ended_early": result.ended_early,
        "stderr_tail": result.stderr_tail,
        "baseline": None if result.baseline is None else _baseline(result.baseline),
        "requirements": [_requirement(row) for row in result.requirements],
        "scenarios": [_scenario(row) for row in result.scenarios],
        "checks": [_check(row) for row in result.checks],
        "dropped": [_check(row) for row in result.dropped],
        "transcripts": {key: [seen_document(seen) for seen in entries] for key, entries in result.transcripts.items()},
        "timing": dict(result.timing),
        "complete": result.complete,
    }


def from_document(document: Mapping[str, Any]) -> RunResult:
    """The result in a document that the schema accepts."""
    failure = document["failure"]
    return RunResult(
        suite=document["suite"],
        target=document["target"],
        options=document["options"],
        verdict=RunVerdict(document["verdict"]),
        reason=document["reason"],
        level=CertificateLevel(document["level"]),
        level_reason=document["level_reason"],
        generations=document["generations"],
        counts=Counts(**{kind: _read_tally(tally) for kind, tally in document["counts"].items()}),
        requirements=tuple(_read_requirement(row) for row in document["requirements"]),
        scenarios=tuple(_read_scenario(row) for row in document["scenarios"]),
        checks=tuple(_read_check(row) for row in document["checks"]),
        dropped=tuple(_read_check(row) for row in document["dropped"]),
        transcripts={key: tuple(map(_read_seen, entries)) for key, entries in document["transcripts"].items()},
        timing=document["timing"],
        baseline=None if document["baseline"] is None else _read_baseline(document["baseline"]),
        failure=None if failure is None else Failure(**failure),
        stderr_tail=document["stderr_tail"],
        ended_early=document["ended_early"],
        complete=document["complete"],
    )


def _spare(row: dict[str, JsonValue], *optional: str) -> dict[str, JsonValue]:
    """The row without those of its optional members that say nothing."""
    return {key: value for key, value in row.items() if key not in optional or value not in (None, False, [])}


def _counts(counts: Counts) -> dict[str, JsonValue]:
    tallies = {"must": counts.must, "should": counts.should, "may": counts.may, "quality": counts.quality}
    return {
        kind: {"applicable": tally.applicable, **_spare(asdict(tally), "seen_broken")}
        for kind, tally in tallies.items()
    }


def _read_tally(tally: Mapping[str, int]) -> Tally:
    return Tally(**{verdict: number for verdict, number in tally.items() if verdict != "applicable"})


def _requirement(row: RequirementResult) -> dict[str, JsonValue]:
    return _spare(
        {
            "id": row.id,
            "generation": row.generation,
            "specification": row.specification,
            "level": row.level,
            "party": row.party,
            "rule": row.rule,
            "link": row.link,
            "ambiguity": row.ambiguity,
            "verdict": row.verdict,
            "counted": row.counted,
            "reason": row.reason,
            "observed": row.observed,
            "proofs": _spare(asdict(row.proofs), "lacking_tool"),
            "seen_broken": list(row.seen_broken),
        },
        "link",
        "ambiguity",
        "reason",
        "observed",
        "seen_broken",
    )


def _read_requirement(row: Mapping[str, Any]) -> RequirementResult:
    return RequirementResult(
        **{
            **row,
            "level": Level(row["level"]),
            "verdict": Verdict(row["verdict"]),
            "proofs": Proofs(**row["proofs"]),
            "seen_broken": tuple(row.get("seen_broken", ())),
        }
    )


def _scenario(row: ScenarioResult) -> dict[str, JsonValue]:
    return _spare(
        {
            "id": row.scenario,
            "key": row.key,
            "title": row.title,
            "parameters": dict(row.parameters),
            "proves": list(row.proves),
            "place": row.place,
            "outcome": row.outcome,
            "reason": row.reason,
            "came": row.came,
            "duration_ms": row.duration_ms,
            "attempts": row.attempts,
            "flaky": row.flaky,
        },
        "reason",
        "came",
        "flaky",
    )


def _read_scenario(row: Mapping[str, Any]) -> ScenarioResult:
    members = {key: value for key, value in row.items() if key != "id"}
    return ScenarioResult(
        **{
            **members,
            "scenario": row["id"],
            "proves": tuple(row["proves"]),
            "outcome": ScenarioOutcome(row["outcome"]),
        }
    )


def _check(row: JudgedCheck) -> dict[str, JsonValue]:
    return _spare(
        {
            "scenario": row.scenario,
            "requirement": row.requirement,
            "source": row.source,
            "outcome": row.outcome,
            "expected": row.expected,
            "observed": row.observed,
            "messages": list(row.messages),
            "because": row.because,
            "control": row.control,
            "sent": row.sent,
            "came": row.came,
            "dropped": row.dropped,
            "fails": row.fails,
            "waived": row.waived,
        },
        "messages",
        "because",
        "control",
        "sent",
        "came",
        "dropped",
        "fails",
        "waived",
    )


def _read_check(row: Mapping[str, Any]) -> JudgedCheck:
    return JudgedCheck(**{**row, "outcome": Outcome(row["outcome"]), "messages": tuple(row.get("messages", ()))})


def _baseline(baseline: BaselineResult) -> dict[str, JsonValue]:
    return {"file": baseline.file, "entries": [_entry(entry) for entry in baseline.entries]}


def _entry(entry: EntryResult) -> dict[str, JsonValue]:
    return _spare(
        {
            "requirement": entry.requirement,
            "state": entry.state,
            "reason": entry.reason,
            "place": entry.place,
            "link": entry.link,
            "expires": entry.expires,
            "scenarios": list(entry.scenarios),
            "transports": list(entry.transports),
            "occurred": list(entry.occurred),
        },
        "link",
        "expires",
        "scenarios",
        "transports",
        "occurred",
    )


def _read_baseline(document: Mapping[str, Any]) -> BaselineResult:
    return BaselineResult(document["file"], tuple(map(_read_entry, document["entries"])))


def _read_entry(row: Mapping[str, Any]) -> EntryResult:
    lists = {name: tuple(row.get(name, ())) for name in ("scenarios", "transports", "occurred")}
    return EntryResult(**{**row, **lists, "state": EntryState(row["state"])})


def seen_document(seen: Seen) -> dict[str, JsonValue]:
    """One entry of a transcript."""
    return {
        "index": seen.index,
        "at": round(seen.at, 6),
        "direction": seen.direction,
        "kind": seen.kind,
        "connection": seen.connection,
        "stream": seen.stream,
        "text": seen.text,
        **({"detail": dict(seen.detail)} if seen.detail else {}),
    }


def _read_seen(row: Mapping[str, Any]) -> Seen:
    return Seen(**{**row, "direction": Direction(row["direction"]), "kind": SeenKind(row["kind"])})
