"""A scenario's steps as a readable story."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_conformance.catalog.model import Matcher, Ref, Step, Template
from mcp_tasks_conformance.reports.page import Page


def write_step(page: Page, step: Step, lead: str) -> None:
    """A step on a page, with the steps within it; ``lead`` is its number, behind what it is indented by."""
    indent = " " * len(lead)
    words, nested = _told(step)
    page.hanging(lead, "  ".join(words))
    for expectation in step.expect:
        proves = f"  [{', '.join(expectation.proves)}]" if expectation.proves else "  [precondition]"
        page.hanging(indent, f"expect {phrase(expectation.that)}{proves}")
        if expectation.has_else_warn:
            page.hanging(f"{indent}  ", f"a lesser reading: {phrase(expectation.else_warn)}")
        if expectation.because:
            page.hanging(f"{indent}  ", f"because {expectation.because}")
    if step.proves and not step.expect:
        page.hanging(indent, f"judged as such  [{', '.join(step.proves)}]")
    for title, steps in nested:
        page.hanging(indent, f"{title}:")
        for number, inner in enumerate(steps, 1):
            write_step(page, inner, f"{indent}  {number}. ")


def _told(step: Step) -> tuple[list[str], list[tuple[str, tuple[Step, ...]]]]:
    """The step in words, and the steps within it by what they are."""
    subject = step.subject
    words = [step.verb.replace("_", " ")]
    nested: list[tuple[str, tuple[Step, ...]]] = []
    if isinstance(subject, tuple) and subject and all(isinstance(item, tuple) for item in subject):
        nested += [(f"branch {n}", branch) for n, branch in enumerate(subject, 1) if isinstance(branch, tuple)]  # type: ignore[misc]
    elif subject is not None:
        words.append(phrase(subject))  # type: ignore[arg-type]
    for key, value in step.keys.items():
        if key == "steps":
            nested.append(("each time", value))  # type: ignore[arg-type]
        else:
            words.append(f"{key.replace('_', ' ')} {phrase(value)}")  # type: ignore[arg-type]
    if step.via != "main":
        words.append(f"on {step.via}")
    if step.gives:
        words.append(f"-> ${step.gives}")
    return words, nested


def phrase(value: Template) -> str:
    """A template as the file has it, in one line."""
    if isinstance(value, Ref):
        return str(value)
    if isinstance(value, Matcher):
        return f"{value.name.removeprefix('$').replace('_', ' ')} {phrase(value.argument)}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {phrase(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return "[" + ", ".join(phrase(item) for item in value) + "]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
