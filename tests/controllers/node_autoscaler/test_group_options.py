"""Options of single groups, and providers that have no machines."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.node_autoscaler.clusters import (
    GROUP,
    NODE,
    condition,
    make_group,
    make_web,
    nodes,
    pending,
    scale,
    staged,
    target,
    told,
)


def _ready(stage: Any, name: str) -> bool:
    conditions = stage.store.get(NODE, name)["status"].get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def test_a_group_may_be_less_patient_than_the_flag() -> None:
    hasty = make_group("hasty", initialSize=1, options={"scaleDownUnneededTime": "2m"})
    stage = staged(hasty, make_group("usual", initialSize=1))
    stage.run("5m")
    assert (nodes(stage, "hasty"), nodes(stage, "usual")) == ([], ["usual-1"])


def test_a_group_may_have_a_threshold_of_its_own() -> None:
    strict = make_group("strict", initialSize=2, options={"scaleDownUtilizationThreshold": 0.1})
    stage = staged(strict, make_web(1))
    stage.run("15m")
    assert len(nodes(stage, "strict")) == 1
    busy = make_group("busy", initialSize=2, minSize=1, options=strict["spec"]["options"])
    webs = [make_web(1, name=f"web{number}", cpu="500m") for number in range(8)]
    stage = staged(busy, *webs)
    stage.run("15m")
    # Each node is used by a half, and the pods of one would fit on the other.
    assert len(nodes(stage, "busy")) == 2


def test_a_group_that_scales_as_a_whole_goes_from_nothing_to_its_most_and_back() -> None:
    whole = make_group(maxSize=4, options={"zeroOrMaxNodeScaling": True})
    stage = staged(whole, make_web(1))
    stage.run("2m")
    assert (len(nodes(stage)), pending(stage)) == (4, 0)
    # One node is needed, and so all stay.
    stage.run("20m")
    assert len(nodes(stage)) == 4
    scale(stage, 0)
    stage.run("15m")
    assert nodes(stage) == []


def test_machines_that_never_register_are_given_up() -> None:
    group = make_group(available=0, shortage="never")
    stage = staged(group, make_web(1), frequent_loops_enabled=False)
    stage.run("14m")
    assert (target(stage), nodes(stage)) == (1, [])
    stage.run("2m")
    assert target(stage) == 0
    assert condition(stage, "ScalingUp") == ("False", "Backoff")


def test_machines_that_were_listed_with_their_request_count_as_delivered_and_are_deleted() -> None:
    stage = staged(make_group(available=0, shortage="never"), make_web(1))
    stage.run("16m")
    # Both times end in one scan: no failure is noticed, and the group is tried again at once.
    assert told(stage, "DeleteUnregistered") == [
        "Removed unregistered node kubestage://pool/pool-1"
    ]
    assert condition(stage, "ScalingUp") == ("True", "InProgress")
    assert target(stage) == 1


def test_machines_that_cannot_be_created_are_deleted_at_once_and_the_group_is_left_alone() -> None:
    stage = staged(make_group(available=0, shortage="error"), make_web(1))
    stage.run("25s")
    (message,) = told(stage, "ScaleUpFailed")
    assert message == (
        "Failed adding 1 nodes to group pool due to OutOfResource.STOCKOUT; "
        "source errors: no machines are available"
    )
    assert target(stage) == 0
    assert condition(stage, "ScalingUp") == ("False", "Backoff")


def test_a_refused_request_has_another_group_be_asked_in_the_next_scan() -> None:
    stage = staged(
        make_group("first", available=0, shortage="refuse", priority=2),
        make_group("second", priority=1),
        make_web(1),
        expander="priority",
    )
    stage.run("25s")
    assert told(stage, "FailedToScaleUpGroup") == [
        "Scale-up failed for group first: provider refuses: 0 machines available"
    ]
    assert (target(stage, "first"), target(stage, "second")) == (0, 1)
    assert condition(stage, "ScalingUp", "first") == ("False", "Backoff")


def test_a_node_may_take_some_time_to_become_ready() -> None:
    stage = staged(make_group(provisionDelay="10s", readyDelay="60s"), make_web(1))
    stage.run("25s")
    assert (nodes(stage), _ready(stage, "pool-1"), target(stage)) == (["pool-1"], False, 1)
    assert pending(stage) == 1
    stage.run("65s")
    assert (_ready(stage, "pool-1"), pending(stage), target(stage)) == (True, 0, 1)
    assert stage.store.get(GROUP, "pool")["status"]["readyNodes"] == 1


@pytest.mark.parametrize(("local", "left"), [(False, 1), (True, 0)])
def test_cooldown_may_count_for_each_group_by_itself(local: bool, left: int) -> None:
    idle = make_group("idle", initialSize=1, labels={"kind": "idle"})
    stage = staged(
        idle,
        make_group(labels={"kind": "new"}),
        make_web(0, node_selector={"kind": "new"}),
        scale_down_delay_type_local=local,
        scale_down_unneeded_time_ns=60 * 10**9,
        scale_down_delay_after_add_ns=600 * 10**9,
    )
    stage.run("30s")
    scale(stage, 1)
    stage.run("5m")
    assert len(nodes(stage, "idle")) == left
    assert len(nodes(stage)) == 1
