"""A mapping of bounded size that knows whether it has forgotten anything: what was forgotten must never accuse."""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memory(Generic[K, V]):
    """Keeps the entries that were set last."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: dict[K, V] = {}
        self.forgot = False
        """Whether an entry had to go to make room."""

    def __contains__(self, key: K) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def __setitem__(self, key: K, value: V) -> None:
        self._entries.pop(key, None)
        self._entries[key] = value
        if len(self._entries) > self._size:
            del self._entries[next(iter(self._entries))]
            self.forgot = True

    def get(self, key: K) -> V | None:
        """The value of a key, or none."""
        return self._entries.get(key)

    def pop(self, key: K) -> V | None:
        """The value of a key, or none, and the key is gone; that is no forgetting."""
        return self._entries.pop(key, None)
