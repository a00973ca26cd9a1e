"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, replacing one that is there; a reader never sees half of it.

    Raises:
        OSError: the file system does not take it; what was there before stays.
    """
    if path.exists() and not path.is_file():  # a pipe or device, which nothing can replace
        path.write_bytes(data)
    else:
        _replace(path, data)


def _replace(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """The process's mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
