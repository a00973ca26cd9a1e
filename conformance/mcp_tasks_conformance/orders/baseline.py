"""From an order to the baseline by which the target is judged."""

from __future__ import annotations

from pathlib import Path

from mcp_tasks_conformance.catalog.baselines import Shelf, load_baseline
from mcp_tasks_conformance.catalog.library import Library
from mcp_tasks_conformance.catalog.model import Baseline, Manifest
from mcp_tasks_conformance.orders.order import Order


def baseline_of(order: Order, implementation: Manifest | None, library: Library) -> Baseline | None:
    """The baseline that an order names, else that of the implementation.

    Raises:
        CatalogError: its file is broken.
    """
    own = implementation.baseline if implementation is not None else None
    file = Path(order.baseline) if order.baseline else own
    if file is None:
        return None
    return load_baseline(file, Shelf(library.requirements, library.scenarios.values()), _shown(file))


def _shown(file: Path) -> Path:
    """The path as people, and services that show files, know it: from here, where it lies below."""
    here = Path.cwd()
    whole = file.absolute()
    return whole.relative_to(here) if whole.is_relative_to(here) else file
