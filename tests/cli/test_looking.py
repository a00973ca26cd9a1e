"""list, show, check and coverage: what there is, of the library and of one's own files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mcp_tasks_conformance.catalog import library as shelves
from mcp_tasks_conformance.cli import browsing, covering
from mcp_tasks_conformance.cli.commands import group

OWN = """\
suite: mine
generation: v1
party: receiver
title: Mine
scenarios:
  - id: first
    title: A ping is answered
    steps:
      - send: ping
        expect: {result: {}}
        proves: base.answers
  - id: second
    title: A ping is answered again
    steps:
      - send: ping
        expect: {result: {}}
"""


@pytest.fixture(scope="module", autouse=True)
def one_library() -> Iterator[None]:
    """The library is read once for all that bring no files of their own."""
    load = shelves.load
    once = load()

    def loaded(own: Iterable[Path] = ()) -> shelves.Library:
        files = list(own)
        return load(own=files) if files else once

    with pytest.MonkeyPatch.context() as patch:
        for module in (shelves, browsing, covering):
            patch.setattr(module, "load", loaded)
        yield


@pytest.fixture
def own(tmp_path: Path) -> str:
    file = tmp_path / "my.scenario.yaml"
    file.write_text(OWN)
    return str(file)


def invoke(*words: str) -> Result:
    return CliRunner().invoke(group, words)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("--suite", "cancel"),
            "v1/receiver/cancel/working-task  Cancelling a working task is answered with the task,",
        ),
        (
            ("--requirements",),
            "v1.cancel.terminal-rejected  MUST, receiver  Cancelling a completed, failed or cancelled",
        ),
        (
            ("--faults",),
            "cancel-ended-accepted  tasks/cancel of a task that has ended is answered with the task, unchan",
        ),
        (("--variants",), "no-list  tasks/list is neither declared nor served."),
        (("--husks",), "silent  Takes everything and says nothing."),
    ],
)
def test_list_has_a_line_for_each(words: tuple[str, ...], line: str) -> None:
    ended = invoke("list", *words)
    assert ended.exit_code == 0
    assert [said for said in ended.output.splitlines() if said.startswith(line)] != []


def test_a_list_of_faults_names_what_they_break_and_can_be_narrowed_to_that() -> None:
    lines = invoke("list", "--faults", "--requirement", "v1.cancel.terminal-rejected").output.splitlines()
    assert len(lines) > 1
    assert all("v1.cancel.terminal-rejected" in line for line in lines)


def test_a_list_of_requirements_can_be_narrowed() -> None:
    everything = invoke("list", "--requirements").output.splitlines()
    musts = invoke("list", "--requirements", "--level", "must").output.splitlines()
    cancel = invoke("list", "--requirements", "-r", "v1.cancel.*").output.splitlines()
    suite = invoke("list", "--requirements", "--suite", "cancel").output.splitlines()
    assert 0 < len(cancel) < len(musts) < len(everything)
    assert all("MUST" in line for line in musts)
    assert any(line.startswith("v1.cancel.terminal-rejected ") for line in suite)
    assert 0 < len(suite) < len(everything)


def test_requirements_of_a_generation_without_scenarios_are_not_listed() -> None:
    listed = {line.partition(" ")[0] for line in invoke("list", "--requirements").output.splitlines()}
    requirements = shelves.load().requirements.values()
    assert listed == {requirement.id for requirement in requirements if requirement.generation != "v2"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--faults", "--suite", "cancel"), "--suite does not go with --faults"),
        (("--husks", "--level", "must"), "--level does not go with --husks"),
        (("--variants", "--requirement", "v1.*"), "--requirement does not go with --variants"),
        (("--faults", "--requirement", "v9.*"), "--requirement v9.* matches nothing; `list --faults` shows"),
        (("--requirements", "--requirement", "v9.*"), "matches nothing; `list --requirements` shows"),
        (("--level", "most"), "--level takes must, should, may, quality, not most"),
    ],
)
def test_options_that_mean_nothing_for_a_list_are_refused(words: tuple[str, ...], said: str) -> None:
    ended = invoke("list", *words)
    assert ended.exit_code == 2
    assert said in ended.output


def test_an_unknown_fault_is_told_with_those_like_it_and_where_all_are() -> None:
    ended = invoke("run", "--fault", "cancel-ended-acepted")
    assert ended.exit_code == 2
    assert "the reference has no fault cancel-ended-acepted; did you mean cancel-ended-accepted" in ended.output
    assert "(`list --faults` shows all " in invoke("run", "--fault", "nope").output
    assert "(`list --husks` shows all " in invoke("run", "--husk", "nope").output


BASELINE = "v1.cancel.stops-work: {reason: known, scenarios: v1/receiver/cancel/*}\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("known.yaml", f"# what is known\n{BASELINE}", "1 baseline: nothing amiss\n"),
        ("none.yaml", "# nothing is known\n", "1 baseline: nothing amiss\n"),
        ("known.yaml", "v1.cancel.stops-work: {}\n", "an entry of `v1.cancel.stops-work` has no `reason`"),
        ("known.yaml", "v1.cancel.stop-work: {reason: known}\n", "v1.cancel.stops-work"),
        ("manifest.yaml", "colour: red\n", "unknown key `colour` in a manifest"),
        ("suite.yaml", "suite: v1.x\n", "a suite has no `title`"),
    ],
)
def test_check_knows_what_a_file_is(name: str, text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    output = invoke("check", str(tmp_path / name)).output
    assert said in output
    assert ("a suite" in output) is (name == "suite.yaml")


def test_the_manifests_and_baselines_of_the_repository_can_be_checked() -> None:
    folder = Path(__file__).parents[2] / "implementations" / "fastmcp"
    files = [str(folder / name) for name in ("manifest.yaml", "baseline.yaml")]
    assert invoke("check", *files).output == "1 baseline, 1 manifest: nothing amiss\n"


def test_ones_own_files_are_listed_shown_checked_and_covered(own: str) -> None:
    assert invoke("check", own).output == "1 suite, 2 scenarios: nothing amiss\n"
    assert invoke("list", own).output.splitlines() == [
        "v1/receiver/mine/first  A ping is answered",
        "v1/receiver/mine/second  A ping is answered again",
    ]
    assert invoke("list", "--requirements", own).output.startswith("base.answers  MUST, both  ")
    shown = invoke("show", own).output
    assert "v1/receiver/mine/first\nA ping is answered\n" in shown
    assert "Proves no requirement." in shown
    assert "v1/receiver/mine/second" not in invoke("show", own, "v1/receiver/mine/first").output
    covered = invoke("coverage", own, "--no-run")
    assert covered.exit_code == 0
    assert covered.output.startswith("base.answers  1 scenario, ")
    assert covered.output.endswith("\n1 of 1 testable requirement covered, 0 with gaps\n")


def test_a_proof_of_ones_own_that_no_run_reaches_is_a_gap(tmp_path: Path) -> None:
    file = tmp_path / "my.scenario.yaml"
    unreached = "needs: {lacks: tasks}\n    steps:"
    file.write_text(OWN.replace("steps:", unreached, 1))
    ended = invoke("coverage", str(file))
    assert ended.exit_code == 1
    assert "GAP: never evaluated in v1/receiver/mine/first" in ended.output


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_coverage_tells_who_watches_how_far_it_is_and_leaves_nothing_of_it(own: str) -> None:
    watching, terminal = os.openpty()
    ended = subprocess.run(
        [sys.executable, "-m", "mcp_tasks_conformance", "coverage", own],
        stdout=subprocess.PIPE,
        stderr=terminal,
        check=False,
    )
    os.close(terminal)
    shown = os.read(watching, 100_000).decode()
    os.close(watching)
    assert re.match(r"\r0 of (\d+) runs on the reference and its variants\r1 of \1 runs", shown)
    assert re.search(r"\r +\r$", shown)
    assert b"runs on" not in ended.stdout


def test_a_requirement_is_shown_with_its_link_and_what_proves_it() -> None:
    lines = invoke("show", "v1.cancel.terminal-rejected").output.splitlines()
    assert lines[0] == "v1.cancel.terminal-rejected  (MUST, receiver, v1)"
    assert [line for line in lines if line.startswith("https://modelcontextprotocol.io/")] != []
    assert "  cancel-ended-accepted" in lines
    assert "Proven by monitors: none" in lines


def test_what_a_monitor_proves_is_shown_as_that() -> None:
    assert "Proven by monitors:\n  envelope\n" in invoke("show", "base.envelope").output


def test_a_step_within_another_is_shown_beneath_it() -> None:
    with_branches = next(
        scenario.id
        for scenario in shelves.load().scenarios.values()
        if any(step.verb == "together" for step in scenario.steps)
    )
    assert "branch 1:\n" in invoke("show", with_branches).output


def test_what_is_not_there_is_told_with_what_is_like_it() -> None:
    ended = invoke("show", "v1.cancel.terminal-rejcted")
    assert ended.exit_code == 2
    assert "no scenario, requirement or file v1.cancel.terminal-rejcted; did you mean v1.cancel.terminal-rejected" in (
        " ".join(ended.output.split())
    )


def test_a_page_of_requirements_that_cannot_be_written_is_told(tmp_path: Path, own: str) -> None:
    ended = invoke("coverage", "--markdown", str(tmp_path / "nowhere" / "page.md"))
    assert ended.exit_code == 2
    assert "page.md: cannot be written: No such file or directory" in ended.output
    ended = invoke("coverage", own, "--markdown", str(tmp_path / "page.md"))
    assert ended.exit_code == 2
    assert "--markdown writes the page about the whole library" in ended.output
