"""The page about the language lists every verb and matcher as they are, and what it says to paste works."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.language_page import renewed
from mcp_tasks_conformance.catalog.matchers import MATCHERS
from mcp_tasks_conformance.catalog.verbs import VERBS

PAGE = Path(__file__).parent.parent.parent / "docs" / "scenario-language.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_is_in_step() -> None:
    assert renewed(TEXT) == TEXT, (
        "run `python -m mcp_tasks_conformance.catalog.language_page docs/scenario-language.md`"
    )


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_is_listed_with_its_keys(name: str) -> None:
    (listed,) = re.findall(rf"^- \*\*`{name}:?`.*\n((?:  - .*\n)*)", TEXT, re.MULTILINE)
    assert re.findall(r"^  - `(\w+)`", listed, re.MULTILINE) == list(VERBS[name].keys)


@pytest.mark.parametrize("name", MATCHERS)
def test_every_matcher_is_listed(name: str) -> None:
    assert f"\n- `{name}` " in TEXT


def test_a_page_without_a_place_for_the_list_is_told() -> None:
    with pytest.raises(ValueError, match="the page has no lines"):
        renewed("# Another page\n")


def test_what_the_page_says_to_paste_works(tmp_path: Path) -> None:
    """The first scenario as it stands there, and every command after it; a comment says which ones do not end in 0."""
    part = TEXT.partition("## Your first scenario")[2].partition("\n## ")[0]
    blocks = re.findall(r"```(\w+)\n(.*?)```", part, re.DOTALL)
    assert blocks[0][0] == "yaml"
    (tmp_path / "my.scenario.yaml").write_text(blocks[0][1])
    commands = [line for kind, text in blocks if kind == "sh" for line in text.splitlines()]
    assert len(commands) >= 5
    for line in commands:
        _, *words = shlex.split(line, comments=True)
        expected = re.search(r"# exit code (\d)", line)
        ended = subprocess.run(
            [sys.executable, "-P", "-m", "mcp_tasks_conformance", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ended.returncode == (int(expected[1]) if expected else 0), f"{line}\n{ended.stdout}{ended.stderr}"
