"""What the names of a scenario offer: which members a reference can follow in what a verb gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcp_tasks_conformance.catalog.model import Ref


@dataclass(frozen=True, slots=True)
class Offer:
    """A kind of value, and what of it is known before the run."""

    what: str
    """With its article, as messages call it."""
    members: Mapping[str, Offer] = field(default_factory=dict)
    items: Offer | None = None
    """What each item is, where it is a list."""
    open: bool = False
    """Whether there may be members that are not known here."""
    core: str | None = None
    """The member that holds what one is mostly after."""
    unwrapped: tuple[tuple[str, ...], ...] = ()
    """Paths that led to the value in the message it was taken from, and lead nowhere from the value itself."""
    given: bool = False
    """Whether it is all that a step gave, with the time and the message at which it came."""

    def take(self, step: str | int) -> Offer | None:
        """What a member or an item is; none where there can be none."""
        if isinstance(step, int) and self.items is not None:
            return self.items
        found = self.members.get(str(step))
        return found if found is not None or not self.open or self._misspelt(step) else ANY

    def _misspelt(self, step: str | int) -> str | None:
        return next((name for name in self.members if _letters(name) == _letters(str(step))), None)

    def meant(self, step: str | int) -> tuple[str | int, ...] | None:
        """The path that was probably meant by a step that leads nowhere."""
        from difflib import get_close_matches  # only bad input needs it

        near = self._misspelt(step) or next(iter(get_close_matches(str(step), self.members, n=1)), None)
        if near is not None:
            return (near,)
        if self.items is not None:
            return (0, step) if self.items.take(step) is not None else None
        if self.core is not None and self.members[self.core].take(step) is not None:
            return (self.core, step)
        return None


def _letters(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


ANY = Offer("anything", open=True)
"""What only the run can tell."""
PLAIN = Offer("a plain value")
REPLY = Offer("a reply", {"result": ANY, "error": ANY, "http": ANY, "id": PLAIN}, core="result", given=True)
NO_REPLY_TOO = Offer("a reply", {**REPLY.members, "nothing": PLAIN}, core="result", given=True)
TASK = Offer(
    "a task",
    dict.fromkeys(("taskId", "status", "statusMessage", "createdAt", "lastUpdatedAt", "ttl", "pollInterval"), PLAIN),
    open=True,
    unwrapped=(("task",), ("result", "task")),
    given=True,
)
EXCHANGE = Offer("an exchange", {"id": PLAIN, "method": PLAIN, "via": PLAIN}, given=True)
REQUEST = Offer("a request", {"method": PLAIN, "params": ANY, "id": PLAIN, "via": PLAIN}, core="params", given=True)
NOTIFICATION = Offer("a notification", {"method": PLAIN, "params": ANY, "via": PLAIN}, core="params", given=True)
ANSWER = Offer("an answer of ours", {"result": ANY, "error": ANY}, core="result", given=True)
HTTP_ANSWER = Offer("an HTTP answer", {"status": PLAIN, "type": PLAIN, "headers": ANY, "text": PLAIN}, given=True)
ENDED_SESSION = Offer("an HTTP answer", {"status": PLAIN}, given=True)
WALK = Offer(
    "a list that was walked",
    {
        "items": Offer("a list", items=ANY),
        "pages": Offer("a list", items=Offer("a reply", REPLY.members, core="result")),
        "ended": PLAIN,
    },
    core="items",
    given=True,
)
_MESSAGE = Offer("a message", {"method": PLAIN, "params": ANY, "id": PLAIN}, core="params")
GATHERED = Offer("what was gathered", {"messages": Offer("a list", items=_MESSAGE)}, core="messages", given=True)
MOMENT = Offer("a moment", given=True)
MEASURE = Offer("a measure of memory", {"mb": PLAIN}, given=True)


def list_of(item: Offer) -> Offer:
    """A list with such items."""
    return Offer("a list", items=item)


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """A step of a reference that can lead nowhere."""

    problem: str
    hint: str | None


def follow(offer: Offer, ref: Ref) -> Offer | DeadEnd:
    """What a reference leads to.

    Args:
        offer: what its name stands for.
        ref: the reference.
    """
    for path in offer.unwrapped:
        if ref.path[: len(path)] == path:
            problem = f"`${ref.name}` is {offer.what} and has no `{'.'.join(path)}`"
            return DeadEnd(problem, f"did you mean `{Ref(ref.name, ref.path[len(path) :], ref.place)}`?")
    for depth, step in enumerate(ref.path):
        reached = offer.take(step)
        if reached is None:
            walked = Ref(ref.name, ref.path[:depth], ref.place)
            lacking = f"item {step}" if isinstance(step, int) and not offer.members else f"`{step}`"
            return DeadEnd(f"`{walked}` is {offer.what} and has no {lacking}", _hint(offer, ref, depth))
        offer = reached
    return offer


def no_task(offer: Offer, ref: Ref) -> DeadEnd | None:
    """Why something cannot name a task: it neither holds a taskId nor could be one."""
    if offer is PLAIN or offer.take("taskId") is not None:
        return None
    hint = f"name what holds the taskId: `{ref}.result.task`, or `{ref}.result`" if "result" in offer.members else None
    return DeadEnd(f"`{ref}` is {offer.what}", hint)


def _hint(offer: Offer, ref: Ref, depth: int) -> str | None:
    meant = offer.meant(ref.path[depth])
    if meant is not None:
        return f"did you mean `{Ref(ref.name, (*ref.path[:depth], *meant, *ref.path[depth + 1 :]), ref.place)}`?"
    if offer.items is not None:
        return "its items are counted from 0"
    return "known: " + ", ".join(name for name in offer.members if name != "via") if offer.members else None
