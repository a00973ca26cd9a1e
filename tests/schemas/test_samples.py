"""Every shape of a message against samples that have it and samples that lack it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcp_tasks_conformance.wire import shapes

SAMPLES = Path(__file__).parent / "samples"


def _samples(kind: str) -> list[Path]:
    return sorted(SAMPLES.glob(f"*/*/{kind}/*.json"))


def _shape(sample: Path) -> str:
    return f"{sample.parts[-4]}/{sample.parts[-3]}"


def _named(sample: Path) -> str:
    return f"{_shape(sample)}: {sample.stem}"


@pytest.mark.parametrize("sample", _samples("good"), ids=_named)
def test_a_good_sample_has_no_flaw(sample: Path) -> None:
    assert shapes.check(_shape(sample), json.loads(sample.read_text())) == ()


@pytest.mark.parametrize("sample", _samples("bad"), ids=_named)
def test_a_bad_sample_has_just_the_flaws_it_names(sample: Path) -> None:
    bad = json.loads(sample.read_text())
    flaws = shapes.check(_shape(sample), bad["value"])
    assert {flaw.pointer: flaw.keyword for flaw in flaws} == bad["flaws"], bad["why"]
    assert len(flaws) == len(bad["flaws"])


@pytest.mark.parametrize("name", shapes.names())
def test_every_shape_has_good_and_bad_samples(name: str) -> None:
    for kind in ("good", "bad"):
        assert len(list((SAMPLES / name / kind).glob("*.json"))) >= 2


def test_every_folder_of_samples_belongs_to_a_shape() -> None:
    folders = {f"{folder.parent.name}/{folder.name}" for folder in SAMPLES.glob("*/*")}
    assert folders == set(shapes.names())
