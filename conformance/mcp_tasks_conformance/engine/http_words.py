"""What HTTP gave where the answer to a first request was due, in words for people, and what to try."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.engine.stage import Doors
from mcp_tasks_conformance.events import JsonValue, Seen, SeenKind
from mcp_tasks_conformance.targets.http_access import WRONG_PATH
from mcp_tasks_conformance.targets.masking import is_secret

_SHOWN: Final = 80
WANTS_CREDENTIALS: Final = (401, 403)
_SERVER_FAILS: Final = "the server itself failed: its log says why"
_NO_ENDPOINT: Final = f"this is no answer of an MCP server; {WRONG_PATH}"
_LOOP: Final = "give the URL to which the redirects should lead, or mend them: they do not end"
_HINTS: Final[Mapping[int, str]] = {404: WRONG_PATH, 405: WRONG_PATH, 501: WRONG_PATH}


def unfit_answer(entries: Sequence[Seen]) -> tuple[str, str] | None:
    """What came over HTTP instead of a message, and what to try; none where nothing came at all.

    Args:
        entries: the transcript until the request was given up.
    """
    heads = [seen for seen in entries if seen.kind is SeenKind.HTTP and isinstance(seen.detail.get("status"), int)]
    if not heads:
        return None
    head = heads[-1]
    status = head.detail["status"]
    assert isinstance(status, int)
    redirects = [seen.detail for seen in entries if seen.stream == head.stream and "redirect" in seen.detail]
    said = f"HTTP {status} {_content(head, entries)}"
    if redirects:
        said += f", after {counted(len(redirects), 'redirect')}, the last to {redirects[-1].get('to')}"
    return said, _hint(status, redirected=bool(redirects))


def _content(head: Seen, entries: Sequence[Seen]) -> str:
    """The type and the beginning of a body, which may have been taken for a message that it is none."""
    bodies = [seen.text for seen in entries if seen.stream == head.stream and seen.index >= head.index and seen.text]
    if not bodies:
        return "and no JSON-RPC message: nothing is in it"
    kind = head.detail.get("type") or "no content type"
    text = " ".join(bodies[0][: 4 * _SHOWN].split())
    return f"and no JSON-RPC message, but {kind}: {text if len(text) <= _SHOWN else f'{text[:_SHOWN]}...'}"


def _hint(status: int, *, redirected: bool) -> str:
    if 300 <= status < 400:
        return _LOOP if redirected else _NO_ENDPOINT
    return _HINTS.get(status, _SERVER_FAILS if status >= 500 else _NO_ENDPOINT)


def credentials_refused(what: str, status: JsonValue, doors: Doors) -> tuple[str, str]:
    """That a request was refused for want of credentials, or of others than were given; and what to try."""
    given = [name for name in doors.headers_for(doors.default_identity) if is_secret(name)]
    given += ["user and password in the URL"] if doors.in_url else []
    refused = f"{what} was refused with HTTP {status}"
    if given:
        return f"{refused} although credentials were given ({', '.join(given)})", (
            "are they right and whole, not expired, and do they allow it? A Bearer token is given as "
            "'Authorization: Bearer TOKEN'"
        )
    return f"{refused}: the server wants credentials", "give credentials with --header or --identity"
