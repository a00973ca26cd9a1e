"""All cases, spread over worker processes."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed

from mcp_tasks_conformance.selftest.cases import Case
from mcp_tasks_conformance.selftest.trial import CaseResult, prepare, try_case

WORKERS_PER_CORE = 2
"""Cases with processes and sockets wait more than they work."""
MOST_WORKERS = 16


def usual_workers() -> int:
    """So many cases are tried side by side unless said."""
    return min(WORKERS_PER_CORE * (os.cpu_count() or 1), MOST_WORKERS)


def try_all(
    cases: Sequence[Case], tell: Callable[[CaseResult], None], *, workers: int | None = None
) -> tuple[CaseResult, ...]:
    """Try every case and tell of each as it ends; the results come back in the order of the cases.

    Cases with processes and sockets go first, so that those in memory, which never wait, fill the gaps at the end.
    """
    prepare()  # what is amiss with the library is told here, not by each worker
    context = multiprocessing.get_context("spawn")
    order = sorted(cases, key=lambda case: (case.transport == "memory", not case.thorough))
    results: dict[str, CaseResult] = {}
    workers = min(workers or usual_workers(), len(cases))
    with ProcessPoolExecutor(max_workers=workers, mp_context=context, initializer=_make_ready) as pool:
        futures: list[Future[CaseResult]] = [pool.submit(try_case, case) for case in order]
        for future in as_completed(futures):
            result = future.result()
            results[result.case.key] = result
            tell(result)
    return tuple(results[case.key] for case in cases)


def _make_ready() -> None:
    """Load the library once; what is loaded never becomes garbage, so that the collector need not look through it."""
    prepare()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
