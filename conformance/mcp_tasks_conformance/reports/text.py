"""Text from a target, made fit to be shown: nothing a terminal would obey, nothing without end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that a terminal obeys or a reader cannot see: controls, formats such as those that turn the
direction of writing, lone surrogates, unassigned characters, line separators."""
_STACKED: Final = 2
"""Marks on one character; more would climb over other lines."""
ELLIPSIS: Final = "..."


def visible(text: str) -> str:
    """The text in one line, with everything escaped that would not show as itself."""
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if category in _HIDDEN or marks > _STACKED:
            shown.append(_escaped(character))
        else:
            shown.append(" " if category == "Zs" else character)
    return "".join(shown)


def _escaped(character: str) -> str:
    code = ord(character)
    if character in _NAMED:
        return _NAMED[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def brief(text: str, longest: int) -> str:
    """The text visible and no longer than that many characters, its whole length said where it is cut."""
    shown = visible(text[: longest + 1])
    if len(shown) <= longest:
        return shown
    said = f"{ELLIPSIS} ({len(text):,} characters)"
    return shown[: max(longest - len(said), 0)] + said


def width_of(text: str) -> int:
    """How many columns of a terminal visible text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(text: str, width: int) -> list[str]:
    """Visible text in lines of at most that many columns, broken at spaces, else at commas, slashes, brackets, else
    anywhere.
    """
    lines: list[str] = []
    line = ""
    for piece in _pieces(text, width):
        if line and width_of(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece
    return [*lines, line.rstrip()] if line.strip() else lines


def _pieces(text: str, width: int) -> Iterator[str]:
    for word in re.findall(r"\s*\S+\s*", text):
        if width_of(word.rstrip()) <= width:
            yield word
            continue
        for part in re.findall(r"\[?[^,/\[]*[,/]|\[?[^,/\[]+|\[", word):
            if width_of(part.rstrip()) <= width:
                yield part
            else:
                yield from part  # character by character
