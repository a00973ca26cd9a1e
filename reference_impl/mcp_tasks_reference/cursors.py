"""Cursors of paginated lists: opaque, bound to whom they were given, and not to be made up."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

from mcp_tasks_reference.jsonrpc import INVALID_PARAMS, RpcError
from mcp_tasks_reference.task import Owner

_SEAL_BYTES = 16


class Cursors:
    """Seals a position in an owner's list with a key that only this process has."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def issue(self, owner: Owner, position: int) -> str:
        """A cursor that says where the next page begins."""
        return base64.urlsafe_b64encode(self._seal(owner, position) + str(position).encode()).decode()

    def read(self, owner: Owner, cursor: str) -> tuple[Owner, int]:
        """Whose list the cursor is of, and the position in it.

        Raises:
            RpcError: invalid params, where it was not issued to this owner.
        """
        try:
            plain = base64.urlsafe_b64decode(cursor.encode("ascii"))
            position = int(plain[_SEAL_BYTES:])
        except ValueError:
            raise self.refusal() from None
        if not self.belongs(owner, position, plain[:_SEAL_BYTES]):
            raise self.refusal()
        return owner, position

    def belongs(self, owner: Owner, position: int, seal: bytes) -> bool:
        """Whether the seal was made here for this owner."""
        return hmac.compare_digest(seal, self._seal(owner, position))

    def refusal(self) -> RpcError:
        """What an unknown cursor is answered with."""
        return RpcError(INVALID_PARAMS, "Invalid cursor")

    def _seal(self, owner: Owner, position: int) -> bytes:
        sealed = f"{owner.kind}\0{owner.name}\0{position}".encode()
        return hmac.new(self._key, sealed, hashlib.sha256).digest()[:_SEAL_BYTES]
