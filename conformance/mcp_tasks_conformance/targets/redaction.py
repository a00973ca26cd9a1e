"""Secrets masked by their value, wherever a target or our own words repeat them."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import quote, quote_plus

from mcp_tasks_conformance.events import (
    Check,
    Event,
    JsonValue,
    Listener,
    RunFinished,
    RunStarted,
    ScenarioFinished,
    Seen,
    TargetFailed,
)
from mcp_tasks_conformance.targets.masking import MASK

_CERTAIN: Final = 8
"""Characters from which on a value is masked wherever it stands, in pieces of that length too."""
_SHORTEST: Final = 4
"""Shorter values cannot be told from other text."""
_CUT: Final = ("…", "...")
"""How a text goes on that was cut."""
_NEEDLESS: Final = re.compile(r"\\u00(?!22|5[cC]|7[fF])([2-7][0-9a-fA-F])")
"""Escapes of JSON for characters that need none: another spelling of the same text."""
_OURS: Final = frozenset({"kind", "transport"})
"""Facts of a target that we say ourselves, and that others rely on."""


class Redactor:
    """Replaces secrets in text, and in those parts of events that can hold what a target said."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Take the values that nobody may read.

        Values of four to seven characters are masked where they stand as words of their own, unless they consist of
        letters or of digits alone; shorter ones, and numbers under eight digits, are no secrets.
        """
        forms = {form for secret in secrets for form in _forms(secret.strip())}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._certain = [form for form in longest_first if len(form) >= _CERTAIN]
        words = [re.escape(form) for form in longest_first if _SHORTEST <= len(form) < _CERTAIN and not _is_plain(form)]
        self._words = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)") if words else None

    def __bool__(self) -> bool:
        """Whether there is anything to mask."""
        return bool(self._certain) or self._words is not None

    def text(self, text: str) -> str:
        """The text with every secret masked, those too that were cut off at one of its ends or before an ellipsis."""
        if "\\u00" in text and self._stands_in(plain := _NEEDLESS.sub(lambda found: chr(int(found[1], 16)), text)):
            text = plain
        for secret in self._certain:
            if secret in text:
                text = text.replace(secret, MASK)
        for secret in self._certain:
            if secret[:_CERTAIN] in text:
                text = _without_beginnings(text, secret)
            if len(text) >= _CERTAIN and text[:_CERTAIN] in secret:
                text = _without_end(text, secret)
        return self._words.sub(MASK, text) if self._words is not None else text

    def _stands_in(self, text: str) -> bool:
        found = any(secret in text for secret in self._certain)
        return found or (self._words is not None and self._words.search(text) is not None)

    def value(self, value: JsonValue) -> JsonValue:
        """The same for all texts in a value."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return self.members(value)
        if isinstance(value, Sequence):
            return [self.value(item) for item in value]
        return value

    def members(self, value: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """The same for an object, names included."""
        return {self.text(name): self.value(item) for name, item in value.items()}

    def event(self, event: Event) -> Event:
        """An event without secrets; ids, keys and outcomes stay as they are."""
        match event:
            case RunStarted():
                return replace(event, target=self._target(event.target), options=self.members(event.options))
            case ScenarioFinished():
                checks = tuple(map(self._check, event.checks))
                transcript = tuple(map(self._seen, event.transcript))
                return replace(event, reason=self._optional(event.reason), checks=checks, transcript=transcript)
            case RunFinished():
                reason, stderr_tail = self._optional(event.reason), self._optional(event.stderr_tail)
                return replace(event, reason=reason, stderr_tail=stderr_tail, notes=tuple(map(self.text, event.notes)))
            case TargetFailed():
                return replace(
                    event,
                    problem=self.text(event.problem),
                    hint=self._optional(event.hint),
                    stderr_tail=self._optional(event.stderr_tail),
                    target=self._target(event.target),
                    options=self.members(event.options),
                )
            case _:
                return event

    def before(self, listener: Listener) -> Listener:
        """A listener that hands events on without secrets."""
        return (lambda event: listener(self.event(event))) if self else listener

    def _target(self, facts: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        return {**self.members(facts), **{name: facts[name] for name in _OURS if name in facts}}

    def _check(self, check: Check) -> Check:
        return replace(check, expected=self.text(check.expected), observed=self.text(check.observed))

    def _seen(self, seen: Seen) -> Seen:
        return replace(seen, text=self.text(seen.text), detail=self.members(seen.detail))

    def _optional(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)


def _forms(secret: str) -> Iterator[str]:
    """A secret as it is, and as JSON, a program's quotation, an address or a page would have it."""
    if secret.strip("*"):
        yield secret
        yield json.dumps(secret)[1:-1]
        yield json.dumps(secret, ensure_ascii=False)[1:-1]
        yield repr(secret)[1:-1]
        yield quote(secret)
        yield quote(secret, safe="")
        yield quote_plus(secret)
        yield html.escape(secret)


def _is_plain(word: str) -> bool:
    return word.isalpha() or word.isdecimal()


def _without_beginnings(text: str, secret: str) -> str:
    """The text with beginnings of the secret masked after which it was cut."""
    at = text.find(secret[:_CERTAIN])
    while at >= 0:
        end = at + _common(text, at, secret)
        if end == len(text) or text.startswith(_CUT, end):
            text = text[:at] + MASK + text[end:]
            end = at + len(MASK)
        at = text.find(secret[:_CERTAIN], end)
    return text


def _common(text: str, at: int, secret: str) -> int:
    """How many characters of the secret stand in the text from there on."""
    length = _CERTAIN
    while length < len(secret) and text[at + length : at + length + 1] == secret[length]:
        length += 1
    return length


def _without_end(text: str, secret: str) -> str:
    """The text with an end of the secret masked before which it was cut."""
    for length in range(len(secret) - 1, _CERTAIN - 1, -1):
        if text.startswith(secret[-length:]):
            return MASK + text[length:]
    return text
