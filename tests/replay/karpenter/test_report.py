from __future__ import annotations

import json
import pathlib

import pytest

from kubestage.replay import karpenter, world_formats
from kubestage.runs import verify

GOLDEN = pathlib.Path(__file__).parents[2] / "golden" / "karpenter"


def test_a_world_is_recognised_by_its_fields() -> None:
    world = {"category": "c", "instanceTypes": [], "kind": "provision", "objects": [], "steps": []}
    found = world_formats.recognise(json.dumps(world).encode())
    assert found is not None
    assert found.program == "Karpenter"
    del world["instanceTypes"]
    assert world_formats.recognise(json.dumps(world).encode()) is None


@pytest.mark.parametrize("kind", ["provision", "disrupt"])
def test_what_was_recorded_is_counted_by_category(kind: str) -> None:
    paths = sorted(map(str, GOLDEN.glob(f"{kind}-*.json.gz")))
    result = verify.verify(paths)
    assert result.is_identical
    assert result.headline() == f"worlds of Karpenter: {len(paths)}/{len(paths)} identical"
    assert {row[0] for row in result.table().rows} == {"Karpenter"}


def test_a_pass_that_differs_has_its_field_and_does_not_count_as_identical() -> None:
    world = karpenter.load(GOLDEN / "provision-basic-012.json.gz")
    same = karpenter.compare(world)
    assert same.is_same
    assert same.identical == same.decisions > 0
    world.steps[0]["result"]["newNodeClaims"][0]["nodePool"] = "other"
    report = karpenter.compare(world)
    (found,) = report.differences
    assert (found.field, found.path) == ("result.newNodeClaims", "[0].nodePool")
    assert found.expected == "other"
    assert not report.is_same
    assert report.identical == report.decisions - 1


def test_what_the_real_one_decides_at_random_does_not_count() -> None:
    world = karpenter.load(GOLDEN / "provision-basic-012.json.gz")
    world.steps[0]["result"]["newNodeClaims"][0]["nodePool"] = "other"
    varying = {"0": ["result.newNodeClaims"]}
    open_world = karpenter.World(
        **{name: getattr(world, name) for name in world.__struct_fields__ if name[:5] != "order"},
        order_sensitive=varying,
    )
    report = karpenter.compare(open_world)
    assert report.is_same
    assert len(report.differences) == 1
    assert report.identical == report.decisions


def test_a_round_without_a_command_is_a_decision() -> None:
    paths = sorted(GOLDEN.glob("disrupt-*.json.gz"))
    worlds = [karpenter.load(path) for path in paths]
    rounds = sum(len(world.steps) for world in worlds)
    assert sum(karpenter.compare(world).decisions for world in worlds) == rounds
