from __future__ import annotations

from tests.controllers.worlds import manifests, recounts, wishes
from tests.controllers.worlds.chronicle import BUSY
from tests.controllers.worlds.world import World


def _settled_world(nodes: int) -> World:
    """Pods of all kinds, long after the last of them became ready."""
    world = World(nodes=nodes)
    world.perform([*BUSY, ("patch_spec", "cron_job", 0, {"suspend": True})])
    return world


def _assert_stands_still(world: World) -> None:
    stage = world.stage
    moved, revision = stage.environment.completed_count, stage.store.resource_version
    stage.run("10000h")
    assert stage.environment.completed_count == moved
    assert stage.store.resource_version == revision
    assert stage.environment.next_movement_time is None


def test_a_settled_cluster_of_some_size_does_not_move_for_a_year() -> None:
    world = _settled_world(nodes=150)
    many = [manifests.deployment(f"many-{number}", 15) for number in range(5)]
    world.perform([("drop", "quota", "small")])
    world.stage.apply(many)
    world.stage.run("3h")
    assert recounts.problems(world.stage) + wishes.problems(world.stage) == []
    assert len(world.stage.store.read(("v1", "Pod"))) > 225
    _assert_stands_still(world)


def test_a_cluster_that_was_in_trouble_comes_to_stand_still_too() -> None:
    world = _settled_world(nodes=4)
    world.perform(
        [
            ("wait", "1m"),
            ("silence", 0, True),
            ("cordon", 1, True),
            ("taint", 2, "NoExecute"),
            ("update", 0, 2),
            ("wait", "1h"),
            ("silence", 0, False),
            ("taint", 2, None),
            ("delete_namespace", "side"),
            ("wait", "5h"),
        ]
    )
    _assert_stands_still(world)


def test_a_node_that_stays_silent_costs_nothing_once_its_pods_have_been_replaced() -> None:
    world = _settled_world(nodes=4)
    world.perform([("wait", "1m"), ("silence", 0, True), ("wait", "5h")])
    _assert_stands_still(world)


def test_a_cron_job_moves_only_what_is_its_own() -> None:
    world = _settled_world(nodes=3)
    world.perform([("wait", "3h"), ("patch_spec", "cron_job", 0, {"suspend": False})])
    changes = world.changes_over("2h")
    runs = 2 * 60
    assert len(changes) <= 25 * runs
    others = [line for line in changes if "/tick" not in line and "ResourceQuota" not in line]
    assert others == []


def test_a_pod_that_fits_nowhere_is_tried_now_and_then_and_nobody_else_takes_part() -> None:
    world = _settled_world(nodes=3)
    world.stage.apply([manifests.deployment("huge", 1, cpu="5")])
    world.stage.run("3h")
    assert world.stage.controllers is not None
    before, moved = world.stage.controllers.syncs, world.stage.environment.completed_count
    assert world.changes_over("24h") == []
    # Events about it are forgotten, once in a while.
    assert world.stage.controllers.syncs - before <= 24 * 12
    assert world.stage.environment.completed_count - moved <= 24 * 60
