"""The report as Markdown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from mcp_tasks_conformance.events import Event, RunFinished
from mcp_tasks_conformance.reports.markdown import LIMIT, markdown_of
from mcp_tasks_conformance.reports.markup import code, inline, link
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from tests.golden import approved
from tests.reports.recordings import (
    EVENTS,
    FLAWLESS,
    HOSTILE,
    INTERRUPTED,
    KNOWN,
    PLANS,
    STALE,
    START,
    UNREACHABLE,
    hostile_run,
    reproduce,
    result_of,
)
from tests.verdicts.builders import check, finished

GOLDEN = Path(__file__).parent / "golden"
OURS = re.compile(r"</?(?:code|details|summary|pre)>")
"""The HTML that the page has of its own."""
TRICKS = (
    "</code></pre></details><script>x</script> | **b** _i_ `c` ![i](https://evil.example/i.png) [l](javascript:x) "
    "<https://evil.example> https://evil.example www.evil.example @someone #1 :fire: $x$ ~~s~~ [^1] &lt;b&gt; \\| \\` "
    "\r\n\r\n# heading\n\n- item\n\n```\n::error::x\n"
)


def tokens(page: str) -> list[Token]:
    """What a reader of Markdown makes of a page, its lines of text opened up."""
    flat: list[Token] = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page):
        flat += token.children or [token]
    return flat


def page(events: tuple[Event, ...], options: VerdictOptions | None = None) -> str:
    return markdown_of(result_of(events, options), reproduce)


@pytest.mark.parametrize(
    ("name", "events", "options"),
    [
        ("baseline", EVENTS, KNOWN),
        ("flawless", FLAWLESS, None),
        ("stale", FLAWLESS, STALE),
        ("unreachable", UNREACHABLE, None),
    ],
)
def test_the_page_is_the_approved_one(name: str, events: tuple[Event, ...], options: VerdictOptions | None) -> None:
    text = page(events, options)
    assert text == approved(GOLDEN / f"markdown-{name}.md", text)


@pytest.mark.parametrize(
    ("events", "options", "verdict"),
    [
        (EVENTS, None, "violations"),
        (FLAWLESS, None, "conformant, level full"),
        (FLAWLESS, STALE, "stale-baseline"),
        (UNREACHABLE, None, "could-not-test"),
        (INTERRUPTED, None, "violations"),
    ],
)
def test_the_verdict_is_the_first_line(events: tuple[Event, ...], options: VerdictOptions | None, verdict: str) -> None:
    assert page(events, options).splitlines()[0] == f"## MCP Tasks: {verdict}"


def test_every_violated_requirement_stands_in_the_table_with_its_link() -> None:
    text = page(EVENTS)
    assert "### Violated (3)" in text
    assert "| [<code>v1.cancel.terminal-rejected</code>](https://modelcontextprotocol.io/" in text
    assert "| <code>base.answers</code> | MUST |" in text


def test_what_was_sent_and_received_is_folded() -> None:
    text = page(EVENTS)
    assert text.count("<details>") == text.count("</details>") == text.count("<summary>")
    told = text.split("<summary>v1.cancel.terminal-rejected: what was sent and received</summary>")[1].split(
        "</details>"
    )[0]
    assert "expected  error: {code: -32602}" in told
    assert "reproduce mcp-tasks-conformance run" in told


def test_text_of_a_target_is_never_markup() -> None:
    text = page(hostile_run(TRICKS))
    found = tokens(text)
    assert {token.type for token in found if token.type.endswith("_open")} <= {
        f"{name}_open"
        for name in ("heading", "paragraph", "table", "thead", "tbody", "tr", "th", "td", "link", "strong")
    }
    assert "image" not in {token.type for token in found}
    for token in found:
        if token.type in ("html_inline", "html_block"):
            assert re.findall(r"<[^>]*>?", token.content) == OURS.findall(token.content)
        if token.type == "link_open":
            assert str(token.attrs["href"]).startswith(("https://modelcontextprotocol.io/", "https://example.org/"))
        if token.type == "heading_open":
            assert token.tag in ("h2", "h3")
    assert not re.search(r"[^\n -~]", text)


@pytest.mark.parametrize("make", [inline, code])
def test_a_piece_of_text_reads_as_it_was_and_stays_in_its_cell(make: object) -> None:
    assert callable(make)
    cell = make(TRICKS.replace("`", ""))
    read = tokens(f"| a | b |\n|---|---|\n| {cell} | end |\n")
    assert [token.content for token in read if token.type == "text"][-1] == "end"
    shown = "".join(token.content for token in read if token.type in ("text", "text_special"))
    assert TRICKS.replace("`", "").split("\r")[0] in shown
    assert "://" not in cell
    assert "www." not in cell


def test_what_our_own_rules_put_between_backticks_is_code() -> None:
    assert inline("the id in `_meta` | it") == "the id in <code>&#95;meta</code> &#124; it"


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("https://example.org/a_(b)|c d", None),
        ("https://example.org/a_(b)|c", "https://example.org/a_%28b%29%7Cc"),
        ("https://example.org/?q=%20#x", "https://example.org/?q=%20#x"),
        ('https://example.org/"><b>', "https://example.org/%22%3E%3Cb%3E"),
        ("javascript:alert(1)", None),
        (None, None),
    ],
)
def test_a_link_leads_to_the_web_or_nowhere(address: str | None, target: str | None) -> None:
    hrefs = [token.attrs["href"] for token in tokens(link("v1.a", address)) if token.type == "link_open"]
    assert hrefs == ([] if target is None else [target])


def test_a_target_cannot_make_the_page_too_long_to_be_shown() -> None:
    assert len(page(hostile_run(HOSTILE))) < 20_000


def test_a_page_that_would_be_too_long_loses_its_end_and_says_so() -> None:
    whole = page(EVENTS)
    for limit in (200, 1_000, 3_000, len(whole.encode()) - 1):
        short = markdown_of(result_of(EVENTS), reproduce, limit=limit)
        assert len(short.encode()) <= limit
        assert short.rstrip().endswith("It is in the results file.*")
        assert short.count("<details>") == short.count("</details>")
    assert "results file" not in whole
    assert short.splitlines()[0] == whole.splitlines()[0]


def test_the_limit_is_in_bytes_and_leaves_room_below_what_github_takes() -> None:
    ends = [finished(PLANS["returns-task"], check("v1.create.returns-task", "fail", observed="日本" * 100))]
    short = markdown_of(result_of((START, *ends, RunFinished(None))), limit=1_500)
    assert len(short.encode()) <= 1_500
    assert LIMIT < 1024 * 1024
