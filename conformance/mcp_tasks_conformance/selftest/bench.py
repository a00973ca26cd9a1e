"""All cases, spread over worker processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed

from mcp_tasks_conformance.selftest.cases import Case
from mcp_tasks_conformance.selftest.trial import CaseResult, try_case

WORKERS = 2


def try_all(
    cases: Sequence[Case], tell: Callable[[CaseResult], None], *, workers: int = WORKERS
) -> tuple[CaseResult, ...]:
    """Try every case and tell of each as it ends; the results come back in the order of the cases.

    Cases with processes and sockets go first, so that the short ones in memory fill the gaps at the end.
    """
    context = multiprocessing.get_context("spawn")
    order = sorted(cases, key=lambda case: case.transport == "memory")
    results: dict[str, CaseResult] = {}
    with ProcessPoolExecutor(max_workers=workers, mp_context=context) as pool:
        futures: list[Future[CaseResult]] = [pool.submit(try_case, case) for case in order]
        for future in as_completed(futures):
            result = future.result()
            results[result.case.key] = result
            tell(result)
    return tuple(results[case.key] for case in cases)
