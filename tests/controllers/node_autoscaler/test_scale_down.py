from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.testing import make_daemon_set, make_node, make_pod, make_pod_disruption_budget
from tests.controllers.node_autoscaler.clusters import (
    DEPLOYMENT,
    GROUP,
    NODE,
    POD,
    condition,
    make_group,
    make_web,
    nodes,
    pending,
    scale,
    staged,
    taints,
    told,
)

if TYPE_CHECKING:
    from kubestage.stage import Stage

_CANDIDATE = "DeletionCandidateOfClusterAutoscaler"
_TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler"


def _idle(*others: Any, size: int = 3, minimum: int = 1, **flags: Any) -> Stage:
    """A group of idle nodes."""
    return staged(make_group(initialSize=size, minSize=minimum), *others, **flags)


def test_an_idle_node_goes_after_ten_minutes_and_not_before() -> None:
    stage = _idle(size=2)
    stage.run("10m15s")
    assert len(nodes(stage)) == 2
    stage.run("20s")
    assert len(nodes(stage)) == 1
    assert told(stage, "ScaleDownEmpty") == [
        "Scale-down: empty node pool-1 removed",
        'Scale-down: removing empty node "pool-1"',
    ]


def test_unneeded_time_is_a_flag() -> None:
    stage = _idle(size=2, scale_down_unneeded_time_ns=60_000_000_000)
    stage.run("1m40s")
    assert len(nodes(stage)) == 1


def test_a_group_never_shrinks_below_its_least() -> None:
    stage = _idle(size=5, minimum=2)
    stage.run("2h")
    assert len(nodes(stage)) == 2


def test_nodes_that_may_go_are_marked_so_that_pods_rather_go_elsewhere() -> None:
    stage = _idle(size=2)
    stage.run("15s")
    assert taints(stage, "pool-1") == [_CANDIDATE]
    (taint,) = stage.store.get(NODE, "pool-1")["spec"]["taints"]
    assert (taint["effect"], taint["value"]) == ("PreferNoSchedule", "1767225610")
    assert condition(stage, "ScaleDownCandidates") == ("True", "CandidatesPresent")
    stage.apply([make_web(6)])
    stage.run("30s")
    assert taints(stage, "pool-1") == []
    assert condition(stage, "ScaleDownCandidates") == ("False", "NoCandidates")


def test_nodes_are_marked_a_few_at_a_time() -> None:
    stage = _idle(size=10, minimum=0, max_bulk_soft_taint_count=4)
    for marked in (4, 8, 10):
        stage.run("10s")
        stage.run(1)
        assert sum(_CANDIDATE in taints(stage, name) for name in nodes(stage)) == marked


def test_a_node_that_is_used_in_between_begins_anew() -> None:
    stage = _idle(size=1, minimum=0)
    stage.run("8m")
    stage.apply([make_web(3)])
    stage.run("1m")
    scale(stage, 0)
    stage.run("9m")
    assert len(nodes(stage)) == 1
    stage.run("3m")
    assert nodes(stage) == []


@pytest.mark.parametrize(("cpu", "left"), [("500m", 1), ("501m", 2)])
def test_a_node_is_needed_if_more_than_half_of_it_is_asked_for(cpu: str, left: int) -> None:
    pods = [{"cpu": cpu, "memory": "1Gi"}] * 2
    webs = [make_web(1, name=f"web{number}", **each) for number, each in enumerate(pods)]
    stage = staged(make_group(cpu="1", initialSize=2), *webs)
    stage.run("30m")
    assert (len(nodes(stage)), pending(stage)) == (left, 0)


def test_memory_counts_as_cpu_does() -> None:
    webs = [make_web(1, cpu="100m", memory="9Gi", name=name) for name in ("one", "two")]
    stage = staged(make_group(memory="16Gi", initialSize=2), *webs)
    stage.run("30m")
    assert len(nodes(stage)) == 2


