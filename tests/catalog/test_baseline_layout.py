"""Baselines are written as they are read."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.catalog import source
from mcp_tasks_conformance.catalog.baseline_layout import laid_out
from mcp_tasks_conformance.catalog.baselines import TRANSPORTS, Shelf, read_baseline
from mcp_tasks_conformance.catalog.model import Place, Waiver
from mcp_tasks_conformance.catalog.problems import Problems
from mcp_tasks_conformance.catalog.runs import keys_of
from tests.catalog.samples import SMALL

SHELF = Shelf(SMALL.requirements, SMALL.scenarios.values())
NOWHERE = Place(Path("-"), 1, 1)
KEYS = [key for scenario in SMALL.scenarios.values() for key in (scenario.id, *keys_of(scenario))]

texts = st.text(st.characters(exclude_categories=["Cs"])).map(str.strip).filter(bool)
words = st.sampled_from(
    ["yes", "NULL", "7", "1e3", "2027-01-01", "a: b", "a #b", "- a", "{}", "it's", '"', "~", "a  b"]
)
waivers = st.builds(
    Waiver,
    requirement=st.sampled_from(sorted(SMALL.requirements)),
    reason=texts | words,
    place=st.just(NOWHERE),
    scenarios=st.lists(st.sampled_from([*KEYS, "*", "v1/*/cancel/*"]), unique=True, max_size=3).map(tuple),
    link=st.none() | st.sampled_from(["https://example.org/issues/7?a=b#c"]),
    expires=st.none() | st.dates(min_value=date(1000, 1, 1)),
    transports=st.lists(st.sampled_from(TRANSPORTS), unique=True, max_size=3).map(tuple),
    sometimes=st.booleans(),
)


def read(text: str) -> list[Waiver]:
    problems = Problems()
    document = source.parse(text.encode(), Path("baseline.yaml"), problems, empty={})
    problems.settle()
    assert document is not None
    baseline = read_baseline(document, Path("baseline.yaml"), SHELF)
    return [replace(waiver, place=NOWHERE, keys=frozenset()) for waiver in baseline.waivers]


def by_requirement(listed: list[Waiver]) -> list[Waiver]:
    """Those of one requirement together, as the first of them stands."""
    order = list(dict.fromkeys(waiver.requirement for waiver in listed))
    return sorted(listed, key=lambda waiver: order.index(waiver.requirement))


@given(st.lists(waivers, max_size=4))
def test_what_is_written_is_what_is_read(listed: list[Waiver]) -> None:
    assert read(laid_out(listed)) == by_requirement(listed)


def test_a_baseline_reads_like_one_that_people_write() -> None:
    key = next(key for key in KEYS if "[" in key)
    first = Waiver("v1.cancel.terminal-rejected", "to be explained", NOWHERE, (key, "v1/receiver/cancel/*"))
    second = Waiver("v1.cancel.terminal-rejected", "it's over", NOWHERE, link="https://example.org/7")
    third = Waiver("v1.status.terminal-final", "known", NOWHERE, expires=date(2027, 6, 30), transports=("http",))
    text = laid_out([first, third, second])
    assert text.split("\n", 2)[2] == (
        "v1.cancel.terminal-rejected:\n"
        "  - reason: to be explained\n"
        "    scenarios:\n"
        f'      - "{key}"\n'
        '      - "v1/receiver/cancel/*"\n'
        '  - reason: "it\'s over"\n'
        '    link: "https://example.org/7"\n'
        "v1.status.terminal-final:\n"
        "  reason: known\n"
        '  expires: "2027-06-30"\n'
        "  transports: [http]\n"
    )


def test_nothing_to_waive_is_a_baseline_too() -> None:
    assert read(laid_out([])) == []


def test_a_baseline_of_nothing_shows_how_an_entry_reads_which_is_one_without_the_marks_of_a_comment() -> None:
    shown = "\n".join(line[2:] for line in laid_out([]).splitlines() if line.startswith(("# v1.", "#   ")))
    (waiver,) = read(shown)
    assert waiver.requirement == "v1.cancel.terminal-rejected"
    assert laid_out([]).count("{}") == 0
