"""A results file that was changed after its run is no result, however green it looks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_conformance.verdicts.results import IncoherentResultsError, read_results, write_results
from tests.verdicts.test_results_file import sample, written

Document = dict[str, Any]
RULE = "v1.cancel.terminal-rejected"


def row(document: Document, id_: str = RULE) -> Document:
    return next(row for row in document["requirements"] if row["id"] == id_)


def judged(document: Document) -> Document:
    return next(check for check in document["checks"] if check["requirement"] == RULE)


def green_verdict(document: Document) -> None:
    document.update(verdict="conformant", reason="no violation found", exit_code=0, level="core")


def no_exit_code(document: Document) -> None:
    document["exit_code"] = 0


def other_level(document: Document) -> None:
    document["level"] = "full"


def other_counts(document: Document) -> None:
    document["counts"]["must"].update(violated=0, proven=2)


def other_summary(document: Document) -> None:
    document["summary"] = document["summary"].replace("1 violated", "0 violated")


def satisfied_row(document: Document) -> None:
    row(document)["verdict"] = "satisfied"


def uncounted_row(document: Document) -> None:
    row(document)["counted"] = False


def passed_check(document: Document) -> None:
    judged(document).update(outcome="pass")
    judged(document).pop("fails")


def harmless_check(document: Document) -> None:
    judged(document).pop("fails")


def passed_scenario(document: Document) -> None:
    next(one for one in document["scenarios"] if one["outcome"] == "failed")["outcome"] = "passed"


def lost_requirement(document: Document) -> None:
    document["requirements"].remove(row(document))


def lost_scenario(document: Document) -> None:
    document["scenarios"].pop(0)


def unfinished(document: Document) -> None:
    document["complete"] = False


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (green_verdict, "the verdict is said to be conformant, and by the requirements and scenarios it is violations"),
        (no_exit_code, "the exit code is said to be 0, and for violations it is 1"),
        (other_level, "the level is said to be full, and by the requirements it is none"),
        (other_counts, "the counts are said to be '2 of 4 applicable MUSTs proven, 0 violated"),
        (other_summary, "the summary is said to be '1 of 4 applicable MUSTs proven, 0 violated"),
        (satisfied_row, f"{RULE} is said to be satisfied, and by its checks and proofs it is violated"),
        (uncounted_row, f"{RULE} is a MUST, and is said not to count"),
        (passed_check, f"{RULE} is said to be violated, and by its checks and proofs it is "),
        (harmless_check, f"a failed check of {RULE} is said not to make the run fail"),
        (passed_scenario, "v1/receiver/suite/refuses is said to have passed, and a check of it failed"),
        (lost_requirement, f"a check is of {RULE}, which is not among the requirements"),
        (lost_scenario, "a check is of v1/receiver/suite/refuses, which is not among the scenarios"),
        (unfinished, "the run is said to be incomplete, and ended_early says otherwise"),
    ],
)
def test_what_does_not_follow_from_the_entries_is_told(
    tmp_path: Path, change: Callable[[Document], None], words: str
) -> None:
    with pytest.raises(IncoherentResultsError) as caught:
        read_results(written(tmp_path, change))
    assert f"results.json: does not agree with itself: {words}" in str(caught.value)
    assert str(caught.value).endswith("; it was changed after the run, so run again")


def test_what_a_run_wrote_is_read_as_it_was(tmp_path: Path) -> None:
    write_results(tmp_path / "results.json", sample())
    assert read_results(tmp_path / "results.json") == sample()
    assert json.loads((tmp_path / "results.json").read_bytes())["verdict"] == "violations"
