"""Names and references of a running scenario."""

from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.model import Matcher, Place, Ref
from mcp_tasks_conformance.engine.scope import ABSENT, Held, NothingThere, Scope, unknown_id

HERE = Place(Path("suite.yaml"), 1, 1)


def ref(name: str, *path: str | int) -> Ref:
    return Ref(name, path, HERE)


def test_a_reference_is_replaced_whole_so_that_a_number_stays_a_number() -> None:
    assert Scope({"ttl": 5}).fill({"task": {"ttl": ref("ttl")}}) == {"task": {"ttl": 5}}


def test_members_and_indices_are_followed() -> None:
    scope = Scope({"page": {"tasks": [{"id": "a"}, {"id": "b"}]}})
    assert scope.get(ref("page", "tasks", 1, "id")) == "b"
    assert scope.find(ref("page", "tasks", 2, "id")) is ABSENT


def test_a_held_value_keeps_its_members() -> None:
    assert Scope({"job": Held({"taskId": "t"}, at=1.0)}).get(ref("job", "taskId")) == "t"


def test_what_leads_nowhere_is_an_error_that_names_the_reference() -> None:
    with pytest.raises(NothingThere, match=r"\$job\.pollInterval"):
        Scope({"job": {}}).get(ref("job", "pollInterval"))


def test_inner_names_stay_inside_and_outer_ones_show_through() -> None:
    outer = Scope({"a": 1})
    inner = outer.inner({"b": 2})
    inner.bind("c", 3)
    assert [inner.find(ref(name)) for name in "abc"] == [1, 2, 3]
    assert outer.find(ref("c")) is ABSENT


def test_a_computed_name_is_another_value_at_every_use() -> None:
    scope = Scope(computed={"unknown_id": unknown_id})
    assert scope.get(ref("unknown_id")) != scope.get(ref("unknown_id"))


def test_a_matcher_in_what_we_send_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="matcher"):
        Scope().fill(Matcher("$type", "string", HERE))
