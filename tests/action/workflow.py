"""A runner of composite actions, small and strict: it does with action.yml what GitHub's does, and knows no more.

Expressions are evaluated in `if`, `env`, `with` and outputs, and nowhere else; scripts run as `shell: bash` has it.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from tests.workflow_commands import Command, command_of

ROOT = Path(__file__).parent.parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
ONE_SCENARIO = "--scenario=v1/receiver/cancel/terminal-task-refuses[ending=completes]"
"""Enough of the library where little depends on it; a reference with the fault cancel-ended-accepted fails it."""
FILES = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE")
TIMEOUT_S = 90.0
Outputs: TypeAlias = dict[str, str]
Action: TypeAlias = Callable[[Mapping[str, str]], Outputs]

_EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")
_INPUT = re.compile(r"inputs\.([a-z-]+)")
_OUTPUT = re.compile(r"steps\.([a-z]+)\.outputs\.([a-z-]+)")
_EMPTY = re.compile(r"inputs\.([a-z-]+) == ''")


@dataclass
class Job:
    """What came of an action: what a workflow, its log and its readers see of it."""

    exit_code: int
    outputs: Outputs
    summary: str
    log: str
    """Everything that was printed, as it was printed."""
    environment: str
    path: str
    obeyed: list[Command] = field(default_factory=list)
    """The commands in the log that the runner takes for its own."""

    @property
    def shown(self) -> str:
        """The log as people see it: without masked values, and without the commands that mask them."""
        masks = [command.message for command in self.obeyed if command.name == "add-mask"]
        lines = [line for line in self.log.split("\n") if not line.startswith("::add-mask::")]
        text = "\n".join(lines)
        for mask in masks:
            text = text.replace(mask, "***")
        return text

    def annotations(self, kind: str) -> list[Command]:
        return [command for command in self.obeyed if command.name == kind]


def run_action(
    workspace: Path,
    inputs: Mapping[str, str],
    *,
    actions: Mapping[str, Action] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Job:
    """Run the steps of action.yml in a repository, until one fails."""
    unknown = set(inputs) - set(ACTION["inputs"])
    assert not unknown, f"action.yml has no input {unknown}"
    given = {name: str(about.get("default", "")) for name, about in ACTION["inputs"].items()} | dict(inputs)
    job = Job(0, {}, "", "", "", "")
    told: dict[str, Outputs] = {}
    temporary = workspace.parent / f"{workspace.name}-temp"
    temporary.mkdir(exist_ok=True)
    for number, step in enumerate(ACTION["runs"]["steps"]):
        if job.exit_code != 0 or not _holds(step.get("if", "success()"), given):
            continue
        if "uses" in step:
            name = step["uses"].partition("@")[0]
            assert actions, f"no action {name} in this test"
            told[step["id"]] = actions[name]({key: _value(text, given, told) for key, text in step["with"].items()})
        else:
            files = {name: temporary / f"{name.lower()}-{number}" for name in FILES}
            variables = {name: _value(text, given, told) for name, text in step.get("env", {}).items()}
            _run_script(step, workspace, temporary, files, {**(environment or {}), **variables}, job)
            told[step.get("id", f"__{number}")] = outputs_of(files["GITHUB_OUTPUT"].read_text(encoding="utf-8"))
    job.outputs = {name: _value(about["value"], given, told) for name, about in ACTION["outputs"].items()}
    job.obeyed = _obeyed(job.log)
    return job


def outputs_of(text: str) -> Outputs:
    """The file of outputs, read as the runner reads it: NAME=VALUE, or NAME<<END, lines, END."""
    outputs: Outputs = {}
    lines = iter(re.split(r"\r\n|\n|\r", text))
    for line in lines:
        name, mark, rest = line.partition("<<")
        if mark and "=" not in name:
            held: list[str] = []
            for each in lines:
                if each == rest:
                    break
                held.append(each)
            else:
                raise AssertionError(f"{name} has no end")
            outputs[name] = "\n".join(held)
        elif line:
            name, mark, value = line.partition("=")
            assert mark, f"no output: {line}"
            outputs[name] = value
    return outputs


def _run_script(
    step: Mapping[str, Any],
    workspace: Path,
    temporary: Path,
    files: Mapping[str, Path],
    variables: Mapping[str, str],
    job: Job,
) -> None:
    assert step["shell"] == "bash"
    script = temporary / "script.sh"
    script.write_text(step["run"], encoding="utf-8")
    for file in files.values():
        file.write_text("")
    ended = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        cwd=workspace,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(temporary),
            "LANG": "C.UTF-8",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_ACTION_PATH": str(ROOT),
            "RUNNER_TEMP": str(temporary),
            **{name: str(file) for name, file in files.items()},
            **variables,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT_S,
        check=False,
    )
    job.exit_code = ended.returncode
    job.log += ended.stdout.decode()
    job.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
    job.environment += files["GITHUB_ENV"].read_text(encoding="utf-8")
    job.path += files["GITHUB_PATH"].read_text(encoding="utf-8")


def _holds(condition: str, given: Mapping[str, str]) -> bool:
    found = _EMPTY.fullmatch(condition)
    assert found or condition == "success()", f"unknown condition: {condition}"
    return found is None or given[found[1]] == ""


def _value(text: object, given: Mapping[str, str], told: Mapping[str, Outputs]) -> str:
    """A text with its expressions evaluated, once."""

    def evaluated(expression: re.Match[str]) -> str:
        named = _INPUT.fullmatch(expression[1])
        if named:
            return given[named[1]]
        output = _OUTPUT.fullmatch(expression[1])
        assert output, f"unknown expression: {expression[1]}"
        return told.get(output[1], {}).get(output[2], "")

    return _EXPRESSION.sub(evaluated, str(text))


def _obeyed(log: str) -> list[Command]:
    obeyed: list[Command] = []
    stopped: str | None = None
    for line in log.split("\n"):
        command = command_of(line)
        if stopped is not None:
            stopped = None if command is not None and command.name == stopped else stopped
        elif command is not None and command.name == "stop-commands":
            stopped = command.message
        elif command is not None:
            obeyed.append(command)
    assert stopped is None, "commands stay stopped"
    return obeyed
