"""The monitors of a run: every judge over one shared record, as the engine sees them."""

from __future__ import annotations

from collections.abc import Iterable

from mcp_tasks_conformance.monitors.capabilities import CapabilitiesJudge
from mcp_tasks_conformance.monitors.creation import CreationJudge
from mcp_tasks_conformance.monitors.entry import Judge, Settling
from mcp_tasks_conformance.monitors.envelope import EnvelopeJudge
from mcp_tasks_conformance.monitors.errors import ErrorsJudge
from mcp_tasks_conformance.monitors.http_answers import HttpAnswersJudge
from mcp_tasks_conformance.monitors.inputs import InputsJudge
from mcp_tasks_conformance.monitors.isolation import IsolationJudge
from mcp_tasks_conformance.monitors.lifecycle import LifecycleJudge
from mcp_tasks_conformance.monitors.message_ids import MessageIdsJudge
from mcp_tasks_conformance.monitors.observation import Finding, Monitor, Observation
from mcp_tasks_conformance.monitors.progress import ProgressJudge
from mcp_tasks_conformance.monitors.record import Record
from mcp_tasks_conformance.monitors.related_task import RelatedTaskJudge
from mcp_tasks_conformance.monitors.shape import ShapeJudge
from mcp_tasks_conformance.monitors.status_notifications import StatusNotificationsJudge
from mcp_tasks_conformance.monitors.streams import StreamsJudge
from mcp_tasks_conformance.monitors.task_ids import TaskIdsJudge
from mcp_tasks_conformance.monitors.timestamps import TimestampsJudge


class JudgingMonitor:
    """A monitor that leaves the reading to the record it shares with others, and the judging to its judge."""

    def __init__(self, judge: Judge, record: Record) -> None:
        self._judge = judge
        self._record = record
        self.name = judge.name
        self.proves = judge.proves
        self._settling = judge if isinstance(judge, Settling) else None

    def see(self, observation: Observation) -> Iterable[Finding]:
        """See Monitor."""
        return tuple(self._judge.judge(self._record.note(observation)))

    def settle(self, attempt: int) -> Iterable[Finding]:
        """See Monitor."""
        return tuple(self._settling.settle(attempt)) if self._settling is not None else ()


def monitors_for(generation: str, hosts: str) -> tuple[Monitor, ...]:
    """A fresh set of monitors for one target instance.

    Args:
        generation: ``v1``.
        hosts: which side the target plays, ``server`` or ``client``.

    Raises:
        ValueError: there are no monitors for such a target.
    """
    if generation != "v1" or hosts not in ("server", "client"):
        raise ValueError(f"no monitors for a {hosts} of generation {generation}")
    record = Record()
    is_server = hosts == "server"
    judges: list[Judge] = [
        EnvelopeJudge(record, judges_stdout=is_server),
        MessageIdsJudge(record),
        CapabilitiesJudge(record, host=hosts),
        ShapeJudge(record),
        TaskIdsJudge(record),
        LifecycleJudge(record),
        TimestampsJudge(record),
        RelatedTaskJudge(record),
        ProgressJudge(record),
        StatusNotificationsJudge(record),
        IsolationJudge(record),
        ErrorsJudge(record),
    ]
    if is_server:  # what only servers do: serve HTTP, ask a requestor for input
        judges += [CreationJudge(record), HttpAnswersJudge(record), StreamsJudge(record), InputsJudge(record)]
    return tuple(JudgingMonitor(judge, record) for judge in judges)
