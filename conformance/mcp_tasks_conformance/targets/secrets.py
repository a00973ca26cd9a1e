"""Which values are secrets in the ways by which a target is reached or started."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from mcp_tasks_conformance.targets.masking import MASK, is_secret, masked_command

_SCHEME: Final = re.compile(r"([A-Za-z][\w-]*)\s+(\S.*)", re.DOTALL)
"""A header's value that says first of which kind its credentials are."""
_LONG: Final = 16
"""Characters from which on a value in an address is a secret, whatever its name."""


_FOLDERS = ("PWD", "OLDPWD")
"""Variables whose names only look like short for password."""


def secrets_of_header(name: str, value: str) -> Iterator[str]:
    """The value, and the credentials in it; a name that cannot be one may be a value that lacks its name."""
    yield value
    if re.search(r"\s", name):
        yield from (name, *name.split())
    if name.lower() in ("cookie", "set-cookie"):
        yield from (crumb.partition("=")[2] for crumb in value.split(";"))
    scheme = _SCHEME.fullmatch(value)
    if scheme is not None:
        yield scheme[2]
        if scheme[1].lower() == "basic":
            yield from _userinfo(_decoded(scheme[2]))


def secrets_of_url(url: str) -> Iterator[str]:
    """User, password, and the values of its query that look like secrets."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    userinfo, mark, _ = parts.netloc.rpartition("@")
    if mark:
        yield from _userinfo(userinfo)
        yield from _userinfo(unquote(userinfo))
        yield base64.b64encode(unquote(userinfo).encode()).decode()
    for pair in parts.query.split("&"):
        name, _, value = pair.partition("=")
        if is_secret(name) or len(value) >= _LONG:
            yield from (value, unquote(value))


def secrets_of_command(words: Sequence[str]) -> Iterator[str]:
    """What is masked where the command is shown."""
    for word, shown in zip(words, masked_command(words), strict=True):
        if MASK in shown and MASK not in word:
            kept = shown.split(MASK)
            found = re.fullmatch("(.+?)".join(map(re.escape, kept)), word, re.DOTALL)
            yield from (found.groups() if found is not None else (word,))


def secrets_of_environment(variables: Mapping[str, str]) -> Iterator[str]:
    """The values of variables that are named like secrets; the working folder is none, nor where a key lies."""
    for name, value in variables.items():
        if is_secret(name) and name not in _FOLDERS and not (value.startswith("/") and Path(value).exists()):
            yield value


def _userinfo(text: str) -> Iterator[str]:
    """``user:password`` whole and in its parts."""
    user, mark, password = text.partition(":")
    yield from (text, user, password) if mark else (text,)


def _decoded(credentials: str) -> str:
    try:
        return base64.b64decode(credentials, validate=True).decode("utf-8", "replace")
    except binascii.Error:
        return ""
