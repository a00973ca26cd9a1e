"""Where the library is: the scenarios and schemas that come with the product."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def root() -> Path:
    """The folder that holds ``scenarios`` and ``schemas``.

    A wheel carries them inside the package; a checkout, also when installed in editable mode, has them at its top.
    """
    package = Path(__file__).resolve().parent.parent
    packaged = package / "_library"
    return packaged if packaged.is_dir() else package.parent.parent
