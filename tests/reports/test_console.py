"""The report on the terminal and in a pipe."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from mcp_tasks_conformance.events import (
    Check,
    Event,
    RunFinished,
    ScenarioFinished,
    ScenarioOutcome,
    ScenarioStarted,
    TargetFailed,
)
from mcp_tasks_conformance.reports.console import ConsoleReport
from mcp_tasks_conformance.reports.ending import ending_of
from mcp_tasks_conformance.reports.progress import Progress
from mcp_tasks_conformance.reports.text import width_of
from mcp_tasks_conformance.verdicts.document import from_document, to_document
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.model import RunResult
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from tests.golden import approved
from tests.reports.recordings import (
    EVENTS,
    FLAWLESS,
    HOSTILE,
    INTERRUPTED,
    KNOWN,
    PLANS,
    RULES,
    STALE,
    START,
    UNREACHABLE,
    hostile_run,
    reproduce,
    result_of,
)
from tests.verdicts.builders import check, finished

GOLDEN = Path(__file__).parent / "golden"
COLOUR = re.compile(r"\x1b\[[\d;]*m")


class Terminal(io.StringIO):
    """A stream that says that people watch it."""

    def isatty(self) -> bool:
        return True


def piped(
    events: tuple[Event, ...],
    *,
    verbose: bool = False,
    result: RunResult | None = None,
    options: VerdictOptions | None = None,
) -> str:
    """What a pipe gets."""
    stream = io.StringIO()
    report = ConsoleReport(stream, reproduce=reproduce, verbose=verbose)
    for event in events:
        report(event)
    report.finish(result or result_of(events, options))
    return stream.getvalue()


def shown(
    events: tuple[Event, ...],
    *,
    width: int = 80,
    outcome: Callable[[ScenarioFinished], ScenarioOutcome] | None = None,
    **environment: str,
) -> str:
    """What a terminal gets, control sequences included."""
    stream = Terminal()
    console = Console(
        file=stream,
        force_terminal=environment.get("TERM") != "dumb",
        width=width,
        highlight=False,
        _environ={"TERM": "xterm", **environment},
    )
    report = ConsoleReport(stream, reproduce=reproduce, outcome=outcome, console=console)
    for event in events:
        report(event)
    report.finish(result_of(events))
    return stream.getvalue()


def screen(output: str) -> str:
    """What stays on a terminal: lines that were erased are gone, styles too."""
    lines = []
    for line in COLOUR.sub("", output).split("\n"):
        left = line.rsplit("\r\x1b[2K", 1)[-1]
        assert "\x1b" not in left
        assert "\r" not in left
        lines.append(left)
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("name", "events", "verbose", "options"),
    [
        ("pipe", EVENTS, False, None),
        ("pipe-verbose", EVENTS, True, None),
        ("flawless", FLAWLESS, False, None),
        ("unreachable", UNREACHABLE, False, None),
        ("interrupted", INTERRUPTED, False, None),
        ("baseline", EVENTS, False, KNOWN),
        ("stale-baseline", FLAWLESS, False, STALE),
    ],
)
def test_a_pipe_gets_the_approved_text(
    name: str, events: tuple[Event, ...], verbose: bool, options: VerdictOptions | None
) -> None:
    text = piped(events, verbose=verbose, options=options)
    assert text == approved(GOLDEN / f"{name}.txt", text)


def test_a_terminal_gets_the_approved_text_in_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_tasks_conformance.reports.progress._EVERY_S", 0.0)
    text = shown(EVENTS)
    # Escapes are written out, so that the file can be read and compared by people.
    assert text.replace("\x1b", "\\e").replace("\r", "\\r") == approved(
        GOLDEN / "terminal.txt", text.replace("\x1b", "\\e").replace("\r", "\\r")
    )


def test_a_terminal_without_colour_gets_the_approved_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_tasks_conformance.reports.progress._EVERY_S", 0.0)
    text = screen(shown(EVENTS, NO_COLOR="1"))
    assert text == approved(GOLDEN / "terminal-screen.txt", text)


def test_no_colour_means_no_colour() -> None:
    codes = [code for found in COLOUR.findall(shown(EVENTS, NO_COLOR="1")) for code in found[2:-1].split(";")]
    assert not {code for code in codes if code not in ("", "0", "1", "2")}
    assert any("31" in found for found in COLOUR.findall(shown(EVENTS)))


def test_colour_only_adds() -> None:
    assert screen(shown(EVENTS)) == screen(shown(EVENTS, NO_COLOR="1"))


@pytest.mark.parametrize("events", [EVENTS, FLAWLESS, UNREACHABLE, INTERRUPTED])
@pytest.mark.parametrize("verbose", [False, True])
def test_a_pipe_gets_plain_text_without_trailing_space(events: tuple[Event, ...], verbose: bool) -> None:
    text = piped(events, verbose=verbose)
    assert re.search(r"[^\n -~]", text) is None
    assert not [line for line in text.splitlines() if line != line.rstrip()]
    assert "\n\n\n" not in text


def test_a_dumb_terminal_gets_what_a_pipe_gets() -> None:
    assert "\x1b" not in shown(EVENTS, TERM="dumb")


def fits(text: str, width: int) -> list[str]:
    """Lines that are too wide; a link or a scenario's key, which must stay in one piece, is excused."""
    return [line for line in text.splitlines() if width_of(line) > width and " " in line.strip()]


