"""How many nodes go at once: node by node, and groups as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.node_autoscaler.deletion_budget import DeletionBudget
from kubestage.controllers.node_autoscaler.drainability import Moves
from kubestage.controllers.node_autoscaler.loop import NodeAutoscaler
from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
from kubestage.controllers.node_autoscaler.unneeded import Unneeded
from kubestage.scheduler.what_if import WhatIf
from tests.controllers.node_autoscaler.clusters import make_group, staged

if TYPE_CHECKING:
    from kubestage.controllers.node_autoscaler.world import World
    from kubestage.stage import Stage

_WHOLE = {"zeroOrMaxNodeScaling": True}


def _cropped(
    empty: str, occupied: str = "", in_progress: tuple[bool, ...] = (), **flags: Any
) -> tuple[list[str], list[str]]:
    """The nodes that go now, of groups a and b, and of x and y that go as a whole."""
    sizes = {"a": 3, "b": 3, "x": 3, "y": 2}
    stage = staged(
        *(
            make_group(name, initialSize=size, options=_WHOLE if name in "xy" else {})
            for name, size in sizes.items()
        ),
        write_status_configmap=False,
        scale_down_enabled=False,
    )
    stage.run("11s")
    world = _world(stage)
    snapshot = WhatIf(stage).snapshot(world.nodes.values(), [])
    budget = DeletionBudget(world, snapshot, NodeAutoscalerSettings(**flags), in_progress)
    to_delete, to_drain = budget.crop(_unneeded(world, empty), _unneeded(world, occupied))
    return (
        [name for bucket in to_delete for name in bucket.nodes],
        [name for bucket in to_drain for name in bucket.nodes],
    )


def _world(stage: Stage) -> World:
    assert stage.controllers is not None
    loops = stage.controllers.controllers
    (loop,) = [each for each in loops if isinstance(each, NodeAutoscaler)]
    assert loop.autoscaler.world is not None
    return loop.autoscaler.world


def _unneeded(world: World, names: str) -> list[Unneeded]:
    return [Unneeded(name, world.nodes[name], Moves(), 0, 0) for name in names.split()]


def test_nodes_of_one_group_go_before_those_of_the_next() -> None:
    assert _cropped("a-1 b-1 a-2 b-2", max_scale_down_parallelism=3)[0] == ["a-1", "a-2", "b-1"]


def test_what_is_under_way_counts() -> None:
    found = _cropped("a-1 a-2", "b-1 b-2", (False, True), max_scale_down_parallelism=4)
    assert found == (["a-1", "a-2"], [])
    found = _cropped("a-1", "b-1 b-2", (False,), max_scale_down_parallelism=9)
    assert found == (["a-1"], ["b-1"])


@pytest.mark.parametrize(
    ("empty", "occupied", "parallelism", "found"),
    [
        # A whole group goes first, even if it is more than may go.
        ("a-1 x-1 x-2 x-3", "", 2, (["x-1", "x-2", "x-3"], [])),
        # But only one of them.
        ("x-1 x-2 x-3 y-1 y-2", "", 4, (["x-1", "x-2", "x-3"], [])),
        ("x-1 x-2 x-3 y-1 y-2", "", 5, (["x-1", "x-2", "x-3", "y-1", "y-2"], [])),
        # Nodes that are missing keep the others.
        ("x-1 x-2 a-1", "", 9, (["a-1"], [])),
        # Some of its nodes may have to be drained.
        ("x-1 x-2", "x-3", 9, (["x-1", "x-2"], ["x-3"])),
        ("a-1", "y-1 y-2", 9, (["a-1"], ["y-1", "y-2"])),
    ],
)
def test_groups_that_go_as_a_whole(
    empty: str, occupied: str, parallelism: int, found: tuple[list[str], list[str]]
) -> None:
    assert _cropped(empty, occupied, max_scale_down_parallelism=parallelism) == found
