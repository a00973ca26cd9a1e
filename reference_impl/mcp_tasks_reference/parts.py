"""Which class plays each component, so that one of them can be made to behave differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

Component = TypeVar("Component")


@dataclass(frozen=True, slots=True)
class Parts:
    """The components of a server: the sound classes, mixed with those that override something of them."""

    mixins: tuple[type, ...] = ()

    def of(self, sound: type[Component]) -> type[Component]:
        """The class to use for a component: a mixin is a subclass of the component that it changes."""
        changes = tuple(mixin for mixin in self.mixins if issubclass(mixin, sound))
        return type(sound.__name__, (*changes, sound), {}) if changes else sound


SOUND = Parts()
