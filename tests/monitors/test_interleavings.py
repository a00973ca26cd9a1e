"""Whatever the order in which the streams of a compliant server bring its messages, nothing is found amiss."""

from __future__ import annotations

from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.monitors.compliant import Scene, Style

STYLES = st.builds(
    Style,
    transport=st.sampled_from(["http", "http", "memory", "stdio"]),
    digits=st.sampled_from([0, 1, 3, 6]),
    notifies=st.booleans(),
    deletes_cancelled=st.booleans(),
    names_task_everywhere=st.booleans(),
    asks_on_result=st.booleans(),
    in_process_order=st.booleans(),
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(style=STYLES, random=st.randoms(use_true_random=False), steps=st.integers(0, 150))
def test_no_interleaving_of_a_compliant_conversation_is_found_amiss(style: Style, random: Random, steps: int) -> None:
    scene = Scene(style, random)
    for _ in range(steps):
        scene.step()
    scene.finish()
    assert scene.talk.broken() == {}
    assert scene.talk.warned() == {}
