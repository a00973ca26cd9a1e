"""Manifests: how the implementations under implementations/ are installed, started and tested."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from mcp_tasks_conformance.catalog import source
from mcp_tasks_conformance.catalog.model import Manifest, Start
from mcp_tasks_conformance.catalog.problems import Problems
from mcp_tasks_conformance.catalog.records import Record, text
from mcp_tasks_conformance.catalog.source import Value, kind_of

FILE = "manifest.yaml"
FILE_KEYS = (
    "implementation",
    "version",
    "language",
    "files",
    "install",
    "start",
    "profile",
    "baseline",
    "jobs",
    "fresh",
    "durable",
    "identities",
    "notes",
)
REQUIRED = ("implementation", "version", "language", "start")
START_KEYS = ("stdio", "http")
STDIO_KEYS = ("command", "env")
HTTP_KEYS = ("command", "env", "path")
PORT = "{port}"
UNSAID_PROFILE = "auto"
UNSAID_PATH = "/mcp"


def implementations(folder: Path) -> Mapping[str, Path]:
    """The folders below this one that have a manifest, by name."""
    return {file.parent.name: file.parent for file in sorted(folder.glob(f"*/{FILE}"))}


def load_manifest(folder: Path) -> Manifest:
    """Load the manifest of an implementation.

    Args:
        folder: the implementation's folder.

    Raises:
        CatalogError: the file is not as it has to be.
    """
    problems = Problems()
    document = source.read(folder / FILE, problems)
    problems.settle()
    assert document is not None
    record = Record(document, "a manifest", problems, FILE_KEYS, REQUIRED)
    name = record.text("implementation")
    if name and name != folder.resolve().name:
        problems.add(record.place_of("implementation"), f"`{name}` is not the name of its folder")
    baseline = record.optional_text("baseline")
    manifest = Manifest(
        name=name,
        version=record.text("version"),
        language=record.text("language"),
        folder=folder,
        install=tuple(_command(item, "an install command", problems) for item in record.items("install")),
        start=dict(_starts(record, problems)),
        profile=_profile(record, folder),
        files=tuple(_file(item, folder, problems) for item in record.items("files")),
        baseline=folder / baseline if baseline else None,
        jobs=record.count("jobs", default=1, least=1) if "jobs" in record else None,
        fresh=record.flag("fresh"),
        durable=record.flag("durable"),
        identities=dict(_identities(record)),
        notes=record.optional_text("notes"),
    )
    problems.settle()
    return manifest


def _profile(record: Record, folder: Path) -> str:
    profile = record.optional_text("profile") or UNSAID_PROFILE
    if profile.endswith((".yaml", ".yml")) and not (folder / profile).is_file():
        record.problems.add(record.place_of("profile"), f"there is no file `{profile}` beside the manifest")
    return profile


def _file(value: Value, folder: Path, problems: Problems) -> Path:
    name = text(value, "a file", problems) or ""
    if name and not (folder / name).is_file():
        problems.add(value.place, f"there is no file `{name}`", "paths start at the manifest's folder")
    return folder / name


def _starts(record: Record, problems: Problems) -> Iterator[tuple[str, Start]]:
    value = record.value("start")
    if value is None:
        return
    starts = Record(value, "`start`", problems, START_KEYS)
    if value.data == {}:
        problems.add(value.place, "`start` names no transport", "stdio, http or both")
    for transport in START_KEYS:
        how = starts.value(transport)
        if how is not None:
            yield transport, _start(transport, how, problems)


def _start(transport: str, value: Value, problems: Problems) -> Start:
    if not isinstance(value.data, dict):
        start = Start(_command(value, f"`{transport}`", problems))
    else:
        keys = HTTP_KEYS if transport == "http" else STDIO_KEYS
        record = Record(value, f"`{transport}`", problems, keys, ("command",))
        command = record.value("command")
        env = {name: text(member.value, f"`{name}`", problems) or "" for name, member in record.members("env")}
        path = record.optional_text("path") or UNSAID_PATH
        if not path.startswith("/"):
            problems.add(record.place_of("path"), f"the path `{path}` does not begin with a slash")
        start = Start(_command(command, "`command`", problems) if command else (), env, path)
    if transport == "http" and not any(PORT in word for word in (*start.command, *start.env.values())):
        problems.add(value.place, f"nothing tells the server its port: no `{PORT}` in command or env")
    return start


def _identities(record: Record) -> Iterator[tuple[str, str]]:
    """Names with the header of each, as ``--identity`` takes them."""
    known: list[str] = []
    for name, member in record.members("identities"):
        header = text(member.value, f"the header of `{name}`", record.problems) or ""
        field, _, value = (part.strip() for part in header.partition(":"))
        if header and not (field and value):
            record.problems.add(member.value.place, f"the header of `{name}` is no header", "'NAME: VALUE'")
        elif header in known:
            hint = "isolation would be judged in vain"
            record.problems.add(member.value.place, f"`{name}` carries the credential of another", hint)
        known.append(header)
        yield name, header


def _command(value: Value, what: str, problems: Problems) -> tuple[str, ...]:
    """A command as one text, split as a shell would, or as a list of its words."""
    if isinstance(value.data, tuple):
        words = tuple(text(item, f"a word of {what}", problems) or "" for item in value.data)
    elif isinstance(value.data, str):
        try:
            words = tuple(shlex.split(value.data))
        except ValueError as error:
            problems.add(value.place, f"{what} cannot be split into words: {error}", "write it as a list of words")
            return ()
    else:
        problems.add(value.place, f"{what} is a command, as text or a list of words, not {kind_of(value)}")
        return ()
    if not words:
        problems.add(value.place, f"{what} is empty")
    return words
