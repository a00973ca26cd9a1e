"""A page of plain lines with a style for each part; whoever prints it adds colour or leaves it out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from mcp_tasks_conformance import shell_words
from mcp_tasks_conformance.reports.text import visible, width_of, wrapped

LABEL_WIDTH: Final = 10


@dataclass(frozen=True, slots=True)
class Span:
    """Text of one style; the style is a name that rich knows, or none."""

    text: str
    style: str = ""


class Page:
    """Lines as they are added. Whatever comes in is made visible and fitted to the width, unless said otherwise."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[tuple[Span, ...]] = []

    def blank(self) -> None:
        """An empty line, never two."""
        if self.lines and self.lines[-1]:
            self.lines.append(())

    def heading(self, title: str, number: int, style: str) -> None:
        """The beginning of a part, with how much it holds."""
        self.blank()
        self.lines.append((Span(f"{title} ({number})", f"bold {style}".strip()),))

    def line(self, *spans: Span) -> None:
        """One line as it is, visible already."""
        self.lines.append(spans)

    def text(self, text: str, indent: int = 0, style: str = "") -> None:
        """Text, wrapped."""
        for line in wrapped(visible(text), self.width - indent):
            self.lines.append((Span(" " * indent), Span(line, style)) if indent else (Span(line, style),))

    def unbroken(self, text: str, indent: int = 0, style: str = "") -> None:
        """Text that must stay in one piece although it may be wider than the page: a link."""
        self.lines.append((Span(" " * indent), Span(visible(text), style)))

    def field(self, label: str, text: str, indent: int, style: str = "") -> None:
        """A label of the common width and its text."""
        self.hanging(f"{label:<{LABEL_WIDTH}}", text, indent, style)

    def hanging(self, label: str, text: str, indent: int = 0, style: str = "") -> None:
        """A label and its text, which goes on beneath itself."""
        beside = indent + len(label)
        first, *rest = wrapped(visible(text), self.width - beside) or [""]
        self.lines.append((Span(" " * indent), Span(label, "dim"), Span(first, style)))
        self.lines.extend((Span(" " * beside), Span(line, style)) for line in rest)

    def command(self, command: str, indent: int) -> None:
        """A shell command that can be copied, broken as the shell allows."""
        line, depth = "", indent
        for unit in _units(command, self.width - indent - 4):
            # Two columns stay free for the space and backslash that end a broken line.
            if line and depth + width_of(line) + 1 + width_of(unit) > self.width - 2:
                self.lines.append((Span(" " * depth), Span(f"{line} \\")))
                line, depth = unit, indent + 2
            else:
                line = f"{line} {unit}".lstrip()
        self.lines.append((Span(" " * depth), Span(line)))

    def quoted(self, lines: Iterable[str], indent: int) -> None:
        """Lines of another program, each in its place behind a bar."""
        for line in lines:
            for part in wrapped(visible(line), self.width - indent - 2) or [""]:
                self.lines.append((Span(" " * indent), Span("| ", "dim"), Span(part)))

    def plain(self) -> str:
        """The page without styles."""
        return "".join("".join(span.text for span in line).rstrip() + "\n" for line in self.lines)


def _units(command: str, width: int) -> list[str]:
    """The words of a command, an option and its value together where both fit on one line."""
    units: list[str] = []
    for word in shell_words.words_of(command):
        quoted = visible(word)
        is_value = bool(units) and units[-1].startswith("-") and " " not in units[-1] and not word.startswith("-")
        if is_value and width_of(units[-1]) + 1 + width_of(quoted) <= width:
            units[-1] = f"{units[-1]} {quoted}"
        else:
            units.append(quoted)
    return units
