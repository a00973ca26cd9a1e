"""Inputs from an enemy: whatever they hold, nothing runs, no output is forged, and the runner obeys none of it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mcp_tasks_conformance.cli.commands import group
from mcp_tasks_conformance.github_action.inputs import NAMES, OPTION_OF_EACH_LINE, Inputs, WrongInput, variable
from mcp_tasks_conformance.github_action.runner import Runner
from tests.action.workflow import ACTION, ONE_SCENARIO, ROOT, Job, outputs_of, run_action

pytestmark = pytest.mark.xdist_group("action: hostile inputs")
FAULTY = f"{sys.executable} -m mcp_tasks_reference --stdio --fault cancel-ended-accepted"
VERDICTS = {1: "violations", 2: "", 3: "could-not-test"}
HOSTILE = (
    "'",
    '"',
    "\"; touch x; '",
    "$(touch x)",
    "`touch x`",
    "${IFS}$HOME",
    "; rm -rf .",
    "&& touch x",
    "| touch x",
    "> x",
    "-",
    "--",
    "--help",
    "--fault=get-stale",
    "--results=/dev/null",
    "-c",
    "%0A::error::forged",
    "::set-output name=verdict::conformant",
    "::stop-commands::x",
    "##[set-output name=verdict]conformant",
    "verdict=conformant",
    "verdict<<x",
    "${{ secrets.TOKEN }}",
    "\\",
    "*",
    "~",
    "#",
    "é\u202e🦀\x1b[31m",
)
LINES = (
    "first\n::error::forged",
    "first\nverdict=conformant",
    "first\r\n::add-mask::e",
    "first\n\n--help",
    "first\nEOF\nverdict<<EOF\nconformant\nEOF",
    "first\x0b::error::forged\x85::error::forged\u2028::error::forged",
)
TARGETS = ("url", "command")
TAKE_LINES = ("command", "args", *OPTION_OF_EACH_LINE)
ALL_AT_ONCE = " ".join(HOSTILE)


def environment(**inputs: str) -> dict[str, str]:
    return {variable(name): inputs.get(name.replace("-", "_"), "") for name in NAMES}


def options_of(words: list[str]) -> Mapping[str, object]:
    """What the command line makes of words; nothing is run."""
    command = group.commands["run"]
    with command.make_context("run", list(words), resilient_parsing=True) as context:
        return dict(context.params)


def test_every_input_reaches_the_suite_as_a_variable_and_no_shell_text_has_an_expression() -> None:
    (judging,) = (step for step in ACTION["runs"]["steps"] if step.get("id") == "run")
    handed = {name: text for name, text in judging["env"].items() if name.startswith("INPUT_")}
    assert handed == {variable(name): f"${{{{ inputs.{name} }}}}" for name in NAMES}
    assert set(ACTION["inputs"]) == {*NAMES, "python", "python-version"}
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert "eval" not in step.get("run", "")


@pytest.mark.parametrize("value", HOSTILE)
def test_a_value_stays_the_value_of_its_option(value: str) -> None:
    given = environment(url=value, profile=value, fail_on=value, headers=value, min_proven="7")
    options = options_of(Inputs(_names(given)).words())
    stripped = value.strip()
    assert options["url"] == options["profile"] == stripped
    assert options["fail_on"] == options["headers"] == (stripped,)
    assert options["results"] is options["fault"] is None
    assert options["files"] == ()


@pytest.mark.parametrize("value", HOSTILE)
def test_a_command_stays_one_text(value: str) -> None:
    assert options_of(Inputs(_names(environment(command=f"node {value}"))).words())["command"] == f"node {value}"


@pytest.mark.parametrize("name", ["url", "path", "profile", "baseline", "generation", "reports", "working-directory"])
@pytest.mark.parametrize("value", LINES)
def test_several_lines_are_refused_where_one_is_meant(name: str, value: str) -> None:
    inputs = Inputs(_names(environment(**{"url": "http://127.0.0.1/mcp", name.replace("-", "_"): value})))
    with pytest.raises(WrongInput, match=f"^{name} takes one line$"):
        inputs.words() if name not in ("reports", "working-directory") else inputs.line(name)


@pytest.mark.parametrize("value", LINES)
def test_a_line_of_several_is_the_value_of_one_option(value: str) -> None:
    options = options_of(Inputs(_names(environment(command="node", headers=value, identities=value))).words())
    lines = tuple(line.strip() for line in value.split("\n") if line.strip())
    assert options["headers"] == options["identities"] == lines


@pytest.mark.parametrize("value", [*HOSTILE, *LINES])
def test_no_output_is_forged_by_the_value_of_another(tmp_path: Path, value: str) -> None:
    file = tmp_path / "outputs"
    runner = Runner(file, None, tmp_path, None)
    runner.tell({"verdict": "violations", "reports": value, "exit-code": "1"})
    told = outputs_of(file.read_text(encoding="utf-8"))
    assert set(told) == {"verdict", "reports", "exit-code"}
    assert (told["verdict"], told["exit-code"]) == ("violations", "1")


def values_of(name: str) -> tuple[str, ...]:
    """Everything hostile at once, and where lines are taken, a line for each."""
    return (ALL_AT_ONCE, "\n".join((*LINES, *HOSTILE))) if name in TAKE_LINES else (ALL_AT_ONCE,)


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Job]:
    """An action for each input and each hostile value of it."""
    folder = tmp_path_factory.mktemp("hostile")

    def one(name: str, value: str, number: int) -> Job:
        workspace = folder / f"{name}-{number}" / "repository"
        workspace.mkdir(parents=True)
        target = {"command": FAULTY} if name not in TARGETS else {}
        inputs = {"python": sys.executable, "args": ONE_SCENARIO, "profile": "reference", **target, name: value}
        return run_action(workspace, inputs)

    with ThreadPoolExecutor(2) as pool:
        running = {
            f"{name} {number}": pool.submit(one, name, value, number)
            for name in NAMES
            for number, value in enumerate(values_of(name))
        }
        return {name: job.result() for name, job in running.items()}


@pytest.mark.parametrize("name", [f"{name} {number}" for name in NAMES for number, _ in enumerate(values_of(name))])
def test_nothing_hostile_is_run_believed_or_obeyed(jobs: dict[str, Job], tmp_path: Path, name: str) -> None:
    job = jobs[name]
    assert job.exit_code in VERDICTS, job.log
    assert job.outputs["exit-code"] == str(job.exit_code)
    assert job.outputs["verdict"] == VERDICTS[job.exit_code]
    assert job.environment == job.path == ""
    for command in job.obeyed:
        assert command.name in ("error", "add-mask")
        assert "::error::" not in command.properties.get("title", "")
    assert "forged" not in [command.message for command in job.obeyed]
    assert "Traceback" not in job.log


def test_what_is_harmless_where_it_stands_does_not_keep_the_server_from_being_judged(jobs: dict[str, Job]) -> None:
    for name in ("reports 0", "wait 0"):
        assert jobs[name].exit_code == 1, jobs[name].log


def test_nothing_hostile_leaves_a_file_behind(jobs: dict[str, Job], tmp_path_factory: pytest.TempPathFactory) -> None:
    assert jobs
    folder = next(path for path in tmp_path_factory.getbasetemp().iterdir() if path.name.startswith("hostile"))
    assert [path for path in folder.rglob("x") if path.is_file()] == []
    assert (ROOT / "action.yml").is_file()


@pytest.mark.parametrize("value", ["-c", "--help", "$(touch x)", "no such; program"])
def test_a_hostile_interpreter_is_no_option_and_no_shell_text(tmp_path: Path, value: str) -> None:
    workspace = tmp_path / "repository"
    workspace.mkdir()
    job = run_action(workspace, {"python": value, "command": FAULTY})
    assert job.exit_code == 127, job.log
    assert job.outputs["verdict"] == ""
    assert list(workspace.iterdir()) == []


def test_a_repository_with_modules_of_our_names_changes_nothing(tmp_path: Path) -> None:
    workspace = tmp_path / "repository"
    workspace.mkdir()
    for name in ("mcp_tasks_conformance", "click", "json", "venv"):
        (workspace / f"{name}.py").write_text("raise SystemExit('taken')")
    job = run_action(
        workspace, {"python": sys.executable, "args": "--help", "command": "x"}, environment={"PYTHONPATH": "."}
    )
    assert "taken" not in job.log
    assert "Usage: mcp-tasks-conformance run" in job.log


@pytest.mark.parametrize("option", ["--results", "--junit", "--suite", "-c"])
def test_a_further_option_takes_no_other_word_for_its_value(tmp_path: Path, option: str) -> None:
    inputs = Inputs({**dict.fromkeys(NAMES, ""), "http": "false", "strict": "false", "command": "x", "args": option})
    with pytest.raises(WrongInput, match=f"args: {option} takes a value, on the same line"):
        inputs.words()


def _names(given: Mapping[str, str]) -> dict[str, str]:
    return {name: given[variable(name)] for name in NAMES}