@pytest.mark.parametrize("events", [EVENTS, FLAWLESS, UNREACHABLE, INTERRUPTED])
def test_everything_fits_eighty_columns(events: tuple[Event, ...]) -> None:
    assert fits(piped(events, verbose=True), 80) == []
    assert fits(screen(shown(events)), 80) == []


def test_a_narrower_terminal_gets_narrower_text() -> None:
    excused = ("  failed", "  crashed", "failed", "warned", "crashed", "inconclusive")
    text = "\n".join(line for line in screen(shown(EVENTS, width=60)).splitlines() if not line.startswith(excused))
    assert fits(text, 60) == []


def test_the_verdict_is_the_last_line_and_the_target_the_first() -> None:
    lines = piped(EVENTS).splitlines()
    assert lines[0] == "Target    sample-server 2026.8.31, protocol 2025-11-25, over stdio"
    assert lines[-1] == "Verdict: violations (3 requirements violated)"
    assert lines[-2] == "3 of 10 applicable MUSTs proven, 3 violated, 1 warned, 3 inconclusive"


def test_a_pipe_is_told_nothing_of_progress() -> None:
    stream = io.StringIO()
    report = ConsoleReport(stream)
    for event in EVENTS:
        report(event)
    assert len(stream.getvalue().splitlines()) == 2


def test_a_verbose_pipe_gets_a_line_for_each_scenario_that_ran() -> None:
    stream = io.StringIO()
    report = ConsoleReport(stream, verbose=True)
    for event in EVENTS:
        report(event)
    lines = stream.getvalue().splitlines()[3:]
    assert len(lines) == sum(plan.skip is None for plan in PLANS.values())
    assert lines[0] == "passed          v1/receiver/lifecycle/returns-task"


def test_a_skipped_scenario_is_no_line_and_no_progress() -> None:
    stream = io.StringIO()
    report = ConsoleReport(stream, verbose=True)
    report(START)
    before = stream.getvalue()
    report(finished(PLANS["pages"], outcome="not applicable"))
    assert stream.getvalue() == before


def test_a_terminal_keeps_a_line_for_each_scenario_that_did_not_pass_and_for_no_other() -> None:
    kept = screen(shown(EVENTS)).split("Violated")[0]
    assert "v1/receiver/cancel/terminal-task-refuses[ending=completes]" in kept
    assert "returns-task" not in kept


