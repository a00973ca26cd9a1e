"""docs/verdicts.md explains every word that a run says."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.library import root
from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.verdicts.model import EXIT_CODES, CertificateLevel, RunVerdict, Verdict

TEXT = (Path(__file__).parent.parent.parent / "docs" / "verdicts.md").read_text(encoding="utf-8")


def rows(heading: str) -> dict[str, str]:
    """The rows of the table under a heading, by their first cell."""
    part = TEXT.partition(f" {heading}\n")[2].partition("\n#")[0]
    cells = [line.strip("| ").split(" | ", 1) for line in part.splitlines() if line.startswith("| ")]
    return {row[0]: row[1] for row in cells[1:]}


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("How a scenario ends", ScenarioOutcome),
        ("What is said of a requirement", Verdict),
        ("The verdict on the target", RunVerdict),
        ("Levels", CertificateLevel),
    ],
)
def test_every_word_of_a_report_has_its_row(heading: str, words: type[StrEnum]) -> None:
    assert rows(heading).keys() == {str(word) for word in words}


def test_the_exit_codes_are_those_of_the_verdicts() -> None:
    told = {name: int(row.rpartition(" | ")[2]) for name, row in rows("The verdict on the target").items()}
    assert told == {str(verdict): code for verdict, code in EXIT_CODES.items()}


def test_every_key_of_the_results_has_its_row() -> None:
    schema = json.loads((root() / "schemas" / "files" / "results.schema.json").read_text())
    told = [key for cell in rows("results.json") for key in re.findall(r"`(\w+)`", cell)]
    assert told == [key for key in schema["required"] if key in told]
    assert set(told) == set(schema["properties"])
