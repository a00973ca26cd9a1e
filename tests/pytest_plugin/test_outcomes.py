"""What each ending of a scenario is to pytest, in whole sessions against real servers."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.pytest_plugin.sessions import DATA, STORIES, Ended, reference, run_all

OWN = {"stories.scenario.yaml": STORIES, "test_own.py": "def test_own(): pass\n"}
WAIVES = "v1.cancel.terminal-rejected: {scenarios: v1/receiver/stories/refuses, reason: known since 1.2}\n"
PROFILE = "profile: mortal\nbehaviours:\n  completes: {tool: work, arguments: {}, duration_ms: 10}\n"
SOUND = ("--mcp-command", reference("--stdio"))
BROKEN = ("--mcp-command", reference("--stdio", "--fault", "cancel-ended-accepted"))
LAX = ("--mcp-command", reference("--stdio", "--fault", "get-with-related-task"))
UNNAMED = ("--mcp-command", reference("--stdio", "--fault", "created-without-related-task"))
MORTAL = ("--mcp-command", f"{sys.executable} -S -E {DATA / 'mortal.py'}", "--mcp-profile", "profile.yaml")
STALE = {**OWN, "baseline.yaml": WAIVES}
OF_WARNING = "error::mcp_tasks_conformance.pytest_plugin.McpTasksWarning"
SESSIONS: Mapping[str, tuple[tuple[str, ...], Mapping[str, str]]] = {
    "sound": ((".", *SOUND, "--mcp-results", "results.json", "-v"), OWN),
    "broken": ((".", *BROKEN), OWN),
    "waived": ((".", *BROKEN, "--mcp-baseline", "baseline.yaml"), STALE),
    "waived, and still": ((".", *BROKEN, "--mcp-baseline", "baseline.yaml", "--runxfail"), STALE),
    "stale": ((".", *SOUND, "--mcp-baseline", "baseline.yaml"), STALE),
    "lax": ((".", *LAX), OWN),
    "lax, and strict": ((".", *LAX, "--mcp-strict"), OWN),
    "lax, and warnings are errors": ((".", *LAX, "-W", OF_WARNING), OWN),
    "unnamed": ((".", *UNNAMED), OWN),
    "mortal": (("stories.scenario.yaml::ends", *MORTAL), {**OWN, "profile.yaml": PROFILE}),
    "nobody there": ((".", "--mcp-url", "http://127.0.0.1:9/mcp"), OWN),
    "husk": ((".", "--mcp-command", reference("--stdio", "--husk", "courteous-32602")), OWN),
    "too little": ((".", *SOUND, "--mcp-min-proven", "500"), OWN),
    "nothing that applies": (("stories.scenario.yaml::has-no-point", *SOUND), OWN),
}
FATE = {
    "refuses[ending=completes]": "passed",
    "refuses[ending=fails-rpc-error]": "passed",
    "ends": "passed",
    "recommends": "passed",
    "has-no-point": "skipped",
    "stays-open": "skipped",
    "test_own": "passed",
}
"""Of each item where the target is sound."""
REFUSALS = ("refuses[ending=completes]", "refuses[ending=fails-rpc-error]")


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    return run_all(tmp_path_factory.mktemp("outcomes"), SESSIONS)


@pytest.mark.parametrize("name", SESSIONS)
def test_no_process_is_left(ended: dict[str, Ended], name: str) -> None:
    assert ended[name].left == []


def test_scenarios_of_a_sound_server_pass_and_the_rest_is_skipped_with_the_reason(ended: dict[str, Ended]) -> None:
    sound = ended["sound"]
    assert sound.outcomes == FATE
    assert "not applicable: it is about memory" in sound.words["has-no-point"]
    open_ = "inconclusive: await_status, line 41: expected status cancelled, found status "
    assert open_ in sound.words["stays-open"]
    assert sound.exit_code == 0


def test_a_scenario_stands_where_its_file_has_it(ended: dict[str, Ended]) -> None:
    line = STORIES.splitlines().index("  - id: has-no-point") + 1
    assert f"stories.scenario.yaml:{line}: not applicable" in ended["sound"].words["has-no-point"]
    assert "stories.scenario.yaml::refuses[ending=completes] PASSED" in ended["sound"].said


def test_the_verdict_is_told_at_the_end_and_in_the_results(ended: dict[str, Ended]) -> None:
    assert "Verdict: conformant" in ended["sound"].said
    folder = next(Path(word.partition(": ")[2]) for word in ended["sound"].said.splitlines() if "rootdir" in word)
    results = json.loads((folder / "results.json").read_text())
    assert results["complete"] is True
    outcomes = Counter(row["outcome"] for row in results["scenarios"])
    assert outcomes == {"passed": 4, "inconclusive": 1, "not applicable": 1}


def test_a_violation_fails_in_the_words_of_the_terminal_report(ended: dict[str, Ended]) -> None:
    broken = ended["broken"]
    assert broken.outcomes == FATE | dict.fromkeys(REFUSALS, "failed")
    assert broken.exit_code == 1
    words = " ".join(broken.words[REFUSALS[0]].split())
    for said in (
        "violated: v1.cancel.terminal-rejected",
        "v1.cancel.terminal-rejected MUST",
        "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-cancellation",
        'sent tasks/cancel {"taskId": "',
        'received {"result": {"taskId": "',
        "expected error: {code: -32602}",
        "mcp-tasks-conformance run stories.scenario.yaml",
    ):
        assert said in words
    assert "Traceback" not in broken.said


def test_what_the_baseline_waives_is_expected_to_fail_with_its_reason(ended: dict[str, Ended]) -> None:
    waived = ended["waived"]
    assert waived.outcomes == FATE | dict.fromkeys(REFUSALS, "xfailed")
    assert "v1.cancel.terminal-rejected: known since 1.2" in waived.words[REFUSALS[0]]
    assert waived.exit_code == 0


def test_what_is_waived_fails_where_xfail_does_not_count(ended: dict[str, Ended]) -> None:
    assert ended["waived, and still"].outcomes == FATE | dict.fromkeys(REFUSALS, "failed")
    assert ended["waived, and still"].exit_code == 1


def test_an_entry_of_the_baseline_that_waives_nothing_any_more_is_an_error(ended: dict[str, Ended]) -> None:
    stale = ended["stale"]
    assert stale.outcomes == FATE | {"mcp-tasks": "error"}
    assert "v1.cancel.terminal-rejected  baseline.yaml:1" in stale.words["mcp-tasks"]
    assert "Remove it from the baseline." in stale.words["mcp-tasks"]
    assert stale.exit_code == 1


def test_a_broken_recommendation_is_a_warning_of_its_own_category(ended: dict[str, Ended]) -> None:
    lax = ended["lax"]
    assert lax.outcomes == FATE
    assert "McpTasksWarning: v1.get.no-related-task  SHOULD NOT" in lax.said
    assert "in 1 scenario: v1/receiver/stories/recommends" in lax.line
    assert lax.exit_code == 0


def test_one_reading_that_many_scenarios_saw_is_one_warning_that_counts_them(ended: dict[str, Ended]) -> None:
    unnamed = ended["unnamed"]
    assert unnamed.said.count("McpTasksWarning: ") == 1
    assert "McpTasksWarning: v1.create.related-task-on-messages  MUST" in unnamed.said
    assert "in 4 scenarios: v1/receiver/stories/refuses[ending=completes]" in unnamed.line
    assert ", 1 warning in " in unnamed.said


@pytest.mark.parametrize("name", ["lax, and strict", "lax, and warnings are errors"])
def test_warnings_can_be_made_to_fail(ended: dict[str, Ended], name: str) -> None:
    assert ended[name].outcomes["recommends"] == "failed"
    assert "During handling" not in ended[name].said
    assert ended[name].exit_code == 1


def test_a_server_that_dies_fails_its_scenario_with_its_last_words(ended: dict[str, Ended]) -> None:
    mortal = ended["mortal"]
    assert mortal.outcomes == {"ends": "failed"}
    assert "the target crashed: " in mortal.words["ends"]
    assert "| the work was too much" in mortal.words["ends"]
    assert mortal.exit_code == 1


def test_a_server_that_is_not_there_is_one_error_and_no_failure(ended: dict[str, Ended]) -> None:
    nobody = ended["nobody there"]
    assert nobody.outcomes == dict.fromkeys(FATE, "skipped") | {"test_own": "passed", "mcp-tasks": "error"}
    assert "could not test: http://127.0.0.1:9/mcp: 127.0.0.1:9 refused the connection" in nobody.line
    assert "does the server run" in nobody.line
    assert nobody.exit_code == 1


def test_a_husk_makes_no_session_succeed(ended: dict[str, Ended]) -> None:
    husk = ended["husk"]
    assert husk.exit_code == 1
    assert [name for name, outcome in husk.outcomes.items() if outcome == "passed"] == ["test_own"]


def test_too_little_proof_is_an_error(ended: dict[str, Ended]) -> None:
    assert ended["too little"].outcomes == FATE | {"mcp-tasks": "error"}
    assert "fewer than the 500 that --mcp-min-proven asks for" in ended["too little"].line
    assert ended["too little"].exit_code == 1


def test_choosing_only_what_does_not_apply_is_no_error(ended: dict[str, Ended]) -> None:
    assert ended["nothing that applies"].outcomes == {"has-no-point": "skipped"}
    assert ended["nothing that applies"].exit_code == 0