def test_lines_of_scenarios_say_how_they_will_stand_in_the_result() -> None:
    fold = Fold(RULES)

    def outcome(event: ScenarioFinished) -> ScenarioOutcome:
        fold(event)
        return fold.outcome(event)

    fold(START)
    told = screen(shown(EVENTS, outcome=outcome)).split("Violated")[0]
    assert "v1/receiver/get/answers-at-once" not in told  # it stands as warned, which is no line while others run
    assert "failed          v1/receiver/get/answers-at-once" in screen(shown(EVENTS))


def test_the_report_needs_the_result_alone() -> None:
    result = result_of(EVENTS, None)
    read = from_document(to_document(replace(result, transcripts={})))
    assert ending_of(read, 80, reproduce).plain() == ending_of(result, 80, reproduce).plain()


def test_a_result_of_an_earlier_run_is_told_with_its_target() -> None:
    stream = io.StringIO()
    ConsoleReport(stream).finish(result_of(EVENTS))
    assert stream.getvalue().startswith("Target    sample-server 2026.8.31, protocol 2025-11-25, over stdio\n")


def test_a_warning_shows_its_first_case_and_all_of_them_where_asked() -> None:
    late = [check("v1.get.prompt", "fail", observed=f"{number} ms") for number in (900, 901, 902)]
    result = result_of((START, finished(PLANS["answers-at-once"], *late), RunFinished(None)))
    in_brief, whole = (ending_of(result, 80, verbose=verbose).plain() for verbose in (False, True))
    assert "received  900 ms" in in_brief
    assert "received  901 ms" not in in_brief
    assert "and 2 more (-v shows all)" in in_brief
    assert "received  902 ms" in whole
    assert "(-v shows all)" not in whole


def test_without_a_way_to_reproduce_no_command_is_shown() -> None:
    assert "reproduce" not in ending_of(result_of(EVENTS), 80).plain()


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--command", "node 'a b.js' \"$HOME\"", "--scenario", "v1/x[ending=completes]"],
        ["run", "--command", "x" * 100, "--scenario", "v1/receiver/" + "y" * 100],
        ["run", "--command", "printf '%s\\n' `id`; rm *", "--scenario", "it's"],
    ],
)
def test_the_command_to_reproduce_means_the_same_when_it_is_pasted_into_a_shell(words: list[str]) -> None:
    events = (START, *EVENTS[5:7])
    page = ending_of(result_of(events), 80, lambda _: shlex.join(["printf", "%s\\0", *words])).plain()
    command = page.split("reproduce\n")[1].split("\n\n")[0]
    told = subprocess.run(["sh", "-c", command], capture_output=True, check=True, text=True).stdout
    assert told.split("\0")[:-1] == words


def cases_shown(*ends: Event, verbose: bool = False) -> list[str]:
    """The scenarios that the report shows whole for v1.create.returns-task."""
    page = ending_of(result_of((START, *ends, RunFinished(None))), 80, verbose=verbose).plain()
    return re.findall(r"^    v1/receiver/(\S+)$", page, re.MULTILINE)


def blame(source: str) -> Check:
    return check("v1.create.returns-task", "fail", source=source)


def test_a_breach_that_only_a_monitor_saw_is_shown_once() -> None:
    ends = [finished(PLANS[name], blame("monitor shape")) for name in ("stays", "blocks", "wakes-up")]
    assert cases_shown(*ends) == ["result/blocks"]
    assert cases_shown(*ends, verbose=True) == ["result/blocks", "result/wakes-up", "cancel/stays"]


def test_a_breach_that_steps_saw_is_shown_in_three_scenarios_and_by_no_monitor() -> None:
    names = ("stays", "blocks", "wakes-up", "gives-error", "wakeup")
    ends = [
        finished(PLANS[name], blame("monitor shape"), blame("send, line 4"), blame("send, line 9")) for name in names
    ]
    assert len(cases_shown(*ends)) == 3
    assert len(cases_shown(*ends, verbose=True)) == 15


