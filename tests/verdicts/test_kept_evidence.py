"""What a result keeps of transcripts and of the requests behind checks, and what it cuts."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import Check, RunFinished, SeenKind
from mcp_tasks_conformance.verdicts.model import RunResult
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from tests.verdicts.builders import check, finished, message, must, planned, run, simple, started

ASKED = '{"jsonrpc":"2.0","id":3,"method":"tasks/cancel","params":{"taskId":"t1"}}'
ANSWER = '{"jsonrpc":"2.0","id":3,"result":{}}'


def sent(result: RunResult) -> str | None:
    return result.checks[0].sent


def test_a_failed_check_keeps_the_request_among_its_messages() -> None:
    transcript = (message(0, "sent", ASKED), message(1, "received", ANSWER))
    assert sent(simple(must("v1.a"), check("v1.a", "fail", messages=(0, 1)), transcript=transcript)) == ASKED


def test_a_failed_check_of_an_answer_alone_finds_the_request_by_its_id() -> None:
    transcript = (
        message(0, "sent", ASKED.replace("t1", "of another connection"), connection="second"),
        message(1, "sent", ASKED.replace("t1", "an earlier use of the id")),
        message(2, "sent", ASKED),
        message(3, "sent", '{"jsonrpc":"2.0","id":4,"method":"ping"}'),
        message(4, "received", ANSWER),
        message(5, "sent", ASKED.replace("t1", "a later use of the id")),
    )
    assert sent(simple(must("v1.a"), check("v1.a", "fail", messages=(4,)), transcript=transcript)) == ASKED


def test_a_second_answer_is_told_with_what_was_sent_before_it() -> None:
    replied = '{"jsonrpc":"2.0","id":"q","result":{}}'
    transcript = (
        message(0, "sent", ASKED),
        message(1, "received", ANSWER),
        message(2, "sent", replied),
        message(3, "received", ANSWER),
    )
    assert sent(simple(must("v1.a"), check("v1.a", "fail", messages=(3,)), transcript=transcript)) == replied
    assert sent(simple(must("v1.a"), check("v1.a", "fail", messages=(1,)), transcript=transcript)) == ASKED


def test_a_failed_check_of_a_notification_has_no_request() -> None:
    transcript = (message(0, "sent", ASKED), message(1, "received", '{"jsonrpc":"2.0","method":"x"}'))
    assert sent(simple(must("v1.a"), check("v1.a", "fail", messages=(1,)), transcript=transcript)) is None


def test_an_http_request_of_our_own_making_is_told_by_its_method() -> None:
    entry = message(0, "sent", "", kind=SeenKind.HTTP, detail={"method": "DELETE"})
    assert sent(simple(must("v1.a"), check("v1.a", "fail", messages=(0,)), transcript=(entry,))) == "HTTP DELETE"


def test_a_passed_check_keeps_no_request_of_its_own() -> None:
    transcript = (message(0, "sent", ASKED), message(1, "received", ANSWER))
    assert sent(simple(must("v1.a"), check("v1.a", messages=(0, 1)), transcript=transcript)) is None


PING = '{"jsonrpc":"2.0","id":4,"method":"ping"}'
PONG = '{"jsonrpc":"2.0","id":4,"result":{}}'
REFUSED = '{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no such tool"}}'


@pytest.mark.parametrize("messages", [(), (0,), (0, 1)])
def test_a_check_that_found_nothing_keeps_the_answer_that_came_instead(messages: tuple[int, ...]) -> None:
    transcript = (
        message(0, "sent", ASKED),
        message(1, "received", REFUSED),
        message(2, "sent", PING),
        message(3, "received", PONG),
    )
    judged = check("v1.a", "fail", observed="none within 3.0 s", messages=messages)
    assert simple(must("v1.a"), judged, transcript=transcript).checks[0].came == REFUSED


@pytest.mark.parametrize("judged", [check("v1.a", "fail", observed="-32600"), check("v1.a", observed="nothing")])
def test_a_check_that_found_something_or_passed_keeps_no_other_message(judged: Check) -> None:
    transcript = (message(0, "sent", ASKED), message(1, "received", REFUSED))
    assert simple(must("v1.a"), judged, transcript=transcript).checks[0].came is None


def test_a_target_that_said_nothing_gives_nothing_to_keep() -> None:
    judged = check("v1.a", "fail", observed="nothing within 3.0 s")
    assert simple(must("v1.a"), judged, transcript=(message(0, "sent", ASKED),)).checks[0].came is None


def test_an_answer_to_something_else_does_not_stand_for_the_one_that_never_came() -> None:
    transcript = (message(0, "sent", ASKED), message(1, "received", REFUSED), message(2, "sent", PING))
    judged = check("v1.a", "fail", observed="ping: no answer within 3.0 s")
    assert simple(must("v1.a"), judged, transcript=transcript).checks[0].came is None


def test_an_inconclusive_scenario_keeps_what_came_where_something_did_not() -> None:
    transcript = (message(0, "sent", ASKED), message(1, "received", REFUSED))
    for reason, came in (("there is nothing at $first.result.content", REFUSED), ("expected 1, found 2", None)):
        plan = planned("only", "v1.a")
        ended = finished(plan, outcome="inconclusive", reason=reason, transcript=transcript)
        assert run([must("v1.a")], started(plan), ended).scenarios[0].came == came


@pytest.mark.parametrize(("kept", "names"), [("all", ["good", "bad"]), ("failing", ["bad"]), ("none", [])])
def test_transcripts_are_kept_as_asked_for(kept: str, names: list[str]) -> None:
    good, bad, skipped = planned("good", "v1.a"), planned("bad", "v1.a"), planned("skipped", "v1.a", skip="no")
    entry = (message(0, "sent", ASKED),)
    result = run(
        [must("v1.a")],
        started(good, bad, skipped),
        finished(good, check("v1.a"), transcript=entry),
        finished(bad, outcome="inconclusive", reason="x", transcript=entry),
        options=VerdictOptions(transcripts=kept),  # type: ignore[arg-type]
    )
    assert [key.rpartition("/")[2] for key in result.transcripts] == names


def test_a_long_message_is_cut_and_its_length_said() -> None:
    entry = message(0, "received", "x" * 30_000, detail={"status": 200})
    result = simple(must("v1.a"), check("v1.a"), transcript=(entry,))
    (kept,) = result.transcripts["v1/receiver/suite/only"]
    assert len(kept.text) == 20_000
    assert kept.detail == {"status": 200, "cut_from": 30_000}


def test_a_message_that_just_fits_is_kept_whole() -> None:
    result = simple(must("v1.a"), check("v1.a"), transcript=(message(0, "received", "x" * 20_000),))
    (kept,) = result.transcripts["v1/receiver/suite/only"]
    assert (len(kept.text), kept.detail) == (20_000, {})


def test_a_request_is_found_by_its_id_even_where_its_text_is_cut() -> None:
    long = ASKED.replace("t1", "t" * 30_000)
    transcript = (message(0, "sent", long), message(1, "received", ANSWER))
    found = sent(simple(must("v1.a"), check("v1.a", "fail", messages=(1,)), transcript=transcript))
    assert found is not None
    assert found.startswith('{"jsonrpc":"2.0","id":3,"method":"tasks/cancel"')
    assert found.endswith(f"... (cut, {len(long)} characters in all)")


def test_wordings_that_quote_megabytes_are_cut() -> None:
    result = simple(must("v1.a"), check("v1.a", "fail", observed="x" * 1_000_000), reason="y" * 1_000_000)
    assert len(result.checks[0].observed) < 5_000
    assert result.checks[0].observed.endswith("... (cut, 1000000 characters in all)")
    assert len(result.scenarios[0].reason or "") < 5_000


def test_the_end_of_a_long_stderr_is_what_is_kept() -> None:
    plan = planned("only", "v1.a")
    tail = "begin " + "x" * 10_000 + " end"
    result = run([must("v1.a")], started(plan), RunFinished(None, tail), ends=False)
    assert result.stderr_tail is not None
    assert result.stderr_tail.endswith(" end")
    assert len(result.stderr_tail) == 4_000


def test_facts_that_json_cannot_hold_are_made_plain() -> None:
    deep: list[object] = []
    for _ in range(100):
        deep = [deep]
    facts = {"nan": float("nan"), "minus": float("-inf"), "tuple": (1, 2), "deep": deep}
    result = simple(must("v1.a"), check("v1.a"), facts=facts)  # type: ignore[arg-type]
    assert result.target["nan"] == "nan"
    assert result.target["minus"] == "-inf"
    assert result.target["tuple"] == [1, 2]
    assert "nested too deeply" in str(result.target["deep"])
