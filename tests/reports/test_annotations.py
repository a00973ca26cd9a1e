"""The report as workflow commands, read as a runner reads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcp_tasks_conformance.events import Event, RunFinished
from mcp_tasks_conformance.reports.annotations import MOST, annotations_of
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from tests.reports.recordings import (
    EVENTS,
    FLAWLESS,
    HOSTILE,
    INTERRUPTED,
    KNOWN,
    PLANS,
    STALE,
    START,
    UNREACHABLE,
    hostile_run,
    result_of,
)
from tests.verdicts.builders import check, finished
from tests.workflow_commands import Command, command_of

RUNS: dict[str, tuple[tuple[Event, ...], VerdictOptions | None]] = {
    "everything": (EVENTS, None),
    "baseline": (EVENTS, KNOWN),
    "flawless": (FLAWLESS, None),
    "stale": (FLAWLESS, STALE),
    "unreachable": (UNREACHABLE, None),
    "interrupted": (INTERRUPTED, None),
}


def read(text: str) -> list[Command]:
    """The commands that a text consists of."""
    commands = []
    for line in text.split("\n"):
        command = command_of(line)
        if command is None:
            assert line == ""
        else:
            commands.append(command)
    return commands


@pytest.fixture(autouse=True)
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository that has a baseline and nothing else."""
    (tmp_path / "baseline.yaml").write_text("")
    monkeypatch.chdir(tmp_path)


def told(events: tuple[Event, ...], options: VerdictOptions | None = None) -> list[Command]:
    return read(annotations_of(result_of(events, options), Path()))


def titles(commands: list[Command], name: str) -> list[str]:
    return [command.properties["title"] for command in commands if command.name == name]


def heads(commands: list[Command], name: str) -> list[str]:
    """The titles without the scenarios that they name."""
    return [title.partition(" in v1/receiver/")[0] for title in titles(commands, name)]


def test_each_violated_requirement_is_an_error_that_names_its_scenario() -> None:
    found = told(EVENTS)
    assert heads(found, "error") == [
        "v1.cancel.terminal-rejected (MUST) violated",
        "v1.related-task.on-result (MUST) violated",
        "base.answers (MUST) violated",
    ]
    first = found[0]
    assert first.properties["title"].endswith(" in v1/receiver/cancel/terminal-task-refuses[ending=completes]")
    lines = first.message.split("\n")
    assert lines[0].startswith("tasks/cancel of a task that has ended")
    assert "v1/receiver/cancel/terminal-task-refuses[ending=completes]" in lines
    assert "expected  error: {code: -32602}" in lines


def test_a_file_outside_the_repository_is_not_named_because_github_would_not_show_the_annotation() -> None:
    assert [set(command.properties) for command in told(EVENTS)] == [{"title"}] * 5


def test_a_scenario_of_ones_own_is_annotated_in_its_file_by_the_path_from_the_repository(tmp_path: Path) -> None:
    file = tmp_path / "scenarios" / "v1" / "receiver" / "some.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("")
    first = told(EVENTS)[0].properties
    assert (first["file"], first["line"]) == ("scenarios/v1/receiver/some.yaml", "9")
    assert first["title"] == "v1.cancel.terminal-rejected (MUST) violated"
    above = read(annotations_of(result_of(EVENTS), tmp_path.parent))[0].properties
    assert above["file"] == f"{tmp_path.name}/scenarios/v1/receiver/some.yaml"
    beside = read(annotations_of(result_of(EVENTS), tmp_path / "elsewhere"))[0].properties
    assert set(beside) == {"title"}


def test_warnings_are_warnings_unless_they_fail_the_run() -> None:
    warned = ["v1.tool.required-rejects-plain (MUST) warned", "v1.get.prompt (SHOULD) warned"]
    assert heads(told(EVENTS), "warning") == warned
    strict = told(EVENTS, VerdictOptions(strict=True))
    assert heads(strict, "warning") == warned[:1]
    assert heads(strict, "error")[-1:] == warned[1:]


def test_what_is_waived_is_not_mentioned_and_what_is_wrong_with_the_baseline_is() -> None:
    found = told(EVENTS, KNOWN)
    assert heads(found, "error") == [
        "v1.cancel.terminal-rejected (MUST) violated",
        "Baseline: v1.create.returns-task is stale",
    ]
    assert heads(found, "warning")[0] == "Baseline: v1.cancel.terminal-rejected has expired"
    stale = found[1]
    assert (stale.properties["file"], stale.properties["line"]) == ("baseline.yaml", "14")
    assert stale.message == "What it knows of no longer fails. Remove it from the baseline.\nno task came"


def test_that_nothing_could_be_tested_is_an_error_with_what_to_do() -> None:
    (found,) = told(UNREACHABLE)
    assert found.name == "error"
    assert found.properties == {"title": "MCP Tasks: could not test"}
    assert found.message.startswith(
        "`node missing.js` exited with code 1 before it answered initialize\nRun the command"
    )


def test_a_flawless_run_says_nothing() -> None:
    assert annotations_of(result_of(FLAWLESS), Path()) == ""


@pytest.mark.parametrize("name", RUNS)
def test_there_is_an_error_exactly_where_the_run_fails(name: str) -> None:
    result = result_of(*RUNS[name])
    errors = titles(read(annotations_of(result, Path())), "error")
    assert bool(errors) is (result.exit_code != 0)


def test_more_than_github_shows_are_named_in_the_last_one() -> None:
    names = ["served", "paged", "cursor-opaque", "bad-cursor", "own-only"]
    ids = [f"v1.list.{name}" for name in names] + [
        "v1.create.returns-task",
        "v1.get.shape",
        "v1.isolation.get",
        "v1.result.same-error",
        "v1.related-task.on-result",
        "v1.cancel.stays-cancelled",
        "v1.cancel.terminal-rejected",
    ]
    blamed = finished(PLANS["returns-task"], *(check(id_, "fail") for id_ in ids), outcome="failed")
    found = [command for command in told((START, blamed, RunFinished(None))) if command.name == "error"]
    assert len(found) == MOST
    assert found[-1].properties["title"] == f"and {len(ids) - MOST + 1} more"
    named = "\n".join([*(command.properties["title"] for command in found), found[-1].message])
    assert all(id_ in named for id_ in ids)


INJECTIONS = [
    "x\n::add-mask::y",
    "x\r\n::error::y",
    "x%0A::stop-commands::y",
    "x%25%0D%0A::error file=a,line=1::y",
    "\u2028::error::y",
    "\x85::error::y\x0b::error::y",
    "a,file=b,line=7::c%",
    HOSTILE,
]


@pytest.mark.parametrize("text", INJECTIONS)
def test_text_of_a_target_becomes_no_command_and_no_property(text: str) -> None:
    written = annotations_of(result_of(hostile_run(text)), Path())
    assert not re.search(r"[^\n -~]", written)
    found = read(written)
    assert all(line.startswith(("::error ", "::warning ")) for line in written.splitlines())
    for command in found:
        assert command.name in ("error", "warning")
        assert set(command.properties) <= {"file", "line", "title"}
        assert command.properties.get("line", "9") == "9"
        assert "::" not in command.properties["title"]
    assert len(written) < 20_000


def test_a_percent_sign_is_read_as_it_was() -> None:
    blame = check("v1.create.returns-task", "fail", observed="100% of %0A and %25")
    (found,) = told((START, finished(PLANS["returns-task"], blame, outcome="failed"), RunFinished(None)))
    assert "received  100% of %0A and %25" in found.message.split("\n")
