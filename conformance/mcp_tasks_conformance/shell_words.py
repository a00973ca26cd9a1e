"""Words as a shell takes them, quoted so that people can read them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Final

_PLAIN: Final = re.compile(r"[\w@%+=:./-]*\{[a-z]+\}[\w@%+=:./-]*", re.ASCII)
"""What stands for a value and is no set of alternatives to any shell: ``{port}``."""
_SAFE_IN_DOUBLE: Final = re.compile(r"[^$`\"\\!]*")

_SECRET_OPTIONS: Final = frozenset({"--header", "--identity", "--env"})
_FROM_VARIABLE: Final = re.compile(r"(?P<before>.*)(?P<variable>\$[A-Za-z_]\w*)", re.ASCII | re.DOTALL)
_WORD: Final = re.compile(r"""(?:[^\s'"\\]|'[^']*'|"(?:[^"\\]|\\.)*"|\\.)+""", re.DOTALL)


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


def variable(name: str) -> str:
    """The variable of the environment that stands for the value which something of that name has."""
    letters = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"$_{letters}" if not letters or letters[0].isdigit() else f"${letters}"


def command_with_variables(words: Iterable[str]) -> str:
    """The words of a command of ours in one line, in which a shell puts in the values that are secret."""
    return " ".join(_with_variables(words))


def _with_variables(words: Iterable[str]) -> Iterator[str]:
    option = ""
    for word in words:
        found = _FROM_VARIABLE.fullmatch(word) if option in _SECRET_OPTIONS else None
        option = word
        if found is None:
            yield quoted(word)
        elif quoted(found["before"]) == found["before"]:
            yield f'{found["before"]}"{found["variable"]}"'
        elif _SAFE_IN_DOUBLE.fullmatch(found["before"]):
            yield f'"{word}"'
        else:
            yield f'{shlex.quote(found["before"])}"{found["variable"]}"'


def words_of(command: str) -> list[str]:
    """The words of such a line as they stand in it, quotes and all."""
    return _WORD.findall(command)
