"""The tables of broken files under data/broken."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

_FOLDER = Path(__file__).parent / "data" / "broken"


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that is wrong, what is said of it, and whether the schema for editors notices it too."""

    file: str
    says: list[str]
    editor: bool


def cases(table: str) -> pytest.MarkDecorator:
    """Run a test with every case of a table."""
    rows = yaml.safe_load((_FOLDER / f"{table}.yaml").read_text(encoding="utf-8"))
    read = [Broken(row["file"], row["says"], row.get("editor", False)) for row in rows]
    return pytest.mark.parametrize("broken", read, ids=[row["case"] for row in rows])
