"""The results file: its exact form, its schema, the way back, and what is said of a bad one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mcp_tasks_conformance.catalog.library import root
from mcp_tasks_conformance.catalog.model import Baseline, Level
from mcp_tasks_conformance.events import (
    Direction,
    Outcome,
    RunFinished,
    ScenarioOutcome,
    Seen,
    SeenKind,
    TargetFailed,
)
from mcp_tasks_conformance.verdicts.document import from_document, to_document
from mcp_tasks_conformance.verdicts.model import (
    BaselineResult,
    CertificateLevel,
    Counts,
    EntryResult,
    EntryState,
    Failure,
    JudgedCheck,
    Proofs,
    RequirementResult,
    RunResult,
    RunVerdict,
    ScenarioResult,
    Tally,
    Verdict,
)
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from mcp_tasks_conformance.verdicts.results import (
    EmptyResultsError,
    InvalidResultsError,
    NotJsonResultsError,
    TruncatedResultsError,
    UnknownFormatError,
    UnreadableResultsError,
    UnwritableResultsError,
    read_results,
    write_results,
)
from tests.golden import approved
from tests.verdicts.builders import check, finished, message, must, planned, run, started, waiver

GOLDEN = Path(__file__).parent / "golden" / "results.json"
SCHEMA = Draft202012Validator(
    json.loads((root() / "schemas" / "files" / "results.schema.json").read_text(encoding="utf-8"))
)


def sample() -> RunResult:
    """A run with something of everything."""
    rules = [
        must("v1.cancel.terminal-rejected"),
        must("v1.get.prompt", Level.SHOULD, ambiguity="Prompt is no number.", link=None),
        must("v1.cancel.stays", Level.MUST_NOT),
        must("v1.list.paged"),
        must("v1.result.same"),
        must("v1.ttl.cleanup", Level.SHOULD, observe="internal", why="Memory is the receiver's own."),
        must("quality.session-isolation", Level.QUALITY, link=None),
        must("base.envelope", generation="both", party="both"),
    ]
    refuses = planned("refuses", "v1.cancel.terminal-rejected", "v1.get.prompt")
    stays = planned("stays", "v1.cancel.stays")
    paged = planned("paged", "v1.list.paged", skip="the target does not declare tasks.list")
    apart = planned("apart", "quality.session-isolation")
    same = planned("same", "v1.result.same")
    lost = planned("lost", "quality.session-isolation")
    known = Baseline(
        Path("baseline.yaml"),
        (
            waiver("v1.result.same", same.key, link="https://example.org/issues/7", expires=date(2026, 6, 30)),
            waiver("base.envelope", transports=("http",), line=9),
        ),
    )
    transcript = (
        message(0, "sent", '{"jsonrpc":"2.0","id":1,"method":"tasks/cancel","params":{"taskId":"é\u2028"}}'),
        message(1, "received", '{"jsonrpc":"2.0","id":1,"result":{}}', detail={"status": 200}),
    )
    return run(
        rules,
        started(refuses, stays, paged, apart, same, lost, options={"command": ["node", "server.js"]}),
        finished(
            refuses,
            check(
                "v1.cancel.terminal-rejected",
                "fail",
                observed="error: nothing",
                messages=(0, 1),
                because="An end is an end.",
            ),
            check("v1.get.prompt", "warn", observed="1200 ms"),
            check("base.envelope", source="monitor envelope"),
            outcome="failed",
            transcript=transcript,
        ),
        finished(stays, check("v1.cancel.stays", control="tasks/cancel"), attempts=2, flaky=True),
        finished(apart, check("quality.session-isolation", "fail", observed="the other session's task was found")),
        finished(same, check("v1.result.same", "fail"), outcome="failed"),
        finished(
            lost,
            outcome="inconclusive",
            unconfirmed=("v1.cancel.stays",),
            reason="send, line 3: found nothing",
            transcript=transcript,
        ),
        RunFinished(None, "listening\nbye", {"total_ms": 1234}),
        ends=False,
        options=VerdictOptions(baseline=known, today=date(2026, 6, 30)),
    )


def test_the_results_file_is_as_it_always_was(tmp_path: Path) -> None:
    write_results(tmp_path / "results.json", sample())
    written = (tmp_path / "results.json").read_text(encoding="utf-8")
    assert written == approved(GOLDEN, written)


def test_the_last_member_says_whether_the_file_is_whole() -> None:
    assert list(to_document(sample()))[-1] == "complete"


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    write_results(tmp_path / "results.json", sample())
    assert read_results(tmp_path / "results.json") == sample()


@pytest.mark.parametrize(
    "result",
    [
        run([must("v1.a")], TargetFailed("nosuch: command not found", None, None)),
        run([must("v1.a")], TargetFailed("it exited at once", "Look at its output.", "boom")),
        run([must("v1.a")], started(planned("one", "v1.a")), ends=False),
    ],
    ids=["unreachable", "unreachable with a hint", "interrupted"],
)
def test_a_run_that_came_to_nothing_has_a_results_file_all_the_same(tmp_path: Path, result: RunResult) -> None:
    write_results(tmp_path / "results.json", result)
    assert read_results(tmp_path / "results.json") == result


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
maybe = st.none() | texts
counts = st.integers(0, 10**6)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(texts, plain, max_size=3)
tallies = st.builds(Tally, counts, counts, counts, counts, counts, counts, counts)
requirements = st.builds(
    RequirementResult,
    id=texts,
    generation=st.sampled_from(["v1", "v2", "both"]),
    specification=st.sampled_from(["base", "v1", "v2", "quality"]),
    level=st.sampled_from(Level),
    party=st.sampled_from(["server", "client", "receiver", "requestor", "both"]),
    rule=texts,
    verdict=st.sampled_from(Verdict),
    proofs=st.builds(Proofs, counts, counts, counts),
    counted=st.booleans(),
    link=maybe,
    ambiguity=maybe,
    reason=maybe,
    observed=maybe,
)
scenarios = st.builds(
    ScenarioResult,
    key=texts,
    scenario=texts,
    title=texts,
    parameters=objects,
    proves=st.lists(texts, max_size=3).map(tuple),
    place=texts,
    outcome=st.sampled_from(ScenarioOutcome),
    reason=maybe,
    duration_ms=counts,
    attempts=counts,
    flaky=st.booleans(),
)
checks = st.builds(
    JudgedCheck,
    scenario=texts,
    requirement=texts,
    source=texts,
    outcome=st.sampled_from(Outcome),
    expected=texts,
    observed=texts,
    messages=st.lists(counts, max_size=3).map(tuple),
    because=maybe,
    control=maybe,
    sent=maybe,
    fails=st.booleans(),
    waived=maybe,
)
lists = st.lists(texts, max_size=3).map(tuple)
baselines = st.builds(
    BaselineResult,
    file=texts,
    entries=st.lists(
        st.builds(
            EntryResult,
            requirement=texts,
            reason=texts,
            place=texts,
            state=st.sampled_from(EntryState),
            scenarios=lists,
            link=maybe,
            expires=maybe,
            transports=lists,
            occurred=lists,
        ),
        max_size=3,
    ).map(tuple),
)
dropped = st.builds(lambda check, reason: replace(check, dropped=reason), checks, texts)
entries = st.builds(
    Seen,
    index=counts,
    at=st.integers(0, 10**9).map(lambda micros: micros / 10**6),
    direction=st.sampled_from(Direction),
    kind=st.sampled_from(SeenKind),
    connection=texts,
    stream=texts,
    text=texts,
    detail=st.dictionaries(texts.filter(lambda name: name != "cut_from"), plain, max_size=3),
)
results = st.builds(
    RunResult,
    suite=st.just({"version": "0.1.0", "digest": "abc"}),
    target=objects,
    options=objects,
    verdict=st.sampled_from(RunVerdict),
    reason=texts,
    level=st.sampled_from(CertificateLevel),
    level_reason=maybe,
    generations=st.just({"detected": ["v1"], "run": ["v1"]}),
    counts=st.builds(Counts, tallies, tallies, tallies, tallies),
    requirements=st.lists(requirements, max_size=3).map(tuple),
    scenarios=st.lists(scenarios, max_size=3).map(tuple),
    checks=st.lists(checks, max_size=3).map(tuple),
    dropped=st.lists(dropped, max_size=2).map(tuple),
    transcripts=st.dictionaries(texts, st.lists(entries, max_size=3).map(tuple), max_size=2),
    timing=st.just({"total_ms": 12.5}),
    baseline=st.none() | baselines,
    failure=st.none() | st.builds(Failure, texts, maybe),
    stderr_tail=maybe,
    ended_early=maybe,
    complete=st.booleans(),
)


@given(results)
def test_any_result_survives_the_way_through_its_document_which_the_schema_accepts(result: RunResult) -> None:
    document = json.loads(json.dumps(to_document(result)))
    assert list(SCHEMA.iter_errors(document)) == []
    assert from_document(document) == result


@given(results)
def test_any_result_survives_the_way_through_a_file(
    tmp_path_factory: pytest.TempPathFactory, result: RunResult
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    write_results(path, result)
    assert from_document(json.loads(path.read_bytes())) == result


HIDDEN = "a lone \ud800 surrogate, \x9b2J a terminal's command, \u202e turned, \u2028 another line, \x7f"


def test_text_that_utf8_cannot_hold_or_a_terminal_would_obey_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_results(path, replace(sample(), reason=HIDDEN, target={"name": "\x1b[2J"}))
    text = path.read_text(encoding="utf-8")
    assert not any(character in text for character in "\ud800\x9b\u202e\u2028\x7f\x1b")
    assert read_results(path).reason == HIDDEN
    assert read_results(path).target == {"name": "\x1b[2J"}


def test_writing_replaces_what_was_there_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text("old")
    write_results(path, sample())
    assert list(tmp_path.iterdir()) == [path]
    assert read_results(path) == sample()


def test_a_results_file_has_the_rights_that_any_new_file_has(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    write_results(tmp_path / "results.json", sample())
    assert (tmp_path / "results.json").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_write_that_fails_keeps_the_old_file_and_leaves_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.json"
    path.write_text("old")

    def refuse(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(UnwritableResultsError, match="cannot be written: No space left on device"):
        write_results(path, sample())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnwritableResultsError, match=r"nowhere/results\.json: cannot be written: No such file"):
        write_results(tmp_path / "nowhere" / "results.json", sample())


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_results(Path(os.devnull), sample())
    assert not Path(os.devnull).is_file()


def written(tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """A results file with one thing changed."""
    document: dict[str, Any] = json.loads(json.dumps(to_document(sample())))
    change(document)
    path = tmp_path / "results.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_every_way_of_breaking_off_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_results(path, sample())
    whole = path.read_bytes().rstrip()
    for length in range(1, len(whole), 97):
        path.write_bytes(whole[:length])
        with pytest.raises((TruncatedResultsError, NotJsonResultsError)) as caught:
            read_results(path)
        if caught.type is NotJsonResultsError:  # only where a character of several bytes is cut in two
            assert "is not UTF-8" in caught.value.problem


def test_a_file_without_its_last_member_is_called_broken_off(tmp_path: Path) -> None:
    with pytest.raises(TruncatedResultsError, match="lacks its last member `complete`"):
        read_results(written(tmp_path, lambda document: document.pop("complete")))


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_file_is_called_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(EmptyResultsError, match=r"results\.json: is empty"):
        read_results(tmp_path / "results.json")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<html>", "is not JSON: Expecting value at line 1 column 1"),
        ('{"format": 1} trailing', "is not JSON: Extra data at line 1 column 15"),
        ('{"format": x}', "is not JSON: Expecting value at line 1 column 12"),
        ("[1]", "is JSON, but no object"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_a_file_that_is_no_json_object_says_where(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(NotJsonResultsError) as caught:
        read_results(tmp_path / "results.json")
    assert caught.value.problem == problem


def test_a_number_of_thousands_of_digits_is_refused(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text('{"format": ' + "9" * 10_000 + "}")
    with pytest.raises(NotJsonResultsError, match="is not JSON that can be read: Exceeds the limit"):
        read_results(tmp_path / "results.json")


@pytest.mark.parametrize("version", [0, 2, "1", True])
def test_an_unknown_format_is_refused_by_name(tmp_path: Path, version: object) -> None:
    with pytest.raises(UnknownFormatError, match=f"has format {version!r}; this version reads format 1"):
        read_results(written(tmp_path, lambda document: document.update(format=version)))


def test_json_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text('{"name": "package"}')
    with pytest.raises(UnknownFormatError, match="it is no results file"):
        read_results(tmp_path / "results.json")


def break_verdict(document: dict[str, Any]) -> None:
    document["requirements"][2]["verdict"] = "fine"


def break_key(document: dict[str, Any]) -> None:
    document["surprise"] = 1


def break_dropped(document: dict[str, Any]) -> None:
    document["dropped"][0].pop("dropped")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [(break_verdict, "/requirements/2/verdict"), (break_key, ""), (break_dropped, "/dropped/0")],
)
def test_a_breach_of_the_schema_says_where(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], pointer: str
) -> None:
    with pytest.raises(InvalidResultsError) as caught:
        read_results(written(tmp_path, change))
    assert caught.value.pointer == pointer


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnreadableResultsError, match=r"nothing\.json: cannot be read: No such file or directory"):
        read_results(tmp_path / "nothing.json")


def test_every_object_of_the_schema_is_described_to_its_last_member() -> None:
    """What the writer writes and what the schema lists are the same members, so that neither drifts."""
    document: Any = json.loads(json.dumps(to_document(sample())))
    schema: Any = SCHEMA.schema
    assert list(document) == list(schema["properties"]) == schema["required"]
    for kind, rows in {
        "requirement": document["requirements"],
        "scenario": document["scenarios"],
        "check": document["checks"] + document["dropped"],
        "seen": [entry for entries in document["transcripts"].values() for entry in entries],
        "tally": list(document["counts"].values()),
        "entry": document["baseline"]["entries"],
    }.items():
        written_members = {member for row in rows for member in row}
        assert written_members == set(schema["$defs"][kind]["properties"]), kind
