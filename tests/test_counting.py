"""Numbers and what they count agree."""

from mcp_tasks_conformance.counting import counted, plural


def test_one_is_alone_and_all_others_are_several() -> None:
    assert [counted(number, "suite") for number in (0, 1, 2)] == ["0 suites", "1 suite", "2 suites"]
    assert [counted(number, "entry", "entries") for number in (1, 2)] == ["1 entry", "2 entries"]
    assert [plural(number, "MUST") for number in (1, 2)] == ["MUST", "MUSTs"]
