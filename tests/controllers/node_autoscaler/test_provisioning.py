from __future__ import annotations

import pytest

from kubestage.controllers.node_autoscaler.backoff import Backoff
from kubestage.controllers.node_autoscaler.cloud_provider import InstanceError
from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
from kubestage.units import MINUTE_NS
from tests.controllers.node_autoscaler.clusters import (
    GROUP,
    NODE,
    condition,
    make_group,
    make_web,
    nodes,
    pending,
    staged,
    target,
    told,
)

_ERROR = InstanceError("Other", "timeout", "they did not come")


def test_nodes_that_do_not_come_in_time_are_given_up_and_the_group_is_left_alone() -> None:
    stage = staged(make_group(available=0), make_web(1))
    stage.run("15m5s")
    assert target(stage) == 1
    assert condition(stage, "ScalingUp") == ("True", "InProgress")
    stage.run("30s")
    assert target(stage) == 0
    assert condition(stage, "ScalingUp") == ("False", "Backoff")
    assert told(stage, "ScaleUpTimedOut") == [
        "Nodes added to group pool failed to register within 15m10s"
    ]
    assert told(stage, "NotTriggerScaleUp") == [
        "pod didn't trigger scale-up: 1 not ready for scale-up"
    ]
    stage.run("5m")
    assert "pod didn't trigger scale-up: 1 in backoff after failed scale-up" in told(
        stage, "NotTriggerScaleUp"
    )


def test_a_group_is_asked_again_when_its_backoff_is_over() -> None:
    stage = staged(make_group(available=0), make_web(1))
    stage.run("20m25s")
    assert target(stage) == 0
    stage.run("10s")
    assert target(stage) == 1


def test_another_group_steps_in_for_one_that_fails() -> None:
    stage = staged(
        make_group("first", available=0, priority=2),
        make_group("second", priority=1),
        make_web(1),
        expander="priority",
    )
    stage.run("15m")
    assert (target(stage, "first"), target(stage, "second")) == (1, 0)
    stage.run("2m")
    assert (target(stage, "first"), target(stage, "second")) == (0, 1)
    assert pending(stage) == 0


def test_what_is_available_comes_and_the_rest_is_given_up_later() -> None:
    stage = staged(make_group(available=1), make_web(8))
    stage.run("2m")
    assert (len(nodes(stage)), target(stage)) == (1, 2)
    stage.run("14m")
    (message,) = told(stage, "FailedToRevertScaleUp")
    assert message == (
        "Failed to decrease target size for group pool after scale-up timeout: attempt to delete "
        "existing nodes targetSize:2 delta:-2 existingNodes: 1"
    )
    stage.run("2m")
    assert (len(nodes(stage)), target(stage)) == (1, 1)


def test_backoff_doubles_up_to_the_most_and_is_forgotten_in_the_end() -> None:
    state = Backoff(NodeAutoscalerSettings())
    now_ns, lengths = 0, []
    for _ in range(4):
        state.fail("pool", _ERROR, now_ns)
        length_ns = 0
        while state.error("pool", now_ns + length_ns):
            length_ns += MINUTE_NS
        lengths.append(length_ns // MINUTE_NS - 1)
        now_ns += length_ns
    assert lengths == [5, 10, 20, 30]


def test_several_failures_at_once_count_as_one() -> None:
    state = Backoff(NodeAutoscalerSettings())
    state.fail("pool", _ERROR, 0)
    state.fail("pool", _ERROR, MINUTE_NS)
    assert state.error("pool", 6 * MINUTE_NS) is _ERROR
    assert state.error("pool", 6 * MINUTE_NS + 1) is None


def test_names_of_nodes_are_not_given_twice() -> None:
    stage = staged(make_group(initialSize=2, provisionDelay="1s"))
    stage.run("1s")
    stage.store.delete(NODE, "pool-2")
    stage.apply([make_web(8)])
    stage.run("1m")
    assert nodes(stage) == ["pool-1", "pool-3"]


def test_the_status_of_a_group_tells_how_it_does() -> None:
    stage = staged(make_group(), make_web(6))
    stage.run("11s")
    status = stage.store.get(GROUP, "pool")["status"]
    assert (status["size"], status["targetSize"], status["provisioning"]) == (0, 2, 2)
    assert status["lastScaleUpTime"] == "2026-01-01T00:00:10Z"
    stage.run("90s")
    status = stage.store.get(GROUP, "pool")["status"]
    assert (status["size"], status["readyNodes"], status["provisioning"]) == (2, 2, 0)
    assert condition(stage, "Healthy") == ("True", "Healthy")


def test_groups_below_their_least_size_grow_only_if_told_to() -> None:
    for enforced, wanted in ((False, 1), (True, 3)):
        stage = staged(make_group(minSize=1), enforce_node_group_min_size=enforced)
        stage.run("30s")
        stage.store.patch(GROUP, "pool", {"spec": {"minSize": 3}})
        stage.run("2m")
        assert len(nodes(stage)) == wanted


def test_a_provision_delay_may_be_a_law_of_chance() -> None:
    stage = staged(make_group(provisionDelay="uniform(10s,100s)"), make_web(40))
    stage.run("3m")
    created = {
        stage.store.get(NODE, name)["metadata"]["creationTimestamp"] for name in nodes(stage)
    }
    assert len(nodes(stage)) == 10
    assert len(created) > 5


@pytest.mark.parametrize(("broken", "wanted"), [(4, 14), (5, 10)])
def test_nothing_is_done_while_too_many_nodes_have_broken_down(broken: int, wanted: int) -> None:
    stage = staged(make_group(minSize=10, maxSize=14), make_web(40, name="busy"))
    stage.run("16m")
    silence = {"metadata": {"annotations": {"kubestage.dev/heartbeat": "stopped"}}}
    for name in nodes(stage)[:broken]:
        stage.store.patch(NODE, name, silence)
    stage.run("2m")
    stage.apply([make_web(40)])
    stage.run("1m")
    assert target(stage) == wanted
    assert told(stage, "ClusterUnhealthy") == (["Cluster is unhealthy"] if wanted == 10 else [])
