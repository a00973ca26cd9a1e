"""Pieces of Markdown that hold any text safely: nothing in it becomes markup, whoever wrote it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import quote

from mcp_tasks_conformance.reports.text import visible

_MARKUP: Final = re.compile(r"[\\`*_\[\]<>&|~@#$]|:(?=//|[\w+-]+:)|(?<=www)\.", re.IGNORECASE)
"""What Markdown, HTML in it, or a service that shows it (mentions, issue numbers, addresses, formulas) would take for
more than text."""
_QUOTED: Final = re.compile(r"`([^`]+)`")
_ADDRESS: Final = re.compile(r"https?://\S+")
_KEPT_IN_ADDRESSES: Final = "/:?#@!$&'*+,;=%-._~"


def inline(text: str) -> str:
    """Text within a line or a cell; what stands between backticks becomes code."""
    shown = visible(text)
    parts: list[str] = []
    at = 0
    for quoted in _QUOTED.finditer(shown):
        parts += [_escaped(shown[at : quoted.start()]), f"<code>{_escaped(quoted[1])}</code>"]
        at = quoted.end()
    return "".join([*parts, _escaped(shown[at:])])


def code(text: str) -> str:
    """Text as code within a line or a cell."""
    return f"<code>{_escaped(visible(text))}</code>" if text else ""


def link(text: str, address: str | None, *, plain: bool = False) -> str:
    """Text as code, or plain, with a link to an address where there is one that leads to the web."""
    shown = inline(text) if plain else code(text)
    if address is None or not _ADDRESS.fullmatch(address):
        return shown
    return f"[{shown}]({quote(visible(address), safe=_KEPT_IN_ADDRESSES)})"


def block(lines: Iterable[str]) -> str:
    """Visible lines as they stand."""
    return "<pre>\n" + html.escape("\n".join(lines).rstrip()) + "\n</pre>\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def details(summary: str, content: Iterable[str]) -> str:
    """Content behind a line that unfolds it."""
    inner = "\n".join(content)
    return f"<details><summary>{html.escape(visible(summary))}</summary>\n\n{inner}\n</details>\n"


def _escaped(text: str) -> str:
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", text)