def test_on_nodes_with_gpus_only_gpus_count() -> None:
    gpu = {"nvidia.com/gpu": "1"}
    group = make_group(resources={"nvidia.com/gpu": "2"}, initialSize=2)
    busy = make_web(1, cpu="3", name="busy")
    stage = staged(group, busy, make_web(1, cpu="3", name="other"))
    stage.run("30m")
    # Most of the CPU is asked for, but there is no place to move either pod to.
    assert len(nodes(stage)) == 2
    stage = staged(group, busy, make_web(1, cpu="1", name="user", requests=gpu, limits=gpu))
    stage.run("30m")
    assert (len(nodes(stage)), pending(stage)) == (1, 0)


def test_nodes_with_gpus_have_a_threshold_of_their_own() -> None:
    group = make_group(resources={"amd.com/gpu": "4"}, initialSize=2)
    webs = []
    for name, count in (("one", "3"), ("other", "1")):
        gpus = {"amd.com/gpu": count}
        webs.append(make_web(1, cpu="1", name=name, requests=gpus, limits=gpus))
    stage = staged(group, *webs, scale_down_utilization_threshold=0.1)
    stage.run("30m")
    assert (len(nodes(stage)), pending(stage)) == (1, 0)
    stage = staged(group, *webs, scale_down_gpu_utilization_threshold=0.1)
    stage.run("30m")
    assert len(nodes(stage)) == 2


def test_pods_move_to_other_nodes_before_theirs_goes() -> None:
    stage = staged(make_group(initialSize=2), make_web(2))
    stage.run("5s")
    stage.run("20m")
    assert (len(nodes(stage)), pending(stage)) == (1, 0)
    assert len(stage.store.list(POD).items) == 2
    assert any(
        text.startswith("Scale-down: removing node pool-1, utilization: {0.25 0.0625 0 0 cpu 0.25}")
        for text in told(stage, "ScaleDown")
    )
    assert told(stage, "ScaleDown")[-1] == "marked the node as toBeDeleted/unschedulable"
    assert "deleting pod for node scale down" in told(stage, "ScaleDown")


def test_a_node_stays_if_its_pods_fit_nowhere_else() -> None:
    spread = {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {
                    "topologyKey": "kubernetes.io/hostname",
                    "labelSelector": {"matchLabels": {"app": "web"}},
                }
            ]
        }
    }
    stage = staged(make_group(initialSize=3), make_web(3, cpu="100m", affinity=spread))
    stage.run("1h")
    assert len(nodes(stage)) == 3


def test_nodes_that_say_so_are_not_removed() -> None:
    stage = _idle(size=2, minimum=0)
    stage.run("5s")
    note = {"cluster-autoscaler.kubernetes.io/scale-down-disabled": "true"}
    stage.store.patch(NODE, "pool-2", {"metadata": {"annotations": note}})
    stage.run("1h")
    assert nodes(stage) == ["pool-2"]


def test_nodes_of_no_group_are_not_removed() -> None:
    stage = staged(make_node("mine"), make_group())
    stage.run("1h")
    assert [node["metadata"]["name"] for node in stage.store.list(NODE).items] == ["mine"]


def test_no_node_goes_for_ten_minutes_after_nodes_were_asked_for() -> None:
    idle = make_group("idle", initialSize=1)
    stage = staged(idle, make_group(labels={"kind": "new"}), make_web(0))
    stage.run("9m")
    stage.apply([make_web(1, name="new", node_selector={"kind": "new"})])
    stage.run("9m30s")
    assert nodes(stage, "idle") == ["idle-1"]
    stage.run("1m")
    assert nodes(stage, "idle") == []


def test_so_many_empty_nodes_go_at_once() -> None:
    stage = _idle(size=10, minimum=0, max_scale_down_parallelism=3)
    stage.run("10m22s")
    marked = [name for name in nodes(stage) if _TO_BE_DELETED in taints(stage, name)]
    assert len(marked) == 3
    stage.run("8m")
    assert nodes(stage) == []


