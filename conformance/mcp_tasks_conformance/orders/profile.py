"""From an order to the profile, which may depend on what the target says of itself."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from mcp_tasks_conformance.catalog.model import Manifest, Profile
from mcp_tasks_conformance.catalog.profiles import built_in_profiles, load_profile
from mcp_tasks_conformance.engine.behaviours import guess, present
from mcp_tasks_conformance.engine.discovery import Facts
from mcp_tasks_conformance.engine.run import ChooseProfile
from mcp_tasks_conformance.orders.order import Order

FAMILIAR = 3
"""So many tools of a built-in profile by name, and a target is taken to keep that profile's contract."""


def choose_profile(order: Order, implementation: Manifest | None, requirements: Collection[str]) -> ChooseProfile:
    """How behaviours are mapped to tools once the target's tools are known.

    Raises:
        CatalogError: the profile file is broken.
    """
    built_in = {name: load_profile(file, requirements) for name, file in built_in_profiles().items()}
    named = order.profile or (implementation.profile if implementation is not None else "auto")
    if named != "auto":
        file = implementation.folder / named if implementation is not None and not order.profile else Path(named)
        profile = built_in[named] if named in built_in else load_profile(file, requirements)
        return lambda facts: present(profile, facts)

    def choose(facts: Facts) -> Profile:
        for profile in built_in.values():
            found = present(profile, facts)
            if len(found.behaviours) >= FAMILIAR:
                return found
        return guess(facts, loopback=order.on_this_machine)

    return choose
