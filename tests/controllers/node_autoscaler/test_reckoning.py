"""What is reckoned with beyond what is there: nodes to come, pods to come, and what is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.testing import make_daemon_set, make_node, make_pod, make_pod_disruption_budget
from tests.controllers.node_autoscaler.clusters import (
    NODE,
    POD,
    make_group,
    make_web,
    nodes,
    pending,
    scale,
    staged,
    taints,
    target,
    told,
)

if TYPE_CHECKING:
    from kubestage.stage import Stage

_STARTUP = {"key": "startup-taint.cluster-autoscaler.kubernetes.io/agent", "effect": "NoSchedule"}
_CANDIDATE = "DeletionCandidateOfClusterAutoscaler"


def _told_of(stage: Stage, reason: str) -> set[str]:
    """The names of the pods that a reason was told of."""
    events = stage.store.list(("v1", "Event")).items
    return {each["involvedObject"]["name"] for each in events if each["reason"] == reason}


def test_a_node_that_is_still_starting_is_not_taken_away() -> None:
    hasty: Any = dict.fromkeys(("scale_down_delay_after_add_ns", "scale_down_unneeded_time_ns"), 0)
    group = make_group(taints=[_STARTUP], provisionDelay="10s")
    stage = staged(group, make_web(1), scale_down_unready_time_ns=0, **hasty)
    stage.run("5m")
    assert (nodes(stage), target(stage), pending(stage)) == (["pool-1"], 1, 1)
    stage.store.patch(NODE, "pool-1", {"spec": {"taints": None}})
    stage.run("1m")
    assert (nodes(stage), pending(stage)) == (["pool-1"], 0)


def test_pods_of_a_node_that_is_drained_get_a_node_before_they_are_evicted() -> None:
    stage = staged(
        make_group(initialSize=2),
        make_web(1, name="one"),
        make_web(1, name="two"),
        node_delete_delay_after_taint_ns=60 * 10**9,
        scale_down_delay_after_add_ns=0,
    )
    stage.run("10m30s")
    (going,) = [name for name in nodes(stage) if len(taints(stage, name)) > 1]
    # It takes the room that was meant for the pod of the other node.
    stage.apply([make_web(1, cpu="3", name="large")])
    stage.run("15s")
    (moved,) = [
        pod["metadata"]["name"]
        for pod in stage.store.list(POD).items
        if pod["spec"].get("nodeName") == going
    ]
    assert _told_of(stage, "TriggeredScaleUp") == {moved}
    assert target(stage) == 3


def test_what_one_node_takes_of_a_budget_the_next_one_has_no_more() -> None:
    filler = make_pod("filler", cpu="3", node_name="n1")
    budget = make_pod_disruption_budget("web", min_available=1)
    group = make_group(initialSize=2, minSize=0)
    stage = staged(make_node("n1"), filler, group, make_web(2, cpu="100m"), budget)
    stage.run("15s")
    where = {pod["spec"]["nodeName"] for pod in stage.store.list(POD).items}
    assert where == {"n1", "pool-1", "pool-2"}
    assert sum(_CANDIDATE in taints(stage, name) for name in nodes(stage)) == 1


@pytest.mark.parametrize(("forced", "wanted"), [(False, 2), (True, 3)])
def test_daemons_that_do_not_run_on_an_existing_node_may_be_reckoned_with(
    forced: bool, wanted: int
) -> None:
    stage = staged(make_group(initialSize=1, minSize=1), make_web(2, cpu="2"), force_ds=forced)
    stage.run("5m")
    stage.apply([make_daemon_set("agent", pod=make_pod(cpu="2", labels={"app": "agent"}))])
    stage.run("15s")
    assert (pending(stage), target(stage)) == (1, 1)
    # A node takes both of the new pods, or one beside the daemon.
    scale(stage, 4)
    stage.run("20s")
    assert target(stage) == wanted


def test_only_pods_are_told_of_nodes_that_the_cluster_may_still_have() -> None:
    stage = staged(make_node("n1", cpu="1"), make_group(), make_web(40), max_nodes_total=4)
    stage.run("11s")
    assert (target(stage), len(_told_of(stage, "TriggeredScaleUp"))) == (3, 12)
    assert told(stage, "MaxNodesTotalReached") == []


def test_no_more_nodes_are_asked_for_than_the_cluster_may_have_though_more_were_estimated() -> None:
    # A pod goes to the node that is there once there is another, and that counts as a node.
    spread = {
        "topologyKey": "kubernetes.io/hostname",
        "maxSkew": 1,
        "minDomains": 2,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    web = make_web(4, topology_spread_constraints=[spread])
    stage = staged(make_node("n1"), make_group(), web)
    stage.run("11s")
    assert target(stage) == 2
    stage = staged(make_node("n1"), make_group(), web, max_nodes_total=2)
    stage.run("11s")
    assert target(stage) == 1
    assert told(stage, "MaxNodesTotalReached") == ["Max total nodes in cluster reached: 2"]
    stage.run("5m")
    assert pending(stage) == 0
