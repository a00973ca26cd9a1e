"""Files that somebody names, read whole: only regular ones, and none that is too large to be what it should be."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Final

MEGABYTE: Final = 1_000_000
LARGEST: Final = 16 * MEGABYTE
"""Bytes of a file that people write; of others whoever reads them says how large they may be."""


def contents(path: Path, largest: int = LARGEST) -> bytes:
    """The bytes of a file.

    Args:
        path: the file.
        largest: how many bytes it may have.

    Raises:
        OSError: it cannot be read, is no regular file (a device, a pipe) or is too large; ``strerror`` says which.
    """
    kind = path.stat().st_mode  # asked before it is opened: to open a pipe waits for who writes to it
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(kind):
        raise OSError(errno.EINVAL, "it is no regular file")
    with path.open("rb") as file:
        read = file.read(largest + 1)
    if len(read) > largest:
        raise OSError(errno.EFBIG, f"it is larger than {largest // MEGABYTE} MB")
    return read
