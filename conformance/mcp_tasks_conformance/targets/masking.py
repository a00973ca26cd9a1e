"""Commands and URLs as a report may show them: without secrets."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

MASK = "***"

_WORDS_OF_A_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET_WORDS = frozenset(
    {"token", "secret", "password", "passwd", "passphrase", "pwd", "pat", "apikey", "auth", "authorization"}
    | {"credential", "credentials", "bearer", "cookie", "key", "jwt"}
)
_NAME = re.compile(r"""([\w.-]+)(["']?\s*[=:]\s*)(?=\S)""")
_VALUE = re.compile(r""""[^"]*"|'[^']*'|[^\s,;&}]+""")
_IN_FOLDERS = re.compile(r"/?[^\s/:=]+/[^\s:]*[^\s/:]")
"""The path of something in folders; its last part is what people know it by."""
_HEADER_VALUE = re.compile(r".+", re.DOTALL)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+\S+")
_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")
_KNOWN_SHAPES = re.compile(
    r"\b(?:sk-[\w-]{16,}|gh[opsu]_\w{20,}|github_pat_\w{20,}|xox[abp]-[\w-]{10,}|AKIA[0-9A-Z]{16}"
    r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
)


def masked_command(command: Sequence[str]) -> list[str]:
    """The words of a command, with every value masked that looks like a secret."""
    shown: list[str] = []
    value_is_secret = False
    for word in command:
        if value_is_secret and not word.startswith("-"):
            shown.append(MASK)
        else:
            shown.append(_masked_word(word))
        value_is_secret = word.startswith("-") and "=" not in word and is_secret(word)
    return shown


def shown_command(command: Sequence[str], limit: int = 100) -> str:
    """A command on one line, masked and not too long, for messages to people: what is shortened first is folders."""
    words = masked_command(command)
    for at in sorted(range(len(words)), key=lambda at: -len(words[at])):
        if len(shlex.join(words)) > limit and _IN_FOLDERS.fullmatch(words[at]):
            words[at] = f".../{words[at].rpartition('/')[2]}"
    line = shlex.join(words)
    return line if len(line) <= limit else line[: limit - 3] + "..."


def masked_url(url: str) -> str:
    """A URL without user and password, and without the values of its query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return _USERINFO.sub("", url).partition("?")[0]
    host = parts.netloc.rpartition("@")[2]
    query = re.sub(r"=[^&]*", f"={MASK}", parts.query)
    return urlunsplit((parts.scheme, host, parts.path, query, ""))


def _masked_word(word: str) -> str:
    word = _USERINFO.sub(f"{MASK}@", word)
    word = _KNOWN_SHAPES.sub(MASK, word)
    return _BEARER.sub(rf"\1 {MASK}", _masked_values(word))


def _masked_values(word: str) -> str:
    """Mask what follows every secret name: the rest after ``Name: ``, a header, else the next value."""
    shown: list[str] = []
    at = 0
    for name in _NAME.finditer(word):
        if name.start() < at or not is_secret(name[1]):
            continue
        value = (_HEADER_VALUE if name[2].startswith(":") and name[2] != ":" else _VALUE).match(word, name.end())
        if value:
            quote = value[0][0] if value[0][0] in "\"'" else ""
            shown += (word[at : value.start()], quote, MASK, quote)
            at = value.end()
    return "".join((*shown, word[at:]))


def is_secret(name: str) -> bool:
    """Whether what has this name is a secret: an option, a variable, a header."""
    return not _SECRET_WORDS.isdisjoint(word.lower() for word in _WORDS_OF_A_NAME.findall(name))
