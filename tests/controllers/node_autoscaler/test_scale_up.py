from __future__ import annotations

from typing import Any

import pytest

from kubestage.testing import make_daemon_set, make_node, make_pod
from tests.controllers.node_autoscaler.clusters import (
    DEPLOYMENT,
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


def test_a_group_has_its_least_size_from_the_start() -> None:
    stage = staged(make_group(minSize=2))
    stage.run("1s")
    assert nodes(stage) == ["pool-1", "pool-2"]


def test_an_initial_size_counts_the_nodes_that_are_there() -> None:
    there = make_node("old", labels={"kubestage.dev/node-group": "pool"})
    stage = staged(there, make_group(initialSize=3))
    stage.run("1s")
    assert nodes(stage) == ["old", "pool-1", "pool-2"]


def test_pods_that_fit_nowhere_get_nodes_after_the_provision_delay() -> None:
    stage = staged(make_group(provisionDelay="60s"), make_web(6))
    stage.run("11s")
    assert (target(stage), nodes(stage)) == (2, [])
    assert condition(stage, "ScalingUp") == ("True", "InProgress")
    stage.run("58s")
    assert nodes(stage) == []
    stage.run("10s")
    assert nodes(stage) == ["pool-1", "pool-2"]
    assert pending(stage) == 0
    stage.run("30s")
    assert condition(stage, "ScalingUp") == ("False", "NoActivity")


def test_a_look_is_at_every_scan_interval_and_a_nanosecond() -> None:
    stage = staged(
        make_group(), make_web(1), scan_interval_ns=30 * 10**9, frequent_loops_enabled=False
    )
    stage.run(30_000_000_000)
    assert told(stage, "TriggeredScaleUp") == []
    stage.run(1)
    assert told(stage, "TriggeredScaleUp") == ["pod triggered scale-up: [{pool 0->1 (max: 10)}]"]


def test_new_pods_are_waited_for_until_the_oldest_is_two_seconds_old() -> None:
    stage = staged(make_group())
    stage.run("9s")
    stage.apply([make_web(1)])
    stage.run("2s")
    assert target(stage) == 0
    stage.run("10s")
    assert target(stage) == 1


def test_a_pod_with_a_gpu_is_waited_for_longer() -> None:
    gpu = {"nvidia.com/gpu": "1"}
    pod: Any = {"requests": gpu, "limits": gpu}
    stage = staged(make_group(resources={"nvidia.com/gpu": "1"}), make_web(1, **pod))
    stage.run("21s")
    assert target(stage) == 0
    stage.run("10s")
    assert target(stage) == 1


def test_a_pod_may_ask_to_be_helped_later() -> None:
    annotations = {"cluster-autoscaler.kubernetes.io/pod-scale-up-delay": "25s"}
    stage = staged(make_group(), make_web(1, annotations=annotations))
    stage.run("21s")
    assert target(stage) == 0
    stage.run("10s")
    assert target(stage) == 1


def test_nodes_on_their_way_are_reckoned_with() -> None:
    stage = staged(make_group(provisionDelay="5m"), make_web(4))
    stage.run("60s")
    assert target(stage) == 1
    scale(stage, 6)
    stage.run("60s")
    assert target(stage) == 2


def test_pods_that_fit_on_nodes_of_the_cluster_need_no_others() -> None:
    stage = staged(make_node("n1", cpu="8"), make_group(), make_web(8))
    stage.run("60s")
    assert (target(stage), pending(stage)) == (0, 0)


def test_a_group_never_grows_beyond_its_most() -> None:
    stage = staged(make_group(maxSize=2, provisionDelay="1s"), make_web(20))
    stage.run("60s")
    assert len(nodes(stage)) == target(stage) == 2
    assert told(stage, "NotTriggerScaleUp") == [
        "pod didn't trigger scale-up: 1 max node group size reached"
    ]


def test_pods_that_no_group_takes_are_told_why() -> None:
    groups = [
        make_group("small", cpu="1"),
        make_group("closed", taints=[{"key": "team", "value": "a", "effect": "NoSchedule"}]),
    ]
    stage = staged(*groups, make_web(1, cpu="2"))
    stage.run("30s")
    assert told(stage, "NotTriggerScaleUp") == [
        "pod didn't trigger scale-up: 1 Insufficient cpu, 1 node(s) had untolerated taint(s)"
    ]
    assert target(stage, "small") == target(stage, "closed") == 0


def test_labels_and_taints_of_the_template_decide() -> None:
    tainted = make_group(
        "gpu",
        labels={"kind": "gpu"},
        taints=[{"key": "gpu", "value": "yes", "effect": "NoSchedule"}],
    )
    web = make_web(1, node_selector={"kind": "gpu"}, tolerations=["gpu=yes:NoSchedule"])
    stage = staged(make_group("plain"), tainted, web)
    stage.run("90s")
    assert (target(stage, "gpu"), target(stage, "plain"), pending(stage)) == (1, 0, 0)
    node = stage.store.get(NODE, "gpu-1")
    assert node["metadata"]["labels"]["kind"] == "gpu"
    assert node["spec"]["taints"][0]["key"] == "gpu"


def test_daemons_take_their_share_of_a_new_node() -> None:
    daemons = make_daemon_set("agent", pod=make_pod(cpu="1", labels={"app": "agent"}))
    stage = staged(make_group(), daemons, make_web(6))
    stage.run("11s")
    assert target(stage) == 2
    stage = staged(make_group(), daemons, make_web(7))
    stage.run("11s")
    assert target(stage) == 3


def test_a_daemon_that_waits_for_room_triggers_nothing() -> None:
    daemons = make_daemon_set("agent", pod=make_pod(cpu="8", labels={"app": "agent"}))
    stage = staged(make_node("n1"), make_group(cpu="16"), daemons)
    stage.run("60s")
    assert (pending(stage), target(stage)) == (1, 0)
    assert told(stage, "NotTriggerScaleUp") == []


@pytest.mark.parametrize(("priority", "wanted"), [(-10, 1), (-11, 0)])
def test_expendable_pods_trigger_nothing(priority: int, wanted: int) -> None:
    pod = make_pod("p", cpu="1", priority=priority)
    stage = staged(make_group())
    stage.load([pod])
    stage.run("60s")
    assert target(stage) == wanted


def test_the_first_pods_of_a_controller_speak_for_all_of_it() -> None:
    stage = staged(make_group(maxSize=100), make_web(100))
    stage.run("11s")
    assert target(stage) == 25


def test_a_deployment_that_is_deleted_needs_no_more_nodes() -> None:
    stage = staged(make_group(provisionDelay="30s"), make_web(4))
    stage.run("5s")
    stage.store.delete(DEPLOYMENT, "web")
    stage.run("60s")
    assert target(stage) == 0


def test_without_groups_there_are_no_looks() -> None:
    stage = staged(make_node("n1"), make_web(10))
    before = stage.environment.completed_count
    stage.run("10m")
    stage.apply([make_group()])
    stage.run("90s")
    assert pending(stage) == 0
    assert stage.environment.completed_count > before


def test_a_group_that_is_deleted_leaves_its_nodes_alone() -> None:
    stage = staged(make_group(initialSize=2))
    stage.run("30s")
    stage.store.delete(("kubestage.dev/v1alpha1", "NodeGroup"), "pool")
    stage.run("30m")
    assert nodes(stage) == ["pool-1", "pool-2"]


def test_the_same_seed_gives_the_same_nodes_at_the_same_times() -> None:
    def run() -> list[Any]:
        stage = staged(make_group(provisionDelay="normal(60s,20s)"), make_web(30), seed=7)
        stage.run("5m")
        return stage.store.list(NODE).items

    assert run() == run()


def test_a_fork_goes_on_as_the_stage_would() -> None:
    stage = staged(make_group(provisionDelay="uniform(10s,90s)"), make_web(12))
    stage.run("25s")
    fork = stage.fork()
    for each in (stage, fork):
        each.run("5m")
    assert fork.store.list(NODE).items == stage.store.list(NODE).items
