"""From an order to the profile, which may depend on what the target says of itself."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from mcp_tasks_conformance.catalog.model import Manifest, Profile
from mcp_tasks_conformance.catalog.problems import suggestion
from mcp_tasks_conformance.catalog.profiles import built_in_profiles, load_profile
from mcp_tasks_conformance.engine.behaviours import present
from mcp_tasks_conformance.engine.caution import TrialPlan, trial_plan
from mcp_tasks_conformance.engine.discovery import Facts
from mcp_tasks_conformance.engine.verifying import Claimed
from mcp_tasks_conformance.orders.order import Order, WrongOrder

AUTO = "auto"
BUNDLED = "reference"


@dataclass(frozen=True, slots=True)
class ProfileChoice:
    """How behaviours are mapped to tools once the target's tools are known: by a profile, or by trying them."""

    profile: Profile | None
    """None for ``auto``."""
    on_this_machine: bool = True
    try_tools: bool = False
    ours: bool = False
    """Whether it is the bundled reference's own profile, which its own tests hold it to."""

    @property
    def claims(self) -> tuple[str, ...]:
        """The quality rules that count for the target."""
        return self.profile.claims if self.profile is not None else ()

    def __call__(self, facts: Facts) -> Profile | Claimed | TrialPlan:
        """The profile as far as the target has its tools, or what to try.

        Raises:
            UnreachableTarget: the target has none of the profile's tools.
        """
        if self.profile is not None:
            found = present(self.profile, facts)
            return found if self.ours else Claimed(found)
        return trial_plan(facts, on_this_machine=self.on_this_machine, try_tools=self.try_tools)


def choose_profile(order: Order, implementation: Manifest | None, requirements: Collection[str]) -> ProfileChoice:
    """The choice that an order makes: its own, else that of the implementation, else ``auto``.

    Raises:
        WrongOrder: it names a profile that is neither built in nor a file.
        CatalogError: the profile's file is broken.
    """
    named = order.profile or _by_default(order, implementation)
    if named == AUTO:
        return ProfileChoice(None, order.on_this_machine, order.try_tools)
    built_in = built_in_profiles()
    file = implementation.folder / named if implementation is not None and not order.profile else Path(named)
    if named not in built_in and not file.exists():
        hint = suggestion(named, (AUTO, *built_in))
        raise WrongOrder(f"--profile {named} is neither a file nor a profile that comes with the product ({hint})")
    profile = load_profile(built_in.get(named, file), requirements)
    return ProfileChoice(profile, ours=named == BUNDLED and _by_default(order, implementation) == BUNDLED)


def _by_default(order: Order, implementation: Manifest | None) -> str:
    if implementation is not None:
        return implementation.profile
    return AUTO if order.command or order.url else BUNDLED
