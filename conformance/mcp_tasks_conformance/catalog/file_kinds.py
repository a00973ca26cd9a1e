"""What a YAML file of the user's is, told by its first keys."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from typing import Final

from mcp_tasks_conformance.catalog.bounded_files import contents
from mcp_tasks_conformance.catalog.manifests import FILE as MANIFEST_FILE

_HEAD_LINES: Final = 200
"""So far into a file its first keys are looked for, behind comments."""
_KEY = re.compile(r"""["']?([A-Za-z][\w.-]*)["']?\s*:(?:\s|$)""")


class FileKind(Enum):
    """What files can be checked."""

    SUITE = "suite"
    PROFILE = "profile"
    BASELINE = "baseline"
    MANIFEST = "manifest"


def kind_of_file(file: Path) -> FileKind:
    """What a file says of itself that it is; a suite where it says nothing that can be understood.

    A baseline has the ids of requirements for keys, or nothing but comments.
    """
    try:
        head = contents(file).decode("utf-8", errors="replace").splitlines()[:_HEAD_LINES]
    except OSError:
        return FileKind.SUITE  # whoever reads it says what is wrong
    keys = [key[1] for line in head if (key := _KEY.match(line))]
    if file.name == MANIFEST_FILE:
        return FileKind.MANIFEST
    if "profile" in keys:
        return FileKind.PROFILE
    if keys and all("." in key for key in keys):
        return FileKind.BASELINE
    lines = [line for line in head if line.strip()]
    return FileKind.BASELINE if lines and all(line.startswith("#") for line in lines) else FileKind.SUITE
