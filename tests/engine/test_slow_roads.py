"""A compliant server that is far away, or takes its time for every answer, is blamed for nothing."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.catalog.library import load
from mcp_tasks_conformance.catalog.profiles import built_in_profiles, load_profile
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.stage import Doors
from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.targets.bundled import BUNDLED_IDENTITIES
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from mcp_tasks_conformance.verdicts.model import Verdict
from tests.engine.theatre import perform


@pytest.mark.parametrize("road", ["far=0.4", "slow=0.4", "slow=3"])
def test_no_scenario_of_the_library_raises_an_alarm(road: str) -> None:
    library = load()
    made = perform(
        tuple(library.scenarios.values()),
        target=InProcessTarget("tests.engine.data.difficult:create", [road]),
        profile=load_profile(built_in_profiles()["reference"], library.requirements),
        options=RunOptions(doors=Doors(identities=BUNDLED_IDENTITIES), time_limit_s="automatic"),
    )
    assert made.end.reason is None
    bad = [row.id for row in made.result.requirements if row.verdict in (Verdict.VIOLATED, Verdict.WARNED)]
    assert bad == []
    inconclusive = [row.key for row in made.result.scenarios if row.outcome is ScenarioOutcome.INCONCLUSIVE]
    passed = [row.key for row in made.result.scenarios if row.outcome is ScenarioOutcome.PASSED]
    assert len(passed) > 6 * len(inconclusive)
    assert {row.outcome for row in made.result.scenarios} <= {
        ScenarioOutcome.PASSED,
        ScenarioOutcome.INCONCLUSIVE,
        ScenarioOutcome.NOT_APPLICABLE,
    }


@pytest.mark.parametrize(("road", "told"), [("slow=0.3", []), ("slow=2", ["it takes some 2.0 s for each answer"])])
def test_a_run_that_takes_long_is_announced(road: str, told: list[str]) -> None:
    library = load()
    made = perform(
        [library.scenarios["v1/receiver/get/unknown-task-refused"]],
        target=InProcessTarget("tests.engine.data.difficult:create", [road]),
        profile=load_profile(built_in_profiles()["reference"], library.requirements),
    )
    notes = made.result.target["notes"]
    assert isinstance(notes, list)
    assert [note.partition(",")[0] for note in notes if isinstance(note, str) and "answer" in note] == told
