"""Tasks that end as nobody asked for: no sentence forbids it, so nobody is blamed, least of all for something else."""

from __future__ import annotations

from mcp_tasks_conformance.catalog.profiles import built_in_profiles, load_profile
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.stage import Doors
from mcp_tasks_conformance.events import Outcome, ScenarioOutcome
from mcp_tasks_conformance.targets.bundled import BUNDLED_IDENTITIES
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from mcp_tasks_conformance.verdicts.model import JudgedCheck
from tests.engine.theatre import Performance, perform
from tests.scenarios.library import LIBRARY

REFERENCE = load_profile(built_in_profiles()["reference"], ())


def library_on(kind: str) -> Performance:
    target = InProcessTarget("tests.engine.data.difficult:create", [kind])
    options = RunOptions(confirm=False, intensity="full", doors=Doors(identities=BUNDLED_IDENTITIES))
    return perform(tuple(LIBRARY.scenarios.values()), target=target, profile=REFERENCE, options=options)


def blamed(made: Performance) -> str:
    def told(check: JudgedCheck) -> str:
        return f"{check.requirement} in {check.scenario}: expected {check.expected}, found {check.observed}"

    return "\n".join(told(check) for check in made.result.checks if check.outcome is not Outcome.PASS)


def test_a_receiver_that_gives_up_every_task_is_blamed_for_nothing() -> None:
    assert blamed(library_on("gives-up")) == ""


def test_a_status_is_looked_at_before_the_result_is_fetched_which_may_be_the_end_of_the_task() -> None:
    made = library_on("forgets-fetched")
    ended = {scenario.key.removeprefix("v1/receiver/"): scenario.outcome for scenario in made.result.scenarios}
    for name in ("success-completes[work=slow]", "protocol-error-fails", "tool-error-fails"):
        assert ended[f"lifecycle/{name}"] is ScenarioOutcome.PASSED
