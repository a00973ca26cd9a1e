"""The monitors of one target instance, and what they found for each attempt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from mcp_tasks_conformance.events import Check, Outcome
from mcp_tasks_conformance.monitors.observation import Finding, Monitor, Observation
from mcp_tasks_conformance.peers.connection import Connection, Watched


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
        self._findings: dict[int, list[tuple[str, Finding]]] = defaultdict(list)
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
        )
        noted = self._findings[attempt]
        for monitor in self._monitors:
            try:
                noted += [(monitor.name, finding) for finding in monitor.see(observation)]
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
                self._findings[attempt].append((monitor.name, finding))
        return _folded(self._findings.pop(attempt, []))


def _folded(findings: list[tuple[str, Finding]]) -> list[Check]:
    passes: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    checks: dict[tuple[str, str, Outcome, str, str], Check] = {}
    for name, finding in findings:
        if finding.outcome is Outcome.PASS:
            passes[name, finding.requirement].append(finding)
            continue
        key = (name, finding.requirement, finding.outcome, finding.expected, finding.observed)
        if key not in checks:  # the same breach on every poll is one breach
            checks[key] = Check(
                finding.requirement,
                f"monitor {name}",
                finding.outcome,
                finding.expected,
                finding.observed,
                finding.messages,
                finding.because,
            )
    praised = [
        Check(
            requirement,
            f"monitor {name}",
            Outcome.PASS,
            found[0].expected,
            f"{len(found)} seen, none amiss",
            found[0].messages,
            found[0].because,
        )
        for (name, requirement), found in passes.items()
        if not any(key[0] == name and key[1] == requirement for key in checks)
    ]
    return [*checks.values(), *praised]
