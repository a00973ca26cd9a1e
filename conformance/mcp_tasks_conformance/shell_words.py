"""Words as a shell takes them, quoted so that people can read them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Final

_PLAIN: Final = re.compile(r"[\w@%+=:./-]*\{[a-z]+\}[\w@%+=:./-]*", re.ASCII)
"""What stands for a value and is no set of alternatives to any shell: ``{port}``."""
_SAFE_IN_DOUBLE: Final = re.compile(r"[^$`\"\\!]*")


def quoted(word: str) -> str:
    """One word, quoted where it has to be; in double quotes where it has single ones and nothing special to those."""
    if _PLAIN.fullmatch(word):
        return word
    if "'" in word and _SAFE_IN_DOUBLE.fullmatch(word):
        return f'"{word}"'
    return shlex.quote(word)


def command_line(words: Iterable[str]) -> str:
    """The words of a command in one line."""
    return " ".join(quoted(word) for word in words)
