"""Third-party implementations, installed into a cache outside the work tree as their manifests say."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mcp_tasks_conformance.catalog.model import Manifest
from mcp_tasks_conformance.targets.errors import UnreachableTarget

STAMP = ".installed"
LONGEST_S = 540
"""How long one install command may take."""


def cache() -> Path:
    """Where implementations are installed: MCP_TASKS_CONFORMANCE_CACHE, else the user's cache folder."""
    named = os.environ.get("MCP_TASKS_CONFORMANCE_CACHE")
    if named:
        return Path(named)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "mcp-tasks-conformance"


def fingerprint(manifest: Manifest) -> str:
    """Changes with the manifest and with every file of the fixture; not with what only judges it."""
    judging = {manifest.baseline, manifest.folder / manifest.profile}
    files = {
        file.relative_to(manifest.folder).as_posix(): file for file in manifest.folder.rglob("*") if file.is_file()
    }
    files = {name: file for name, file in files.items() if file not in judging} | {
        file.name: file for file in manifest.files
    }
    found = hashlib.sha256(f"{sys.version_info[:2]}".encode())
    for name, file in sorted(files.items()):
        found.update(name.encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:16]


def install(manifest: Manifest, tell: Callable[[str], None]) -> Path:
    """Copy the fixture into the cache and run the install commands there, unless that was done before.

    Returns:
        The folder to start it in.

    Raises:
        UnreachableTarget: an install command failed.
    """
    folder = cache() / "implementations" / manifest.name / fingerprint(manifest)
    if not (folder / STAMP).is_file():
        with _alone(folder):
            if not (folder / STAMP).is_file():
                _install_into(folder, manifest, tell)
    return folder


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Within, no other run installs into the same folder."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # given back when the file is closed
        yield


def _install_into(folder: Path, manifest: Manifest, tell: Callable[[str], None]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(manifest.folder, folder)
    for file in manifest.files:
        shutil.copy(file, folder)
    for command in manifest.install:
        shown = " ".join(command)
        tell(f"installing {manifest.name}: {shown}")
        words = [sys.executable if word == "python3" else word for word in command[:1]] + list(command[1:])
        try:
            done = subprocess.run(
                words,
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=LONGEST_S,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnreachableTarget(f"{manifest.name} cannot be installed: {shown}: {error}") from error
        if done.returncode:
            tail = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
            problem = f"{manifest.name} cannot be installed: {shown} ended with exit code {done.returncode}"
            raise UnreachableTarget(problem, f"try it by hand in {folder}", tail)
    (folder / STAMP).write_text("done\n")
