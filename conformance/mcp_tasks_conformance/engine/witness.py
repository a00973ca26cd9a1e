"""The monitors of one target instance, and what they found for each attempt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from mcp_tasks_conformance.events import Check, Outcome
from mcp_tasks_conformance.monitors.observation import Finding, Monitor, Observation
from mcp_tasks_conformance.peers.connection import Connection, Watched

MOST_BREACHES: Final = 100
"""So many ways in which one rule is broken are told of one attempt."""


class Witness:
    """Feeds every entry of every connection of an instance to its monitors."""

    def __init__(
        self, monitors: Sequence[Monitor], *, instance: str, transport: str, everyone: str | None = None
    ) -> None:
        """``everyone`` is the identity of connections that name none, where all of them carry a credential."""
        self._everyone = everyone
        self._monitors = tuple(monitors)
        self._instance = instance
        self._transport = transport
        self._attempt_of: dict[str, int] = {}
        self._session_of: dict[str, str] = {}
        self._found: dict[int, _Found] = defaultdict(_Found)
        self._defects: dict[int, Exception] = {}

    def assign(self, connection: Connection, attempt: int, session: str | None = None) -> None:
        """From here on, what this connection carries belongs to this attempt."""
        self._attempt_of[connection.label] = attempt
        if session is not None or connection.label not in self._session_of:
            self._session_of[connection.label] = session or connection.label

    def session(self, connection: Connection) -> str:
        """The session that a connection belongs to."""
        return self._session_of[connection.label]

    def watch(self, connection: Connection, watched: Watched) -> None:
        """Take note of one entry."""
        attempt = self._attempt_of.get(connection.label, 0)
        observation = Observation(
            seen=watched.seen,
            frame=watched.frame,
            instance=self._instance,
            transport=self._transport,
            identity=connection.identity or self._everyone,
            connection=connection.label,
            session=self._session_of.get(connection.label, connection.label),
            request=watched.request,
            request_index=watched.request_index,
            request_at=watched.request_at,
            attempt=attempt,
            keeps_sessions=connection.keeps_session,
        )
        found = self._found[attempt]
        for monitor in self._monitors:
            try:
                for finding in monitor.see(observation):
                    found.add(monitor.name, finding)
            except Exception as defect:  # we are called by what carries messages: raised here it would break that
                self._defects.setdefault(attempt, defect)

    def settle(self, attempt: int) -> list[Check]:
        """The checks that the monitors make for an attempt that is over: one for each rule, or each breach.

        Raises:
            Exception: whatever a monitor raised in this attempt, which is a defect of ours.
        """
        if attempt in self._defects:
            raise self._defects.pop(attempt)
        for monitor in self._monitors:
            for finding in monitor.settle(attempt):
                self._found[attempt].add(monitor.name, finding)
        return self._found.pop(attempt, _Found()).checks()


class _Found:
    """What monitors found in one attempt, folded as it comes: an attempt may last, and each message be judged."""

    def __init__(self) -> None:
        self._passes: dict[tuple[str, str], tuple[Finding, int]] = {}
        self._breaches: dict[tuple[str, str], dict[tuple[Outcome, str, str], Finding]] = defaultdict(dict)

    def add(self, monitor: str, finding: Finding) -> None:
        """Take a finding in; the same breach on every poll is one breach."""
        place = monitor, finding.requirement
        if finding.outcome is Outcome.PASS:
            first, number = self._passes.get(place, (finding, 0))
            self._passes[place] = first, number + 1
            return
        breaches = self._breaches[place]
        if len(breaches) < MOST_BREACHES:
            breaches.setdefault((finding.outcome, finding.expected, finding.observed), finding)

    def checks(self) -> list[Check]:
        """One check for each breach, and one for each rule that was not broken."""
        broken = [
            _check(monitor, finding, finding.observed)
            for (monitor, _), breaches in self._breaches.items()
            for finding in breaches.values()
        ]
        praised = [
            _check(place[0], first, f"{number} seen, none amiss")
            for place, (first, number) in self._passes.items()
            if place not in self._breaches
        ]
        return [*broken, *praised]


def _check(monitor: str, finding: Finding, observed: str) -> Check:
    return Check(
        finding.requirement,
        f"monitor {monitor}",
        finding.outcome,
        finding.expected,
        observed,
        finding.messages,
        finding.because,
    )
