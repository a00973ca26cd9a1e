"""A manifest that names two identities has isolation judged, without a word on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

MANIFEST = f"""
implementation: sample
version: 1.2.3
language: python
start:
  http: [{json.dumps(sys.executable)}, -P, -m, mcp_tasks_reference, --http, "{{port}}"]
profile: reference
identities:
  alice: "Authorization: Bearer alice"
  bob: "Authorization: Bearer bob"
"""


def test_isolation_is_judged_with_the_identities_of_the_manifest(tmp_path: Path) -> None:
    folder = tmp_path / "implementations" / "sample"
    folder.mkdir(parents=True)
    (folder / "manifest.yaml").write_text(MANIFEST)
    results = tmp_path / "results.json"
    run = ["run", "--implementation", "sample", "--scenario", "v1/receiver/isolation/get-refused"]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "mcp_tasks_conformance", *run, "--results", results],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    verdicts = {row["id"]: row["verdict"] for row in json.loads(results.read_text())["requirements"]}
    assert verdicts["v1.isolation.get"] == "satisfied"
