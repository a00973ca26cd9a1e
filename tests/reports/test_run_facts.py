"""What a run notes of itself, and what its target has no tool for, stand in every report that outlives the terminal."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

from mcp_tasks_conformance.reports.junit import junit_of
from mcp_tasks_conformance.reports.markdown import markdown_of
from tests.verdicts.builders import check, finished, must, planned, run, started

PLAN, WITHOUT = planned("one", "v1.a"), planned("two", "v1.b", skip="no tool is known for floods: one call cannot tell")
RESULT = run(
    [must("v1.a"), must("v1.b")],
    started(
        PLAN,
        WITHOUT,
        target={
            "name": "sample",
            "notes": ["the target <b>broadcasts</b>: scenarios ran apart"],
            "not_shown": [
                {"behaviour": "floods", "reason": "one call cannot tell", "line": "floods: {tool: TOOL}"},
            ],
            "amiss_in_trials": {"v1.b": "a trial call was never answered"},
        },
    ),
    finished(PLAN, check("v1.a")),
)


def test_a_markdown_page_has_the_notes_before_everything_else_that_is_told() -> None:
    page = markdown_of(RESULT)
    assert "\nNote: the target &#60;b&#62;broadcasts&#60;/b&#62;: scenarios ran apart\n" in page
    assert page.index("Note:") < page.index("applicable")


def test_a_markdown_page_has_the_behaviours_without_a_tool_and_what_trial_calls_showed() -> None:
    page = markdown_of(RESULT)
    assert "<summary>Behaviours without a tool (1)</summary>" in page
    assert "| <code>floods</code> | one call cannot tell | <code>floods: {tool: TOOL}</code> |" in page
    assert "| <code>v1.b</code> | a trial call was never answered |" in page


def test_junit_has_them_as_properties_of_the_run() -> None:
    properties = Xml.fromstring(junit_of(RESULT)).findall("testsuite[@name='run']/properties/property")
    told = [(each.get("name"), each.get("value")) for each in properties]
    assert ("note", "the target <b>broadcasts</b>: scenarios ran apart") in told
    assert ("behaviour without a tool", "floods: one call cannot tell") in told
    assert ("not exercised", "no tool is known for floods: one call cannot tell: v1.b") in told
