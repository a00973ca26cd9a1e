"""Headers as the user gives them, and those that are not for the user to give."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_conformance.orders.order import WrongOrder, parted
from mcp_tasks_conformance.wire.request_headers import is_header_name

_FRAMING = "it says how a message is framed"
_CONTENT = "it says what a message holds"
TRANSPORTS_OWN: Mapping[str, str] = {
    "accept": "it says what the suite can read",
    "accept-encoding": "it says what the suite can read",
    "connection": _FRAMING,
    "content-encoding": _CONTENT,
    "content-length": _FRAMING,
    "content-type": _CONTENT,
    "expect": _FRAMING,
    "keep-alive": _FRAMING,
    "last-event-id": "it says where a broken stream goes on",
    "mcp-protocol-version": "it is what initialize agrees on",
    "mcp-session-id": "it is what the target gives with its answer to initialize",
    "te": _FRAMING,
    "trailer": _FRAMING,
    "transfer-encoding": _FRAMING,
    "upgrade": _FRAMING,
}
"""With a wrong one the target would be judged by a fault of ours. Host and User-Agent may be given: a server may stand
behind a name that is not in its URL, or let in only what it knows."""


def header_of(text: str, option: str) -> tuple[str, str]:
    """The name and the value of a header; neither its value nor a text without a name is repeated in what is said.

    Raises:
        WrongOrder: it cannot be sent with every request.
    """
    name, value = parted(text, ":", option, "'NAME: VALUE'")
    if not is_header_name(name):
        raise WrongOrder(f"{option}: {name!r} is no name of a header; letters, digits and hyphens make one")
    if name.lower() in TRANSPORTS_OWN:
        raise WrongOrder(
            f"{option} {name}: the suite sets this header, for {TRANSPORTS_OWN[name.lower()]}; leave it out"
        )
    if not value:
        raise WrongOrder(f"{option} {name} has no value; if it comes from a variable, is that set?")
    if "\n" in value or "\r" in value:
        raise WrongOrder(f"{option} {name}: its value has a line break, which no header can hold; give it in one line")
    if not value.isascii() or not value.isprintable():
        raise WrongOrder(
            f"{option} {name}: its value has characters that no header can hold; "
            "encode it as the server expects it, in printable ASCII"
        )
    return name, value
