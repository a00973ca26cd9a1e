"""How fast the product is, as figures and as ratios taken in one run: `python benchmarks/speed.py`.

Prints the start-up, the loading of the library, and the whole library against the bundled reference over each
transport, each beside its critical path: the longest chain of waits that no concurrency shortens.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = [sys.executable, "-m", "mcp_tasks_conformance"]


def timed(command: list[str]) -> float:
    """Seconds of the best of three runs."""
    times: list[float] = []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return min(times)


def measured_run(transport: str) -> dict[str, float]:
    """One run over a transport: seconds, the longest single scenario, the harness's memory, scenarios passed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.json"
        started = time.perf_counter()
        done = subprocess.Popen(
            [*PROGRAM, "run", "--transport", transport, "--results", str(file)], stdout=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(done.pid, 0)
        done.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - started
        results = json.loads(file.read_text())
    ran = [scenario for scenario in results["scenarios"] if scenario["attempts"]]
    return {
        "seconds": seconds,
        "longest": max(scenario["duration_ms"] for scenario in ran) / 1000,
        "memory_mb": usage.ru_maxrss / 1024,
        "scenarios": len(ran),
        "exit": done.returncode,
    }


def main() -> None:
    """Measure and print."""
    bare = timed([sys.executable, "-c", "pass"])
    version = timed([*PROGRAM, "--version"])
    code = (
        "import time; t = time.perf_counter(); from mcp_tasks_conformance.catalog.library import load; load(); "
        "print(time.perf_counter() - t)"
    )
    loading = min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(3))
    print(f"{'--version':28}{version:8.2f} s   {version / bare:5.1f} x a bare interpreter   (bound 0.2 s)")
    print(f"{'loading the library':28}{loading:8.2f} s   {loading / bare:5.1f} x a bare interpreter   (bound 0.3 s)")
    for transport, bound in (("http", 5), ("stdio", 10), ("memory", 5)):
        run = measured_run(transport)
        print(
            f"{f'library over {transport}':28}{run['seconds']:8.2f} s   "
            f"{run['seconds'] / run['longest']:5.1f} x its longest scenario ({run['longest']:.2f} s)   "
            f"{run['scenarios']:.0f} scenarios   harness {run['memory_mb']:.0f} MB   exit {run['exit']:.0f}   "
            f"(bounds {bound} s, 150 MB)"
        )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{'largest process of all':28}{peak:8.0f} MB")


if __name__ == "__main__":
    main()
