"""Golden files: what is written is compared with what was approved; UPDATE_GOLDEN=1 approves what is written now."""

from __future__ import annotations

import os
from pathlib import Path


def approved(path: Path, text: str) -> str:
    """The approved text in that file."""
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")
