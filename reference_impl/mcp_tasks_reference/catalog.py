"""What can be asked for by name: faults, variants and husks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_tasks_reference.deviation import Fault, Variant

if TYPE_CHECKING:
    from mcp_tasks_reference.husks import Husk


def describe() -> list[dict[str, Any]]:
    """Every fault, variant and husk as plain data."""
    from mcp_tasks_reference.faults import all_faults
    from mcp_tasks_reference.husks import HUSKS
    from mcp_tasks_reference.variants import all_variants

    described = [_described("fault", fault) for fault in all_faults()]
    described += [_described("variant", variant) for variant in all_variants()]
    described += [
        {
            "kind": "husk",
            "name": husk.name,
            "requirements": [],
            "sentence": husk.sentence,
            "consequences": [],
            "unseen": [],
            "transports": None,
            "generation": "v1",
        }
        for husk in HUSKS.values()
    ]
    return described


def find_fault(name: str) -> Fault:
    """The fault of a name.

    Raises:
        KeyError: there is none.
    """
    from mcp_tasks_reference.faults import all_faults

    for fault in all_faults():
        if fault.name == name:
            return fault
    raise KeyError(name)


def find_variant(name: str) -> Variant:
    """The variant of a name.

    Raises:
        KeyError: there is none.
    """
    from mcp_tasks_reference.variants import all_variants

    for variant in all_variants():
        if variant.name == name:
            return variant
    raise KeyError(name)


def find_husk(name: str) -> Husk:
    """The husk of a name.

    Raises:
        KeyError: there is none.
    """
    from mcp_tasks_reference.husks import HUSKS

    return HUSKS[name]


def _described(kind: str, deviation: Fault | Variant) -> dict[str, Any]:
    broken = deviation if isinstance(deviation, Fault) else None
    return {
        "kind": kind,
        "name": deviation.name,
        "requirements": list(broken.requirements) if broken else [],
        "sentence": deviation.sentence,
        "consequences": list(deviation.consequences),
        "unseen": list(broken.unseen) if broken else [],
        "transports": None if deviation.transports is None else list(deviation.transports),
        "generation": deviation.generation,
    }
