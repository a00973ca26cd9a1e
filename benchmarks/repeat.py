"""Whether runs of the bundled reference come to the same, quiet or busy: `python benchmarks/repeat.py`.

Runs the whole library several times, and once more with every processor kept busy, over each transport. Prints every
requirement whose verdict and every scenario whose outcome is not that of the first run; exit code 1 where there is one.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PROGRAM = [sys.executable, "-m", "mcp_tasks_conformance"]
TRANSPORTS = ("http", "stdio", "memory")


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """Within, so many processes do nothing but work."""
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
        for one in spinning:
            one.wait()


def results_of(transport: str) -> Mapping[str, Any]:
    """The results of one run."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.json"
        command = [*PROGRAM, "run", "--transport", transport, "--results", str(file)]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        results: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return results


def findings(results: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """The verdict of each requirement and the outcome of each scenario run, each with its reason."""
    found = {f"requirement {row['id']}": (row["verdict"], row.get("reason", "")) for row in results["requirements"]}
    found |= {f"scenario {row['key']}": (row["outcome"], row.get("reason", "")) for row in results["scenarios"]}
    return found | {"verdict of the run": (str(results["verdict"]), results["reason"])}


def differences(first: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """What of two runs is not alike, in words."""
    one, two = findings(first), findings(other)
    nothing = ("not there", "")
    lines: list[str] = []
    for name in sorted(one.keys() | two.keys()):
        (was, why_was), (is_, why_is) = one.get(name, nothing), two.get(name, nothing)
        if was != is_:
            lines.append(f"{name}: {was} {why_was[:300]}\n    and then {is_} {why_is[:300]}")
    return lines


def main() -> int:
    """Run, compare and print."""
    parser = argparse.ArgumentParser(description="Compare runs of the bundled reference, quiet and busy.")
    parser.add_argument("--over", action="append", choices=TRANSPORTS, help="only these transports")
    parser.add_argument("--quiet", type=int, default=2, metavar="N", help="quiet runs (2)")
    parser.add_argument("--busy", type=int, default=1, metavar="N", help="runs on a busy machine (1)")
    given = parser.parse_args()
    processors = os.cpu_count() or 1
    differing = 0
    for transport in given.over or TRANSPORTS:
        first: Mapping[str, Any] | None = None
        for number in range(given.quiet + given.busy):
            kept_busy = processors if number >= given.quiet else 0
            load = os.getloadavg()[0]
            started = time.perf_counter()
            with busy(kept_busy):
                results = results_of(transport)
            seconds = time.perf_counter() - started
            lines = differences(first, results) if first is not None else []
            first = first or results
            flaky = [row["key"] for row in results["scenarios"] if row.get("flaky")]
            print(
                f"{transport:7}{'busy' if kept_busy else 'quiet':6} {seconds:6.2f} s  load before {load:5.2f}  "
                f"{len(lines)} differences  {len(flaky)} flaky {', '.join(flaky)}".rstrip(),
                flush=True,
            )
            for line in lines:
                print(f"  {line}", flush=True)
            differing += len(lines)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
