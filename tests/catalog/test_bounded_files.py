"""Files that somebody names are read whole or refused; nothing is read without end, and nothing waits for a pipe."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.baselines import Shelf, load_baseline
from mcp_tasks_conformance.catalog.bounded_files import LARGEST, contents
from mcp_tasks_conformance.catalog.file_kinds import FileKind, kind_of_file
from mcp_tasks_conformance.catalog.problems import CatalogError
from mcp_tasks_conformance.catalog.profiles import load_profile
from mcp_tasks_conformance.verdicts.results import UnreadableResultsError, read_results


@pytest.fixture(params=["device", "pipe"])
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """What never ends, or never begins."""
    if request.param == "device":
        return Path("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")


def test_what_is_no_regular_file_is_no_profile_no_baseline_and_no_result(endless: Path) -> None:
    assert kind_of_file(endless) is FileKind.SUITE
    with pytest.raises(CatalogError, match=r":1:1: the file cannot be read: it is no regular file$"):
        load_profile(endless, ())
    with pytest.raises(CatalogError, match=r":1:1: the file cannot be read: it is no regular file$"):
        load_baseline(endless, Shelf({}, ()))
    with pytest.raises(UnreadableResultsError, match=r": cannot be read: it is no regular file$"):
        read_results(endless)


def test_a_folder_is_none_either(tmp_path: Path) -> None:
    with pytest.raises(UnreadableResultsError, match="Is a directory"):
        read_results(tmp_path)


def test_a_file_that_is_too_large_is_refused_and_the_largest_is_read(tmp_path: Path) -> None:
    file = tmp_path / "large.yaml"
    with file.open("wb") as sparse:
        sparse.truncate(LARGEST)
    assert len(contents(file)) == LARGEST
    with file.open("wb") as sparse:
        sparse.truncate(LARGEST + 1)
    with pytest.raises(CatalogError, match=r"the file cannot be read: it is larger than 16 MB$"):
        load_baseline(file, Shelf({}, ()))