def test_text_of_a_hostile_target_is_escaped_and_cut() -> None:
    text = piped(hostile_run(HOSTILE))
    assert re.search(r"[^\n -~]", text) is None
    assert "\\x1b]0;owned\\x07\\x1b[2J" in text
    assert "characters)" in text
    assert len(text) < 12_000
    assert fits(text, 80) == []


def test_a_hostile_target_that_cannot_be_tested_is_as_harmless() -> None:
    failed = TargetFailed(HOSTILE, HOSTILE, HOSTILE, target={"command": [HOSTILE]})
    text = piped((failed,))
    assert re.search(r"[^\n -~]", text) is None
    assert len(text) < 8_000


def test_a_stream_of_another_encoding_gets_escapes_for_what_it_cannot_hold() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    report = ConsoleReport(stream)
    report.finish(replace(result_of(EVENTS), target={"name": "naïve 日本"}))
    assert raw.getvalue().startswith(b"Target    na\\xefve \\u65e5\\u672c\n")


def test_an_unreachable_target_is_one_clear_line_then_the_hint_then_its_last_words() -> None:
    lines = [line for line in piped(UNREACHABLE).splitlines() if line]
    assert lines[0] == "Target    node missing.js, over stdio"
    assert " ".join(lines[1:3]) == (
        "Could not test: `node missing.js` exited with code 1 before it answered initialize"
    )
    assert lines[3].startswith("  Run the command by itself")
    assert "  | Error: Cannot find module '/srv/missing.js'" in lines
    assert lines[-1] == "Verdict: could-not-test"


def progress(width: int = 80) -> tuple[Progress, Terminal, list[float]]:
    stream = Terminal()
    console = Console(file=stream, force_terminal=True, width=width, no_color=True, _environ={"TERM": "xterm"})
    now = [0.0]
    return Progress(console, 5, lambda: now[0]), stream, now


def test_the_line_of_progress_counts_what_ended_and_names_what_runs() -> None:
    line, stream, now = progress()
    line.began("v1/a")
    now[0] = 1.0
    line.began("v1/b")
    now[0] = 2.0
    line.ended("v1/a", ScenarioOutcome.FAILED)
    assert screen(stream.getvalue()) == "1 of 5, 1 failed  v1/b"


def test_the_line_of_progress_is_not_drawn_for_every_event_of_a_fast_run() -> None:
    line, stream, now = progress()
    for number in range(1000):
        now[0] += 0.001
        line.began(f"v1/{number}")
    assert stream.getvalue().count("0 of 5") < 20


def test_the_line_of_progress_never_wraps() -> None:
    line, stream, _ = progress(width=40)
    line.began("v1/receiver/" + "x" * 100)
    assert 30 < len(screen(stream.getvalue())) < 40


def test_in_the_line_of_progress_a_long_key_keeps_its_last_words() -> None:
    line, stream, _ = progress(width=50)
    line.began("v1/receiver/related-task/result-goes-by-the-param")
    assert screen(stream.getvalue()) == "0 of 5  .../related-task/result-goes-by-the-param"


def test_a_run_that_stops_in_the_middle_leaves_no_line_of_progress() -> None:
    stream = Terminal()
    console = Console(file=stream, force_terminal=True, width=80, highlight=False, _environ={"TERM": "xterm"})
    report = ConsoleReport(stream, console=console)
    report(START)
    report(ScenarioStarted(PLANS["stays"].key, 1))
    assert "0 of 16" in screen(stream.getvalue())
    report(RunFinished("interrupted"))
    assert "0 of 12" not in screen(stream.getvalue())


def test_what_became_of_the_target_is_noted_once_above_the_ending() -> None:
    stream = io.StringIO()
    report, end = ConsoleReport(stream), RunFinished(None, notes=("2 instances of the target fell silent",))
    report(START)
    report.finish(result_of((START, end)))
    text = stream.getvalue()
    assert text.count("Note      2 instances of the target fell silent\n") == 1
    assert text.index("Note  ") < text.index("Verdict")
