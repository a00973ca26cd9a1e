"""The report on the terminal: a line of progress while the run lasts, what it came to at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.events import (
    Event,
    RunFinished,
    RunStarted,
    ScenarioFinished,
    ScenarioOutcome,
    ScenarioStarted,
    TargetFailed,
)
from mcp_tasks_conformance.reports.digest import Reproduce
from mcp_tasks_conformance.reports.ending import ending_of
from mcp_tasks_conformance.reports.page import Page, Span
from mcp_tasks_conformance.reports.profile import notes, write_notes
from mcp_tasks_conformance.reports.progress import Progress
from mcp_tasks_conformance.reports.summary import write_plan, write_target
from mcp_tasks_conformance.reports.text import visible
from mcp_tasks_conformance.verdicts.model import RunResult

if TYPE_CHECKING:
    from rich.console import Console

_WIDEST: Final = 80
_NARROWEST: Final = 40
_LONGEST_OUTCOME: Final = len(max(ScenarioOutcome, key=len))
_STYLES: Final = {
    ScenarioOutcome.PASSED: "green",
    ScenarioOutcome.WARNED: "yellow",
    ScenarioOutcome.FAILED: "red",
    ScenarioOutcome.INCONCLUSIVE: "yellow",
    ScenarioOutcome.WAIVED: "cyan",
    ScenarioOutcome.CRASHED: "red",
    ScenarioOutcome.HUNG: "red",
    ScenarioOutcome.HARNESS_ERROR: "magenta",
}
_UNREMARKABLE: Final = (ScenarioOutcome.PASSED, ScenarioOutcome.WARNED, ScenarioOutcome.NOT_APPLICABLE)
"""Outcomes that get no line while scenarios run: one warning of a watcher comes with nearly every scenario."""


class ConsoleReport:
    """A listener that tells people what happens; in a pipe it tells only what stays true.

    Call ``finish`` with the result once the run is over, however it ended.
    """

    def __init__(
        self,
        stream: TextIO,
        *,
        reproduce: Reproduce | None = None,
        outcome: Callable[[ScenarioFinished], ScenarioOutcome] | None = None,
        verbose: bool = False,
        console: Console | None = None,
    ) -> None:
        """Take the stream to write to.

        Args:
            stream: standard output, a pipe, a file.
            reproduce: gives the shell command that runs a scenario, named by its key, again.
            outcome: how a scenario that has ended will stand in the result; as the event says where absent.
            verbose: a line for each scenario, and long lists whole.
            console: the rich console to write through, instead of one for the stream.
        """
        if console is None:
            from rich.console import Console

            console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
        self._console = console
        self._width = max(_NARROWEST, min(_WIDEST, console.width if console.is_terminal else _WIDEST))
        self._reproduce = reproduce
        self._outcome = outcome or (lambda event: event.outcome)
        self._verbose = verbose
        self._progress: Progress | None = None
        self._apart: frozenset[str] = frozenset()
        self._header_told = False
        self._notes_told: Sequence[str] = ()
        self._line_told = False

    def __call__(self, event: Event) -> None:
        """Tell of one event."""
        match event:
            case RunStarted():
                self._start(event)
            case ScenarioStarted() if self._progress is not None:
                self._progress.began(event.key)
            case ScenarioFinished():
                self._tell(event)
            case RunFinished() | TargetFailed() if self._progress is not None:
                self._progress.clear()
            case _:
                pass

    def finish(self, result: RunResult, *, unwritten: int = 0) -> None:
        """Tell what the run came to, and that so many files could not be written: then the exit code says that."""
        if self._progress is not None:
            self._progress.clear()
        if not self._header_told:
            header = Page(self._width)
            write_target(header, result.target)
            self._notes_told = notes(result.target)
            self._print(header)
        late = Page(self._width)
        write_notes(late, [note for note in notes(result.target) if note not in self._notes_told])
        ending = ending_of(result, self._width, self._reproduce, verbose=self._verbose)
        if unwritten:
            number = counted(unwritten, "file")
            ending.text(f"But {number} could not be written, which makes the exit code 2.", style="bold red")
        self._print(late)
        self._console.line()
        self._print(ending)

    def _start(self, event: RunStarted) -> None:
        header = Page(self._width)
        write_target(header, event.target)
        write_plan(header, event.generations, event.planned)
        self._print(header)
        self._header_told = True
        self._notes_told = notes(event.target)
        self._apart = frozenset(plan.key for plan in event.planned if plan.skip is not None)
        if self._console.is_terminal and not self._console.is_dumb_terminal and self._console.file.isatty():
            self._progress = Progress(self._console, len(event.planned))

    def _tell(self, event: ScenarioFinished) -> None:
        outcome = self._outcome(event)
        live = self._progress is not None
        worth_a_line = outcome not in _UNREMARKABLE
        if event.key not in self._apart and (self._verbose or (live and worth_a_line)):
            self._tell_line(event, outcome)
        if self._progress is not None:
            self._progress.ended(event.key, outcome)

    def _tell_line(self, event: ScenarioFinished, outcome: ScenarioOutcome) -> None:
        if self._progress is not None:
            self._progress.clear()
        page = Page(self._width)
        if not self._line_told:
            page.line()
            self._line_told = True
        label = Span(f"{outcome:<{_LONGEST_OUTCOME}}", _STYLES.get(outcome, ""))
        page.line(label, Span(f"  {visible(event.key)}"))
        self._print(page)

    def _print(self, page: Page) -> None:
        from rich.text import Text

        for line in page.lines:
            text = Text.assemble(*((self._encodable(span.text), span.style) for span in line))
            text.rstrip()
            self._console.print(text, soft_wrap=True)

    def _encodable(self, text: str) -> str:
        """The text with what the stream's encoding cannot hold escaped."""
        encoding = self._console.encoding
        return text.encode(encoding, errors="backslashreplace").decode(encoding)
