"""Nothing of one requestor's tasks is seen by another: what lists show, and where messages of a task go.

Binding is a duty only with authorization, so it is judged between two credentials; what a list shows of another session
without credentials, and what a session hears of the task of another, is a matter of quality, and judged between the
sessions of one scenario. Nothing is held against a target that keeps no sessions. That messages may come on any stream
is said of the streams of one session.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from mcp_tasks_conformance.monitors.entry import Entry
from mcp_tasks_conformance.monitors.findings import failed, passed
from mcp_tasks_conformance.monitors.memory import Memory
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Made, Record
from mcp_tasks_conformance.monitors.relation import relation
from mcp_tasks_conformance.monitors.sighting import STATUS_NOTIFICATION, Place
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind

LIST: Final = "v1.isolation.list"
ONLY_OWNER: Final = "v1.notify.only-owner"
SESSIONS: Final = "quality.session-isolation"

_LIST = "a list of the caller's own tasks only"
_SESSION = "messages of a task only to the session that made it, or to others of its credential"
_OWNER = "messages of a task only to the requestor that owns it"


@dataclass(frozen=True, slots=True)
class _Viewer:
    """Who saw a task before it was known whose it is."""

    identity: str | None
    session: str
    attempt: int
    in_session: bool
    """Whether the target can tell its session from others."""
    what: str


@dataclass(slots=True)
class _Audience:
    """What an attempt saw of messages of tasks and of who could have had them."""

    heard_by_owner: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By identity: index and ordinal of the first message of a task of its own."""
    latest: dict[str, int] = field(default_factory=dict)
    """By identity: the ordinal of the last message it got at all."""
    leaked: bool = False


class IsolationJudge:
    """Knows whose each task is from the answer that made it."""

    name = "isolation"
    proves: tuple[str, ...] = (LIST, ONLY_OWNER, SESSIONS)

    def __init__(self, record: Record) -> None:
        self._record = record
        self._unowned: Memory[str, list[_Viewer]] = Memory(20_000)
        """Tasks seen before the answer that made them came."""
        self._audiences: dict[int, _Audience] = defaultdict(_Audience)
        self._made: dict[int, dict[str, Made]] = defaultdict(dict)
        """The tasks made in each attempt by requestors with a credential."""

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        frame = entry.incoming
        if frame is None:
            return
        for sighting in entry.sightings:
            if sighting.place is Place.CREATE:
                yield from self._judge_before(entry, sighting.task_id)
        if entry.asked is not None and entry.asked.frame.method == "tasks/list":
            yield from self._judge_list(entry, frame)
        yield from self._judge_message(entry, frame)
        if entry.observation.identity is not None:
            self._audiences[entry.attempt].latest[entry.observation.identity] = entry.ordinal

    def settle(self, attempt: int) -> Iterator[Finding]:
        """The owner heard of its task, another was connected before and after, and heard nothing of it."""
        self._made.pop(attempt, None)
        audience = self._audiences.pop(attempt, _Audience())
        for identity, (index, ordinal) in audience.heard_by_owner.items():
            others = [latest for other, latest in audience.latest.items() if other != identity]
            if not audience.leaked and any(latest > ordinal for latest in others):
                yield passed(ONLY_OWNER, _OWNER, index)
                return

    def _judge_list(self, entry: Entry, frame: Frame) -> Iterator[Finding]:
        for sighting in entry.sightings:
            made = self._record.tasks.get(sighting.task_id)
            if made is None:
                self._see_unowned(entry, sighting.task_id, "tasks/list")
            else:
                yield from _judge_viewer(made, _viewer(entry, "tasks/list"), entry.index)
        if self._shows_all(entry, frame):
            yield passed(LIST, _LIST, entry.index)

    def _shows_all(self, entry: Entry, frame: Frame) -> bool:
        """Whether this is a whole list of own tasks, beside which there was one of another credential, and shows none.

        A list that holds nothing at all shows nothing: it may be empty for everybody.
        """
        identity, asked, result = entry.observation.identity, entry.asked, frame.result
        if identity is None or asked is None or not isinstance(result, Mapping):
            return False
        if result.get("nextCursor") is not None or asked.frame.params.get("cursor") is not None:
            return False
        owners = [self._record.tasks.get(sighting.task_id) for sighting in entry.sightings]
        foreign = any(made is not None and made.identity != identity for made in owners)
        own = any(made is not None and made.identity == identity for made in owners)
        others = self._made[entry.attempt].values()
        hidden = any(made.identity != identity and made.ordinal < asked.ordinal for made in others)
        return own and not foreign and hidden

    def _judge_message(self, entry: Entry, frame: Frame) -> Iterator[Finding]:
        """A message that the target sends of its own accord and that names a task."""
        if frame.kind is FrameKind.RESPONSE:
            return
        named = frame.params.get("taskId") if frame.method == STATUS_NOTIFICATION else relation(frame.params).task_id
        identity = entry.observation.identity
        if not isinstance(named, str):
            return
        made = self._record.tasks.get(named)
        if made is None:
            self._see_unowned(entry, named, frame.method or "a message")
        elif made.identity == identity is not None:
            self._audiences[entry.attempt].heard_by_owner.setdefault(identity, (entry.index, entry.ordinal))
        else:
            self._audiences[entry.attempt].leaked |= None not in (made.identity, identity)
            yield from _judge_viewer(made, _viewer(entry, frame.method or "a message"), entry.index)

    def _see_unowned(self, entry: Entry, task_id: str, what: str) -> None:
        viewers = self._unowned.get(task_id) or []
        if len(viewers) < 100:
            viewers.append(_viewer(entry, what))
        self._unowned[task_id] = viewers

    def _judge_before(self, entry: Entry, task_id: str) -> Iterator[Finding]:
        """Who had seen the task before it was known whose it is."""
        made = self._record.tasks.get(task_id)
        if made is None:
            return
        if made.identity is not None:
            self._made[entry.attempt][task_id] = made
        for viewer in self._unowned.pop(task_id) or ():
            yield from _judge_viewer(made, viewer, entry.index)


def _viewer(entry: Entry, what: str) -> _Viewer:
    observation = entry.observation
    return _Viewer(observation.identity, observation.session, entry.attempt, observation.keeps_sessions, what)


def _judge_viewer(made: Made, viewer: _Viewer, index: int) -> Iterator[Finding]:
    if made.doubtful:
        return
    listed = viewer.what == "tasks/list"
    anonymous = made.identity is None and viewer.identity is None
    # What is shown of other scenarios is shown by chance: alone, a scenario would not find it again.
    beside_it = made.attempt == viewer.attempt and made.session != viewer.session and viewer.in_session
    if made.identity is not None and viewer.identity is not None and made.identity != viewer.identity:
        observed = f"{viewer.what} to {viewer.identity} shows a task of {made.identity}"
        yield failed(LIST if listed else ONLY_OWNER, _LIST if listed else _OWNER, observed, index)
    elif listed and anonymous and beside_it:
        yield failed(SESSIONS, _LIST, "a task that another session had made", index)
    elif not listed and beside_it and (anonymous or made.identity != viewer.identity):
        yield failed(SESSIONS, _SESSION, f"{viewer.what} about a task that another session had made", index)
