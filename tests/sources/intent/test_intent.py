"""What people did on a stage is found again in the recording of everything that happened."""

from __future__ import annotations

import collections
from typing import Any

import pytest

from kubestage.sources import intent
from kubestage.sources.imported import Change, Reference
from kubestage.stage import Stage
from kubestage.units import SECOND_NS
from tests.sources.intent.recorded import Recorder

DEPLOYMENT = ("apps/v1", "Deployment")
NODE = ("v1", "Node")


def _node(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "110"}},
    }  # fmt: skip


def _workload(kind: str, name: str, **spec: Any) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "c", "image": "i:1"}]},
    }
    return {
        "apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template, **spec},
    }  # fmt: skip


def _pod(name: str) -> dict[str, Any]:
    spec = {"containers": [{"name": "c", "image": "i:1"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


@pytest.fixture
def stage() -> Stage:
    made = Stage(1)
    made.add_scheduler()
    made.add_controllers()
    made.apply([_node(f"n{number}") for number in range(3)])
    made.run(60 * SECOND_NS)
    return made


def _told(found: intent.Intent) -> list[tuple[str, str]]:
    return [(each.verb, f"{each.reference.kind}/{each.reference.name}") for each in found.actions]


def test_a_person_at_work(stage: Stage) -> None:
    recorder = Recorder(stage)
    stage.apply([_workload("Deployment", "web", replicas=3), _workload("DaemonSet", "agent")])
    stage.apply([_pod("bare")])
    stage.run(60 * SECOND_NS)
    stage.store.patch(DEPLOYMENT, "web", {"spec": {"replicas": 5}}, "default")
    stage.run(60 * SECOND_NS)
    image = {"spec": {"template": {"metadata": {"labels": {"v": "2"}}}}}
    stage.store.patch(DEPLOYMENT, "web", image, "default")
    stage.run(600 * SECOND_NS)
    stage.store.patch(NODE, "n1", {"spec": {"unschedulable": True}})
    stage.store.delete(("v1", "Pod"), "bare", "default")
    stage.run(60 * SECOND_NS)
    stage.store.delete(DEPLOYMENT, "web", "default")
    stage.run(60 * SECOND_NS)
    found = intent.find(recorder.objects, recorder.changes)
    assert _told(found) == [
        ("create", "Deployment/web"), ("create", "DaemonSet/agent"), ("create", "Pod/bare"),
        ("patch", "Deployment/web"), ("patch", "Deployment/web"), ("patch", "Node/n1"),
        ("delete", "Pod/bare"), ("delete", "Deployment/web"),
    ]  # fmt: skip
    patches = [each.object for each in found.actions if each.verb == "patch"]
    assert patches == [
        {"spec": {"replicas": 5}}, image, {"spec": {"unschedulable": True}},
    ]  # fmt: skip
    # Everything else is counted.
    assert sum(found.consequences.values()) + len(found.actions) >= len(recorder.changes) - 1
    assert found.consequences["ReplicaSet", "made by a controller"] > 0


def test_the_intent_makes_the_same_cluster_again(stage: Stage) -> None:
    """Done again on another stage, it has the same consequences."""
    other = stage.fork()
    recorder = Recorder(stage)
    stage.apply([_workload("Deployment", "web", replicas=3), _workload("StatefulSet", "db",
                 serviceName="db", replicas=2)])  # fmt: skip
    stage.run(120 * SECOND_NS)
    stage.store.patch(DEPLOYMENT, "web", {"spec": {"replicas": 1}}, "default")
    stage.run(120 * SECOND_NS)
    for action in intent.find(recorder.objects, recorder.changes).actions:
        other.run(action.at_ns - other.clock.unix_ns)
        reference = action.reference
        assert action.object is not None
        if action.verb == "create":
            other.store.create(action.object)
        else:
            kind = (reference.api_version, reference.kind)
            other.store.patch(kind, reference.name, action.object, reference.namespace)
    other.run(stage.clock.now_ns - other.clock.now_ns)
    assert _pods(other) == _pods(stage)


def _pods(stage: Stage) -> collections.Counter[tuple[str, str]]:
    return collections.Counter(
        (pod["metadata"]["labels"]["app"], pod["status"]["phase"])
        for pod in stage.store.read(("v1", "Pod")).values()
    )


def test_replicas_of_an_autoscaler_are_its_consequence() -> None:
    old = _workload("Deployment", "web", replicas=2)
    old["metadata"]["namespace"] = "default"
    scaler = {
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "maxReplicas": 9},
    }  # fmt: skip
    reference = Reference("apps/v1", "Deployment", "default", "web")
    new = {**old, "spec": {**old["spec"], "replicas": 6}}
    change = Change(at_ns=1, verb="update", reference=reference, object=new)
    assert intent.find([old, scaler], [change]).actions == []
    by_person = Change(at_ns=1, verb="update", reference=reference, object=new, user="ann")
    (action,) = intent.find([old, scaler], [by_person]).actions
    assert action.object == {"spec": {"replicas": 6}}
    (action,) = intent.find([old], [change]).actions
    assert action.object == {"spec": {"replicas": 6}}
    gone = Change(at_ns=0, verb="delete", reference=Reference(
        "autoscaling/v2", "HorizontalPodAutoscaler", "default", "web"))  # fmt: skip
    assert len(intent.find([old, scaler], [gone, change]).actions) == 2


def test_nodes_come_and_go_by_themselves_or_by_an_autoscaler() -> None:
    reference = Reference("v1", "Node", "", "n1")
    changes = [
        Change(at_ns=1, verb="create", reference=reference, object=_node("n1")),
        Change(at_ns=2, verb="delete", reference=reference),
    ]
    assert _told(intent.find([], changes)) == [("create", "Node/n1"), ("delete", "Node/n1")]
    found = intent.find([], changes, nodes=False)
    assert found.actions == []
    assert sum(found.consequences.values()) == 2


def _with_ready(status: str) -> dict[str, Any]:
    node = _node("n1")
    node["status"]["conditions"] = [{"type": "Ready", "status": status}]
    return node


def test_a_node_fails_and_recovers() -> None:
    reference = Reference("v1", "Node", "", "n1")
    states = ["True", "Unknown", "False", "True"]
    changes = [
        Change(at_ns=at, verb="update", reference=reference, object=_with_ready(status))
        for at, status in enumerate(states, 1)
    ]
    found = intent.find([_with_ready("True")], changes)
    assert [(each.at_ns, each.verb) for each in found.actions] == [(2, "fail"), (4, "recover")]


def test_a_new_node_that_becomes_ready_has_not_failed() -> None:
    reference = Reference("v1", "Node", "", "n1")
    changes = [
        Change(at_ns=1, verb="create", reference=reference, object=_with_ready("False")),
        Change(at_ns=2, verb="update", reference=reference, object=_with_ready("True")),
    ]
    assert _told(intent.find([], changes)) == [("create", "Node/n1")]


def _evicted(pod: dict[str, Any], reason: str) -> dict[str, Any]:
    condition = {"type": "DisruptionTarget", "status": "True", "reason": reason}
    return {**pod, "status": {"conditions": [condition]}}


@pytest.mark.parametrize(
    ("reason", "taint", "expected"),
    [
        ("EvictionByEvictionAPI", "mine", [("evict", "Pod/p")]),
        ("EvictionByEvictionAPI", "ToBeDeletedByClusterAutoscaler", []),
        ("PreemptionByScheduler", "mine", []),
        ("DeletionByTaintManager", "mine", []),
    ],
)
def test_evictions(reason: str, taint: str, expected: list[tuple[str, str]]) -> None:
    pod = _pod("p")
    pod["metadata"] |= {"namespace": "default"}
    pod["spec"]["nodeName"] = "n1"
    node = _node("n1")
    node["spec"] = {"taints": [{"key": taint, "effect": "NoSchedule"}]}
    reference = Reference("v1", "Pod", "default", "p")
    changes = [
        Change(at_ns=1, verb="update", reference=reference, object=_evicted(pod, reason)),
        Change(at_ns=2, verb="delete", reference=reference),
    ]
    assert _told(intent.find([pod, node], changes)) == expected


@pytest.mark.parametrize(
    ("user", "is_intent"),
    [
        ("", True), ("ann", True), ("system:serviceaccount:argocd:controller", True),
        ("system:serviceaccount:kube-system:deployment-controller", False),
        ("system:kube-controller-manager", False), ("system:node:n1", False),
    ],
)  # fmt: skip
def test_users(user: str, is_intent: bool) -> None:
    obj = _workload("Deployment", "web")
    reference = Reference("apps/v1", "Deployment", "default", "web")
    change = Change(at_ns=1, verb="create", reference=reference, object=obj, user=user)
    assert bool(intent.find([], [change]).actions) is is_intent


def test_what_controllers_write_is_no_intent() -> None:
    old = _workload("Deployment", "web")
    old["metadata"] |= {"annotations": {"deployment.kubernetes.io/revision": "1", "mine": "a"}}
    new = _workload("Deployment", "web")
    new["metadata"] |= {
        "annotations": {"deployment.kubernetes.io/revision": "2", "mine": "b"}, "uid": "x",
    }  # fmt: skip
    new["status"] = {"replicas": 3}
    reference = Reference("apps/v1", "Deployment", "", "web")
    change = Change(at_ns=1, verb="update", reference=reference, object=new)
    (action,) = intent.find([old], [change]).actions
    assert action.object == {"metadata": {"annotations": {"mine": "b"}}}
