from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers import pods
from kubestage.testing import make_daemon_set, make_pod, make_pod_disruption_budget
from tests.controllers.node_autoscaler.clusters import (
    GROUP,
    NODE,
    POD,
    make_group,
    make_web,
    nodes,
    pending,
    staged,
    taints,
    told,
)

if TYPE_CHECKING:
    from kubestage.stage import Stage
    from kubestage.store.log import Change

_TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler"
BUDGET = ("policy/v1", "PodDisruptionBudget")


class Pods:
    """Watches how few pods are ready, and how long those have that are to go."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.graces: dict[str, int] = {}
        self.lowest = 1000
        stage.store.subscribe(self._note, [("", "Pod")])

    def _note(self, change: Change) -> None:
        metadata = change.new["metadata"]
        if change.old is not None and "deletionTimestamp" in metadata:
            self.graces.setdefault(metadata["name"], metadata["deletionGracePeriodSeconds"])
        every = self._stage.store.read(POD).values()
        ready = [pod for pod in every if pods.is_ready(pod) and not pods.is_terminating(pod)]
        self.lowest = min(self.lowest, len(ready))


def _two_nodes(*others: Any, replicas: int = 4, **flags: Any) -> Stage:
    """Two nodes with pods of a fifth of their size, on both of them."""
    web = make_web(replicas, cpu="800m", memory="1Gi")
    return staged(make_group(initialSize=2, minSize=1), web, *others, **flags)


def test_a_budget_lets_pods_go_one_by_one() -> None:
    stage = _two_nodes(make_pod_disruption_budget("web", max_unavailable=1))
    stage.run("30s")
    seen = Pods(stage)
    stage.run("25m")
    assert (len(nodes(stage)), pending(stage)) == (1, 0)
    assert (seen.lowest, len(seen.graces)) == (3, 2)


def test_a_drain_that_fails_is_called_off() -> None:
    stage = _two_nodes()
    stage.run("9m")
    # An eviction cannot cope with two budgets, whatever they allow.
    budgets = [make_pod_disruption_budget(name, selector={"app": "web"}) for name in "ab"]
    for budget in budgets:
        budget["spec"]["maxUnavailable"] = "100%"
    stage.apply(budgets)
    stage.run("1m30s")
    (going,) = [name for name in nodes(stage) if _TO_BE_DELETED in taints(stage, name)]
    stage.run("1m53s")
    assert _TO_BE_DELETED in taints(stage, going)
    stage.run("27s")
    assert len(nodes(stage)) == 2
    assert _TO_BE_DELETED not in taints(stage, going)
    assert "unschedulable" not in stage.store.get(NODE, going)["spec"]
    failed = told(stage, "ScaleDownFailed")
    assert "failed to delete pod for ScaleDown" in failed
    assert failed[1].startswith(
        f"failed to drain and delete node: Failed to drain node /{going}, due to following errors: "
        "[failed to evict pod default/web-"
    )


def test_a_pod_that_came_to_an_empty_node_calls_its_removal_off() -> None:
    stage = staged(make_group(initialSize=1, minSize=0))
    stage.run("10m21s")
    assert _TO_BE_DELETED in taints(stage, "pool-1")
    pod = make_pod("late", node_name="pool-1", cpu="100m")
    pod["metadata"]["annotations"] = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}
    stage.load([pod])
    stage.run("8s")
    assert nodes(stage) == ["pool-1"]
    assert _TO_BE_DELETED not in taints(stage, "pool-1")
    assert told(stage, "ScaleDownFailed") == [
        ('failed to delete empty node: failed to delete empty node "pool-1", new pods scheduled')
    ]


def test_pods_have_the_time_they_need_to_end_and_no_more_than_the_flag_says() -> None:
    for most, wanted in ((600, 100), (20, 20)):
        stage = staged(make_group(initialSize=2), max_graceful_termination_sec=most)
        web = make_web(2, cpu="800m", memory="1Gi")
        web["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 100
        stage.apply([web])
        seen = Pods(stage)
        stage.run("15m")
        assert set(seen.graces.values()) == {wanted}


def test_daemons_of_occupied_nodes_are_evicted_first_and_those_of_empty_ones_are_not() -> None:
    daemons = make_daemon_set("agent", pod=make_pod(cpu="100m", labels={"app": "agent"}))
    for replicas, evicted in ((2, True), (0, False)):
        stage = _two_nodes(daemons, replicas=replicas)
        stage.run("15m")
        assert len(nodes(stage)) == 1
        assert ("deleting pod for node scale down" in told(stage, "ScaleDown")) is evicted


def test_pods_of_a_node_that_is_drained_are_reckoned_with() -> None:
    stage = _two_nodes()
    stage.run("10m22s")
    assert len([name for name in nodes(stage) if _TO_BE_DELETED in taints(stage, name)]) == 1
    # What is left has room for one more pod of this size if the others were not to come there.
    stage.apply([make_web(1, cpu="1800m", name="more")])
    stage.run("3m")
    assert pending(stage) == 0
    assert len(nodes(stage)) == 2


@pytest.mark.parametrize(("terminate_delay", "is_lossless"), [("5s", True), ("10ms", False)])
def test_requests_are_ended_before_their_node_goes_if_pods_take_the_time(
    terminate_delay: str, is_lossless: bool
) -> None:
    web = make_web(2, annotations={"kubestage.dev/terminate-delay": terminate_delay})
    stage = staged(make_group(initialSize=2), web, scale_down_unneeded_time_ns=60 * 10**9)
    stage.run("30s")
    load = {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "Traffic",
        "metadata": {"name": "load"},
        "spec": {
            "target": {"kind": "Deployment", "name": "web"},
            "pattern": {"poisson": {"rps": 10}},
            "request": {"cpu": "10ms", "io": "800ms"},
        },
    }
    stage.apply([load])
    stage.run("4m")
    assert (len(nodes(stage)), pending(stage)) == (1, 0)
    requests = stage.store.get(("kubestage.dev/v1alpha1", "Traffic"), "load")["status"]["requests"]
    assert requests["completed"] > 1000
    assert (requests["failed"] == 0) == is_lossless


def test_a_node_whose_group_is_deleted_meanwhile_stays_and_is_opened_again() -> None:
    stage = staged(make_group(initialSize=1), node_delete_delay_after_taint_ns=60 * 10**9)
    stage.run("10m30s")
    assert stage.store.get(NODE, "pool-1")["spec"]["unschedulable"]
    stage.store.delete(GROUP, "pool")
    stage.run("2m")
    assert "unschedulable" not in stage.store.get(NODE, "pool-1")["spec"]
    assert told(stage, "ScaleDownFailed") == [
        "failed to delete empty node: picked node that doesn't belong to a node group: pool-1"
    ]


@pytest.mark.parametrize("fails", [False, True])
def test_nodes_of_a_group_that_scales_as_a_whole_go_together_or_not_at_all(fails: bool) -> None:
    group = make_group(initialSize=3, options={"zeroOrMaxNodeScaling": True})
    stage = staged(group, node_delete_delay_after_taint_ns=60 * 10**9)
    stage.run("10m30s")
    assert len(nodes(stage)) == 3
    if fails:
        stage.apply([make_pod("late", node_name="pool-2")])
    stage.run("1m")
    assert len(nodes(stage)) == (3 if fails else 0)
    if fails:
        specs = [stage.store.get(NODE, name)["spec"] for name in nodes(stage)]
        assert not any(spec.get("unschedulable") for spec in specs)
        assert "couldn't scale down other nodes in this node group" in " ".join(
            told(stage, "ScaleDownFailed")
        )
