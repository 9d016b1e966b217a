from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from kubestage.testing import make_node
from kubestage.units import SECOND_NS
from tests.controllers.node_autoscaler.clusters import (
    GROUP,
    make_group,
    make_web,
    nodes,
    scale,
    staged,
    taints,
    target,
    told,
)

if TYPE_CHECKING:
    from kubestage.stage import Stage


def _asked_at(stage: Stage, most_seconds: int) -> float | None:
    """When the first nodes are asked for, in seconds, looking twice a second."""
    for half in range(2 * most_seconds):
        if told(stage, "ScaledUpGroup"):
            return half / 2
        stage.run(SECOND_NS // 2)
    return None


def test_a_pod_that_fits_nowhere_is_looked_at_at_once_and_again_an_interval_later() -> None:
    # All pods are new at the first of these looks, and from it the interval counts.
    stage = staged(make_group())
    stage.run("7s")
    stage.apply([make_web(1)])
    assert _asked_at(stage, 30) == 10.5


def test_without_frequent_loops_pods_wait_for_the_next_tick() -> None:
    stage = staged(make_group(), frequent_loops_enabled=False)
    stage.run("7s")
    stage.apply([make_web(1)])
    assert _asked_at(stage, 30) == 3.5


def test_new_pods_are_waited_for_no_longer_when_an_older_one_waits_as_well() -> None:
    stage = staged(make_node("n1", cpu="1"), make_group(), make_web(1))
    stage.run("33s")
    scale(stage, 2)
    stage.run("2s")
    assert target(stage) == 0
    stage.apply([make_web(1, name="other")])
    stage.run("100ms")
    assert target(stage) == 1


def test_after_a_look_that_asked_for_nodes_comes_another_at_once() -> None:
    # The pods of each kind fit one group only, and a look has one group grow.
    groups = [make_group(name, labels={"kind": name}) for name in "abc"]
    webs = [make_web(1, name=f"web-{name}", node_selector={"kind": name}) for name in "abc"]
    stage = staged(*groups, *webs)
    stage.run("11s")
    assert [target(stage, name) for name in "abc"] == [1, 1, 1]
    stage = staged(*groups, *webs, frequent_loops_enabled=False)
    stage.run("11s")
    assert sorted(target(stage, name) for name in "abc") == [0, 0, 1]


def test_two_more_looks_follow_one_that_asked_for_nodes() -> None:
    # Each look marks one of the nodes that may go.
    idle = make_group("idle", initialSize=10)
    stage = staged(idle, make_group(labels={"kind": "new"}), max_bulk_soft_taint_count=1)
    stage.run("25s")
    before = sum(map(len, (taints(stage, name) for name in nodes(stage, "idle"))))
    stage.apply([make_web(1, node_selector={"kind": "new"})])
    stage.run("1s")
    marked = sum(map(len, (taints(stage, name) for name in nodes(stage, "idle"))))
    assert (before, marked) == (2, 3)
    stage.run("10s")
    marked = sum(map(len, (taints(stage, name) for name in nodes(stage, "idle"))))
    assert (target(stage), marked) == (1, 6)


def test_more_nodes_than_one_look_may_ask_for_come_by_several() -> None:
    stage = staged(make_group(maxSize=100), make_web(100), max_nodes_per_scaleup=7)
    stage.run("11s")
    assert target(stage) == 25


def test_looks_for_pods_that_come_one_by_one_are_a_second_apart() -> None:
    stage = staged(make_group(provisionDelay="10m"), make_web(1))
    looks: list[int] = []
    for number in range(40):
        stage.apply([make_web(1, name=f"web{number}")])
        stage.run(SECOND_NS // 10)
        looks.append(target(stage))
    # Four pods to a node; at the look at 3 seconds the oldest are old enough.
    assert sum(one != other for one, other in itertools.pairwise(looks)) == 2
    assert looks[-1] > 5


def test_there_are_no_looks_for_pods_when_the_last_group_is_gone() -> None:
    stage = staged(make_group(), make_web(1))
    stage.run("500ms")
    stage.apply([make_web(1, name="other")])
    stage.run("100ms")
    stage.store.delete(GROUP, "pool")
    stage.run("10s")
    before = stage.environment.completed_count
    stage.run("1h")
    ticks = stage.environment.completed_count - before
    alone = staged(make_web(1), make_web(1, name="other"))
    alone.run("10600ms")
    before = alone.environment.completed_count
    alone.run("1h")
    assert ticks == alone.environment.completed_count - before


def test_draining_nodes_count_for_the_least_cores_as_upstream() -> None:
    webs = [make_web(1, cpu="1", name=f"web{number}") for number in range(4)]
    stage = staged(
        make_group(initialSize=4),
        *webs,
        cores_total="9:100",
        max_drain_parallelism=10,
    )
    stage.run("1h")
    assert len(nodes(stage)) == 1
