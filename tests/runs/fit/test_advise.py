"""Clusters with known answers: what keeps the pod out is put there by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import gvk
from kubestage.runs import fit
from kubestage.runs.fit import advice
from kubestage.testing import make_node, make_pod, make_priority_class
from tests.runs.fit import clusters
from tests.runs.fit.clusters import change_of, kinds, pod_on, stage_with

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_ZONE = "topology.kubernetes.io/zone"


def _proved(stage: Stage, pod: Json, advice: fit.FitAdvice) -> None:
    """Every change of an advice, made on a fork of the stage, gets the pod a node."""
    for change in advice.changes:
        assert clusters.is_placed_after(stage.fork(), pod, change), change


def _advice(stage: Stage, name: str = "web") -> fit.FitAdvice:
    pod = pod_on(stage, name)
    found = fit.advise(stage, pod)
    assert not found.fits
    _proved(stage, pod, found)
    return found


def test_a_request_is_lowered_to_the_largest_round_amount() -> None:
    nodes = [make_node("a", cpu="8"), make_node("b", cpu="10")]
    stage = stage_with(*nodes, make_pod("x", cpu="650m", node_name="b"),
                       pods=(make_pod("web", cpu="14"),))  # fmt: skip
    found = _advice(stage)
    assert found.numbers == [
        "needs 14 cpu; node b has 9.35 free, the most (none is that large: 10 at most)"
    ]
    change = change_of(found, "lower-request")
    assert change.text == "lower its cpu request from 14 to 9300m"
    assert change.proved_on == "b"
    assert change.patch["pod"]["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "9300m"
    assert kinds(found) == ["lower-request"]


def test_two_requests_are_lowered_together_if_one_is_not_enough() -> None:
    stage = stage_with(make_node("a", cpu="4", memory="8Gi"),
                       pods=(make_pod("web", cpu="6", memory="12Gi"),))  # fmt: skip
    found = _advice(stage)
    assert change_of(found, "lower-request").text == (
        "lower its cpu request from 6 to 4, and lower its memory request from 12Gi to 8Gi"
    )


def test_the_container_with_the_largest_request_is_named() -> None:
    pod = make_pod("web", containers=[
        {"name": "app", "image": "a", "resources": {"requests": {"cpu": "3"}}},
        {"name": "log", "image": "a", "resources": {"requests": {"cpu": "2"}}},
    ])  # fmt: skip
    found = _advice(stage_with(make_node("a", cpu="4"), pods=(pod,)))
    assert change_of(found, "lower-request").text == (
        "lower its cpu request in container app from 3 to 2"
    )


def test_a_device_is_lowered_with_its_limit() -> None:
    gpu = {"example.com/gpu": "4"}
    pod = make_pod("web", requests=gpu, limits=gpu)
    found = _advice(stage_with(make_node("a", resources={"example.com/gpu": "2"}), pods=(pod,)))
    resources = change_of(found, "lower-request").patch["pod"]["spec"]["containers"][0]["resources"]
    assert resources["requests"] == resources["limits"] == {"example.com/gpu": "2"}


def test_a_taint_is_tolerated() -> None:
    stage = stage_with(make_node("a", taints=["dedicated=db:NoSchedule"]), pods=(make_pod("web"),))
    found = _advice(stage)
    change = change_of(found, "tolerate-taint")
    assert change.text == "tolerate the taint dedicated=db:NoSchedule (a)"
    assert change.patch["pod"]["spec"]["tolerations"][-1] == {
        "key": "dedicated", "operator": "Equal", "value": "db", "effect": "NoSchedule",
    }  # fmt: skip


def test_a_node_is_uncordoned_or_well_again() -> None:
    cordoned = make_node("a")
    cordoned["spec"] = {"unschedulable": True}
    lost = make_node("b", taints=["node.kubernetes.io/unreachable:NoSchedule"])
    found = _advice(stage_with(cordoned, lost, pods=(make_pod("web"),)))
    assert change_of(found, "uncordon-node").text == "uncordon node a"
    assert change_of(found, "restore-node").text == (
        "bring node b back to Ready (node.kubernetes.io/unreachable:NoSchedule)"
    )
    assert "tolerate-taint" not in kinds(found)


def test_rules_of_the_pod_are_dropped_or_softened_one_by_one() -> None:
    web = {"app": "web"}
    affinity = {
        "nodeAffinity": {
            _REQUIRED: {
                "nodeSelectorTerms": [
                    {
                        "matchExpressions": [
                            {"key": "disk", "operator": "In", "values": ["ssd"]},
                            {"key": _ZONE, "operator": "In", "values": ["z1"]},
                        ]
                    }
                ]
            }
        }
    }
    stage = stage_with(make_node("a", zone="z1"),
                       pods=(make_pod("web", labels=web, affinity=affinity),))  # fmt: skip
    found = _advice(stage)
    assert [each.text for each in found.changes] == [
        "drop disk In (ssd) from its node affinity",
        f"make its node affinity (disk In (ssd) and {_ZONE} In (z1)) a preference",
    ]


@pytest.mark.parametrize("field", ["podAffinity", "podAntiAffinity"])
def test_affinity_to_other_pods_is_softened(field: str) -> None:
    labels = {"app": "web" if field == "podAntiAffinity" else "cache"}
    term = {"labelSelector": {"matchLabels": labels}, "topologyKey": _ZONE}
    affinity = {field: {_REQUIRED: [term]}}
    there = make_pod("old", labels={"app": "web"}, node_name="a")
    pod = make_pod("web", labels={"app": "web"}, affinity=affinity)
    found = _advice(stage_with(make_node("a", zone="z1"), there, pods=(pod,)))
    name = {"podAffinity": "pod affinity", "podAntiAffinity": "pod anti-affinity"}[field]
    assert change_of(found, "soften-term").text == (
        f"make its {name} (app={labels['app']} by {_ZONE}) a preference"
    )
    if field == "podAntiAffinity":
        assert change_of(found, "remove-pods").text == (
            "remove default/old from a; it has no room elsewhere"
        )


def test_a_spread_constraint_is_softened() -> None:
    web = {"app": "web"}
    spread = {
        "maxSkew": 1,
        "topologyKey": _ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": web},
    }
    full = make_node("b", zone="z2", cpu="1")
    stage = stage_with(
        make_node("a", zone="z1"), full,
        make_pod("one", labels=web, node_name="a"), make_pod("big", cpu="1", node_name="b"),
        pods=(make_pod("web", labels=web, cpu="1", topology_spread_constraints=[spread]),),
    )  # fmt: skip
    found = _advice(stage)
    assert change_of(found, "soften-term").text == (
        f"let its spread over {_ZONE} (maxSkew 1) be ScheduleAnyway"
    )
    assert (
        "default/one" in change_of(found, "remove-pods").text
        or "default/big" in change_of(found, "remove-pods").text
    )


def test_a_host_port_is_dropped_or_its_holder_removed() -> None:
    holder = make_pod("old", host_ports=[8080], node_name="a")
    found = _advice(stage_with(make_node("a"), holder, pods=(make_pod("web", host_ports=[8080]),)))
    assert change_of(found, "drop-host-port").text == "drop its host port 8080/TCP"
    assert change_of(found, "remove-pods").text.startswith("remove default/old from a")


def test_the_fewest_pods_of_the_lowest_priority_are_removed() -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "rs"}}
    pods = [
        make_pod("small-1", cpu="1", node_name="a", owner=owner),
        make_pod("small-2", cpu="1", node_name="a", owner=owner),
        make_pod("large-1", cpu="2", node_name="a", owner=owner, priority=10),
        make_pod("large-2", cpu="2", node_name="b", owner=owner, priority=5),
        make_pod("rest", cpu="2", node_name="b", owner=owner, priority=10),
    ]
    stage = stage_with(make_node("a"), make_node("b"), *pods, pods=(make_pod("web", cpu="2"),))
    found = _advice(stage)
    assert change_of(found, "remove-pods").text == (
        "remove default/large-2 from b; it has no room elsewhere"
    )
    assert change_of(found, "remove-pods").proved_on == "b"


def test_a_pod_that_fits_elsewhere_is_moved_and_budgets_are_named() -> None:
    budget = {
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "db", "namespace": "default"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "db"}}},
        "status": {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1,
                   "expectedPods": 1, "observedGeneration": 1},
    }  # fmt: skip
    there = make_pod("db", cpu="1", labels={"app": "db"}, node_name="large")
    stage = stage_with(make_node("large", cpu="4"), make_node("small", cpu="1"), budget, there,
                       pods=(make_pod("web", cpu="4"),))  # fmt: skip
    assert change_of(_advice(stage), "remove-pods").text == (
        "remove default/db from large, against the budget default/db (allows 0 now); "
        "it has room on small"
    )


def test_pods_of_daemons_are_not_removed_and_come_with_a_new_node() -> None:
    daemon = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"}}
    agent = make_pod("agent-1", cpu="1", node_name="a", owner=daemon)
    stage = stage_with(make_node("a", cpu="4"), agent, pods=(make_pod("web", cpu="4"),))
    assert kinds(_advice(stage)) == ["lower-request"]
    stage = stage_with(make_node("a", cpu="4"), agent, make_pod("x", cpu="1", node_name="a"),
                       pods=(make_pod("web", cpu="3"),))  # fmt: skip
    change = change_of(_advice(stage), "add-node")
    assert change.text == "add one node like a"
    assert [each["kind"] for each in change.patch["add"]] == ["Node"]


def test_a_node_of_a_group_is_added() -> None:
    group = {
        "apiVersion": "kubestage.dev/v1alpha1", "kind": "NodeGroup", "metadata": {"name": "big"},
        "spec": {"minSize": 0, "maxSize": 1,
                 "template": {"capacity": {"cpu": "16", "memory": "64Gi"}}},
    }  # fmt: skip
    stage = stage_with(make_node("a", cpu="2"), group, pods=(make_pod("web", cpu="12"),))
    found = _advice(stage)
    assert change_of(found, "add-node").text == "add one node of the group big"
    assert advice.NOTHING not in found.lines()


def test_what_keeps_a_pod_out_of_the_queue() -> None:
    gated = make_pod("web")
    gated["spec"]["schedulingGates"] = [{"name": "example.com/approval"}]
    found = _advice(stage_with(make_node("a"), pods=(gated,)))
    assert [each.text for each in found.changes] == [
        "remove its scheduling gate example.com/approval"
    ]
    other = make_pod("web", scheduler_name="other")
    found = _advice(stage_with(make_node("a"), pods=(other,)))
    assert [each.text for each in found.changes] == [
        "name the scheduler default-scheduler (nothing is called other here)"
    ]


def test_a_class_would_let_it_preempt() -> None:
    classes = [make_priority_class("high", 100), make_priority_class("polite", 50,
               preemption_policy="Never")]  # fmt: skip
    low = make_pod("low", cpu="4", node_name="a", priority=0)
    pod = make_pod("web", cpu="4", priority_class_name="polite")
    found = _advice(stage_with(*classes, make_node("a", cpu="4"), low, pods=(pod,)))
    assert change_of(found, "raise-priority").text == (
        "give it the priority class high (100), preempting default/low"
    )


def test_missing_and_distant_volumes() -> None:
    mounted = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    pod = make_pod("web", cpu="3", volumes=mounted)
    found = _advice_without_proof(stage_with(make_node("a"), pods=(pod,)))
    assert [each.text for each in found.changes] == [
        "create the claim default/data, and have it bound to a volume"
    ]
    volume: dict[str, Any] = {
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv-1"},
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                 "hostPath": {"path": "/x"}, "storageClassName": "",
                 "claimRef": {"namespace": "default", "name": "data", "uid": "u"},
                 "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                     {"key": _ZONE, "operator": "In", "values": ["z1"]}]}]}}},
        "status": {"phase": "Bound"},
    }  # fmt: skip
    claim = {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "default", "uid": "u",
                     "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"accessModes": ["ReadWriteOnce"], "volumeName": "pv-1", "storageClassName": "",
                 "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Bound"},
    }  # fmt: skip
    stage = stage_with(
        make_node("a", zone="z1", cpu="4"), make_node("b", zone="z2", cpu="4"),
        make_pod("x", cpu="2", node_name="a"), volume, claim, pods=(pod,),
    )  # fmt: skip
    found = _advice_without_proof(stage)
    assert change_of(found, "free-volume").text == (
        f"have volume pv-1 of claim default/data reachable beyond {_ZONE} z1"
    )
    assert change_of(found, "free-volume").proved_on == "b"


def test_a_claim_that_one_pod_has_to_itself_is_freed() -> None:
    claim = {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "default", "uid": "u",
                     "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"accessModes": ["ReadWriteOncePod"], "volumeName": "pv-1", "storageClassName": "",
                 "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Bound"},
    }  # fmt: skip
    volume = {
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv-1"},
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOncePod"],
                 "hostPath": {"path": "/x"}, "storageClassName": "",
                 "claimRef": {"namespace": "default", "name": "data", "uid": "u"}},
        "status": {"phase": "Bound"},
    }  # fmt: skip
    mounted = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    user = make_pod("old", volumes=mounted, node_name="a")
    stage = stage_with(make_node("a"), make_node("b"), claim, volume, user,
                       pods=(make_pod("web", volumes=mounted),))  # fmt: skip
    found = _advice(stage)
    assert found.changes[0].text.startswith(
        "remove default/old, which has the claim data to itself (ReadWriteOncePod)"
    )


def test_pods_that_are_leaving_are_waited_for() -> None:
    leaving = make_pod("old", cpu="4", node_name="a")
    leaving["metadata"] |= {
        "deletionTimestamp": "2026-01-01T00:00:30Z", "deletionGracePeriodSeconds": 30,
    }  # fmt: skip
    stage = stage_with(make_node("a", cpu="4"), leaving, pods=(make_pod("web", cpu="4"),))
    found = _advice(stage)
    assert found.changes[0].kind == "wait"
    assert found.changes[0].text == "wait until default/old, which is being deleted, is gone"


def test_two_changes_together_where_none_is_enough() -> None:
    stage = stage_with(
        make_node("a", taints=["dedicated=db:NoSchedule"], labels={"disk": "hdd"}),
        pods=(make_pod("web", node_selector={"disk": "ssd"}),),
    )
    found = _advice(stage)
    assert [each.text for each in found.changes] == [
        "tolerate the taint dedicated=db:NoSchedule (a), and drop disk=ssd from its nodeSelector"
    ]


def test_nothing_on_these_nodes_is_an_answer() -> None:
    stage = stage_with(pods=(make_pod("web"),))
    found = _advice(stage)
    assert found.changes == []
    assert found.lines() == [advice.NOTHING]


def test_a_pod_that_fits_is_told_where_and_at_whose_expense() -> None:
    stage = stage_with(make_node("a"))
    found = fit.advise(stage, make_pod("web", cpu="1"))
    assert (found.fits, found.node, found.victims) == (True, "a", [])
    assert found.lines() == ["It fits on a now."]
    low = make_pod("low", cpu="4", node_name="a", priority=0)
    stage = stage_with(make_node("a", cpu="4"), low, make_priority_class("high", 100))
    found = fit.advise(stage, make_pod("web", cpu="4", priority_class_name="high"))
    assert (found.fits, found.node, found.victims) == (True, "a", ["default/low"])
    assert found.lines() == ["It fits on a if these are preempted: default/low."]


def test_what_the_api_refuses_names_the_quota_and_what_is_missing() -> None:
    quota = {
        "apiVersion": "v1", "kind": "ResourceQuota",
        "metadata": {"name": "team", "namespace": "default"},
        "spec": {"hard": {"requests.cpu": "4"}},
        "status": {"hard": {"requests.cpu": "4"}, "used": {"requests.cpu": "3"}},
    }  # fmt: skip
    stage = stage_with(make_node("a"), quota)
    pod = make_pod("web", cpu="2")
    found = fit.advise(stage, pod)
    assert not found.fits
    assert "exceeded quota: team" in found.message
    _proved(stage, pod, found)
    assert change_of(found, "raise-quota").text == (
        "raise the quota default/team: requests.cpu from 4 to 5"
    )
    assert change_of(found, "lower-request").text == "lower its cpu request from 2 to 1"
    found = fit.advise(stage_with(make_node("a")), make_pod("web", priority_class_name="none"))
    assert [each.text for each in found.changes] == ["create the PriorityClass none"]


def test_the_stage_is_not_changed_and_the_same_question_has_the_same_answer() -> None:
    stage = stage_with(make_node("a", cpu="4"), make_pod("x", cpu="3", node_name="a"),
                       pods=(make_pod("web", cpu="2"),))  # fmt: skip
    pod = pod_on(stage, "web")
    before = stage.store.resource_version
    first = fit.advise(stage, pod)
    assert stage.store.resource_version == before
    assert stage.store.read(gvk.POD)["default/web"] is pod
    assert fit.advise(stage, pod) == first


def test_a_limit_range_that_refuses_a_smaller_request_is_respected() -> None:
    limits = {
        "apiVersion": "v1", "kind": "LimitRange",
        "metadata": {"name": "least", "namespace": "default"},
        "spec": {"limits": [{"type": "Container", "min": {"cpu": "3"}}]},
    }  # fmt: skip
    stage = stage_with(limits, make_node("a", cpu="2"), pods=(make_pod("web", cpu="4"),))
    assert _advice(stage).changes == []


def _advice_without_proof(stage: Stage) -> fit.FitAdvice:
    """The advice where the change is the work of a controller, which the stage does not have."""
    return fit.advise(stage, pod_on(stage, "web"))


def test_no_change_is_part_of_another() -> None:
    cordoned = make_node("c")
    cordoned["spec"] = {"unschedulable": True}
    stage = stage_with(
        make_node("a", cpu="4", taints=["dedicated=db:NoSchedule"], labels={"disk": "ssd"}),
        make_node("b", cpu="2"), cordoned,
        pods=(make_pod("web", cpu="6", node_selector={"disk": "ssd"}),),
    )  # fmt: skip
    found = _advice(stage)
    assert [each.text for each in found.changes] == [
        "tolerate the taint dedicated=db:NoSchedule (a), and lower its cpu request from 6 to 4",
        "drop disk=ssd from its nodeSelector, and lower its cpu request from 6 to 2",
    ]
