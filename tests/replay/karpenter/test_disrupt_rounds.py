"""Recorded rounds of the real disruption controller: ours decides the same, field by field.

A compact part of the recordings lies in `tests/golden`; all of them are used where they are found
next to the repository.
"""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

import msgspec
import pytest

from kubestage.replay import karpenter
from kubestage.replay.karpenter import disrupt_rounds

if TYPE_CHECKING:
    from kubestage.replay.karpenter import World

GOLDEN = pathlib.Path(__file__).parents[2] / "golden"
SHARED = GOLDEN.parents[2] / "shared" / "autoscalers" / "karpenter" / "public"
PATHS = sorted((SHARED if SHARED.exists() else GOLDEN / "karpenter").glob("disrupt-*.json.gz"))


def _world(name: str) -> World:
    return karpenter.load(GOLDEN / "karpenter" / f"{name}.json.gz")


def test_there_are_worlds_of_every_category() -> None:
    assert len({path.name.rpartition("-")[0] for path in PATHS}) == 13


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name.partition(".")[0])
def test_every_round_is_as_recorded(path: pathlib.Path) -> None:
    differences = karpenter.play(karpenter.load(path))
    assert not differences, "\n".join(map(str, differences))


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("conditions", "conditions.node-01.Consolidatable"),
        ("methods", "methods[3].candidates"),
        ("commands", "commands[0].candidates"),
        ("events", "events"),
        ("applied", "applied"),
        ("tookSeconds", "tookSeconds"),
        ("requeueAfterSeconds", "requeueAfterSeconds"),
    ],
)
def test_a_round_that_differs_is_noticed(field: str, expected: str) -> None:
    world = _world("disrupt-multi-020")
    step = world.steps[0]
    changed = msgspec.json.decode(msgspec.json.encode(step[field]))
    match field:
        case "conditions":
            changed["node-01"] = {}
        case "methods":
            changed[3]["candidates"].pop()
        case "commands":
            changed[0]["candidates"].reverse()
        case "events" | "applied":
            changed.pop()
        case _:
            changed += 1
    step[field] = changed
    paths = [difference.path for difference in karpenter.play(world) if difference.step == 0]
    assert paths
    assert paths[0].startswith(expected)


def test_the_same_world_gives_the_same_bytes() -> None:
    first, second = (
        [
            msgspec.json.encode(rounds.play(step["time"]), order="deterministic")
            for rounds in [disrupt_rounds.DisruptRounds(world)]
            for step in world.steps
        ]
        for world in (_world("disrupt-balanced-005"), _world("disrupt-balanced-005"))
    )
    assert first == second
