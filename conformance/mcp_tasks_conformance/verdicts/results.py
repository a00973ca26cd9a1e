"""The results file: written whole or not at all, read with everything checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from mcp_tasks_conformance.catalog.bounded_files import MEGABYTE, contents
from mcp_tasks_conformance.catalog.library import root
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.verdicts.coherence import contradictions
from mcp_tasks_conformance.verdicts.document import FORMAT, from_document, to_document
from mcp_tasks_conformance.verdicts.model import RunResult
from mcp_tasks_conformance.verdicts.writing import write_whole

_UNSEEN = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What UTF-8 cannot hold, a terminal would obey or a reader not see; JSON has escapes for all of it."""


LARGEST: Final = 1_000 * MEGABYTE
"""Bytes; all transcripts of a long run are some hundred megabytes at most."""


class ResultsError(Exception):
    """A results file cannot be written or used."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class UnwritableResultsError(ResultsError):
    """The file system does not take it."""


class UnreadableResultsError(ResultsError):
    """The file system does not give it."""


class EmptyResultsError(ResultsError):
    """There is nothing in it."""


class TruncatedResultsError(ResultsError):
    """Its end is missing."""


class NotJsonResultsError(ResultsError):
    """It is no JSON object."""


class UnknownFormatError(ResultsError):
    """Its format is not one that this version reads."""


class InvalidResultsError(ResultsError):
    """It breaks the schema; ``pointer`` says where."""

    def __init__(self, path: Path, pointer: str, problem: str) -> None:
        super().__init__(path, f"{pointer or 'the document'}: {problem}")
        self.pointer = pointer


class IncoherentResultsError(ResultsError):
    """What it tells of the whole does not follow from its own entries."""


def write_results(path: Path, result: RunResult) -> None:
    """Write the results file, replacing one that is there; a reader never sees half of it.

    Raises:
        UnwritableResultsError: the file cannot be written.
    """
    data = _laid_out(to_document(result)).encode("utf-8")
    try:
        write_whole(path, data)
    except OSError as error:
        raise UnwritableResultsError(path, f"cannot be written: {error.strerror or error}") from error


def _laid_out(document: Mapping[str, JsonValue]) -> str:
    """The document with a row a line: fast to write, fit to be searched by line and compared."""
    members = (f"{_line(key)}: {_spread(value, 2 if key == 'transcripts' else 1)}" for key, value in document.items())
    return "{\n" + ",\n".join(members) + "\n}\n"


def _spread(value: JsonValue, levels: int) -> str:
    """The value on several lines where it is a list, or an object of lists, within so many levels."""
    if isinstance(value, list) and value and levels:
        return "[\n  " + ",\n  ".join(_line(item) for item in value) + "\n]"
    if isinstance(value, dict) and value and levels > 1:
        return "{\n" + ",\n".join(f" {_line(key)}: {_spread(item, levels - 1)}" for key, item in value.items()) + "\n}"
    return _line(value)


def _line(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _UNSEEN.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def read_results(path: Path) -> RunResult:
    """The result in a file.

    Raises:
        ResultsError: one of its kinds says what is wrong with the file.
    """
    try:
        text = contents(path, LARGEST).decode("utf-8")
    except OSError as error:
        raise UnreadableResultsError(path, f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise NotJsonResultsError(path, f"is not UTF-8 (byte {error.start})") from error
    document = _parsed(path, text)
    _check_format(path, document)
    _check_schema(path, document)
    result = from_document(document)
    found = list(contradictions(result, document))
    if found:
        more = f" (and {len(found) - 1} more such)" if len(found) > 1 else ""
        raise IncoherentResultsError(
            path, f"does not agree with itself: {found[0]}{more}; it was changed after the run, so run again"
        )
    return result


def _parsed(path: Path, text: str) -> dict[str, Any]:
    if not text.strip():
        raise EmptyResultsError(path, "is empty")
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        if _breaks_off(text, error):
            raise TruncatedResultsError(path, "breaks off in the middle; write it again") from error
        where = f"line {error.lineno} column {error.colno}"
        raise NotJsonResultsError(path, f"is not JSON: {error.msg} at {where}") from error
    except RecursionError as error:
        raise NotJsonResultsError(path, "is nested too deeply") from error
    except ValueError as error:  # of Python's own: a number of thousands of digits
        raise NotJsonResultsError(path, f"is not JSON that can be read: {error}") from error
    if not isinstance(document, dict):
        raise NotJsonResultsError(path, "is JSON, but no object")
    return document


def _breaks_off(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the text ends before its JSON does; an open string is reported where it begins."""
    whole = text.strip()
    if not whole.startswith("{") or error.msg.startswith("Extra data"):
        return False
    return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string") or not whole.endswith("}")


def _check_format(path: Path, document: Mapping[str, JsonValue]) -> None:
    version = document.get("format")
    if version is None:
        raise UnknownFormatError(path, "has no `format`: it is no results file of mcp-tasks-conformance")
    if version != FORMAT or isinstance(version, bool):
        raise UnknownFormatError(path, f"has format {version!r}; this version reads format {FORMAT}")
    if "complete" not in document:
        raise TruncatedResultsError(path, "lacks its last member `complete`: something is missing before its end")


def _check_schema(path: Path, document: Mapping[str, JsonValue]) -> None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    schema = json.loads((root() / "schemas" / "files" / "results.schema.json").read_text(encoding="utf-8"))
    error = best_match(Draft202012Validator(schema).iter_errors(document))
    if error is not None:
        pointer = "".join(f"/{part}" for part in error.absolute_path)
        raise InvalidResultsError(path, pointer, error.message[:300])