def test_one_node_is_drained_after_the_other() -> None:
    webs = [make_web(1, cpu="1", name=f"web{number}") for number in range(3)]
    stage = staged(make_group(initialSize=3), *webs)
    most = 0
    for _ in range(240):
        stage.run("5s")
        draining = [name for name in nodes(stage) if _TO_BE_DELETED in taints(stage, name)]
        most = max(most, len(draining))
    assert (most, len(nodes(stage)), pending(stage)) == (1, 1, 0)


def test_a_node_is_closed_for_five_seconds_before_it_goes() -> None:
    stage = _idle(size=1, minimum=0)
    stage.run("10m20s")
    stage.run(2)
    node = stage.store.get(NODE, "pool-1")
    assert node["spec"]["unschedulable"] is True
    assert _TO_BE_DELETED in taints(stage, "pool-1")
    stage.run("6s")
    assert nodes(stage) == []


def test_daemons_keep_no_node() -> None:
    daemons = make_daemon_set("agent", pod=make_pod(cpu="1", labels={"app": "agent"}))
    stage = staged(make_group(initialSize=2, minSize=0), daemons)
    stage.run("30m")
    assert nodes(stage) == []
    assert stage.store.list(POD).items == []


@pytest.mark.parametrize(("ignored", "left"), [(False, 2), (True, 1)])
def test_daemons_may_be_left_out_of_what_is_asked_for(ignored: bool, left: int) -> None:
    daemons = make_daemon_set("agent", pod=make_pod(cpu="2500m", labels={"app": "agent"}))
    group = make_group(initialSize=2, minSize=1)
    stage = staged(group, daemons, ignore_daemonsets_utilization=ignored)
    stage.run("30m")
    assert len(nodes(stage)) == left


def test_a_budget_that_is_spent_keeps_a_node() -> None:
    budget = make_pod_disruption_budget("web", min_available=2)
    stage = staged(make_group(initialSize=2), make_web(2), budget)
    stage.run("1h")
    assert len(nodes(stage)) == 2
    stage.store.delete(("policy/v1", "PodDisruptionBudget"), "web")
    stage.run("30m")
    assert len(nodes(stage)) == 1


def test_unready_nodes_go_after_twenty_minutes() -> None:
    stage = _idle(size=3, minimum=0)
    stage.run("5s")
    silence = {"metadata": {"annotations": {"kubestage.dev/heartbeat": "stopped"}}}
    stage.store.patch(NODE, "pool-1", silence)
    stage.run("20m")
    assert nodes(stage) == ["pool-1"]
    stage.run("40s")
    assert nodes(stage) == []


def test_unready_nodes_may_be_spared() -> None:
    stage = _idle(size=2, minimum=0, scale_down_unready_enabled=False)
    stage.run("5s")
    silence = {"metadata": {"annotations": {"kubestage.dev/heartbeat": "stopped"}}}
    stage.store.patch(NODE, "pool-1", silence)
    stage.run("1h")
    assert nodes(stage) == ["pool-1"]


def test_least_cores_of_the_cluster_are_kept() -> None:
    stage = _idle(size=4, minimum=0, cores_total="9:100", frequent_loops_enabled=False)
    stage.run("1h")
    assert len(nodes(stage)) == 3


def test_nodes_on_their_way_out_count_for_the_least_cores_as_upstream() -> None:
    stage = _idle(size=4, minimum=0, cores_total="9:100")
    stage.run("1h")
    assert len(nodes(stage)) < 3


def test_scale_down_can_be_switched_off() -> None:
    stage = _idle(size=3, minimum=0, scale_down_enabled=False)
    stage.run("1h")
    assert len(nodes(stage)) == 3


def test_when_all_is_done_nothing_moves_any_more() -> None:
    stage = staged(make_group(minSize=1, initialSize=3), make_web(5))
    stage.run("1h")
    before = stage.store.get(GROUP, "pool"), stage.store.list(NODE).items
    stage.run("1h")
    assert (stage.store.get(GROUP, "pool"), stage.store.list(NODE).items) == before
    assert stage.store.get(DEPLOYMENT, "web")["status"]["readyReplicas"] == 5
