"""What an autoscaler may point at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.vpa.targets import Target, TargetError, Targets
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from tests.controllers.vpa import worlds

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _replica_set(owner: Json | None = None) -> Json:
    found = worlds.deployment("rs")
    found["kind"] = "ReplicaSet"
    if owner is not None:
        found["metadata"]["ownerReferences"] = [
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "name": owner["metadata"]["name"],
                "uid": owner["metadata"]["uid"],
                "controller": True,
            }
        ]
    return found


@pytest.fixture
def store() -> Store:
    return Store(Clock(), Streams(0), implicit_namespaces=True)


def _pointing(kind: str, name: str, api_version: str = "apps/v1") -> Json:
    vpa = worlds.autoscaler()
    vpa["spec"]["targetRef"] = {"apiVersion": api_version, "kind": kind, "name": name}
    return vpa


def test_the_topmost_owner_is_meant(store: Store) -> None:
    owner = store.create(worlds.deployment())
    store.create(_replica_set(owner))
    targets = Targets(store)
    assert not targets.problem(_pointing("Deployment", "web"))
    assert targets.problem(_pointing("ReplicaSet", "rs")) == (
        "The target apps/v1.ReplicaSet/rs has a parent controller but it should point to a topmost "
        "well-known or scalable controller"
    )
    below = Target("default", "ReplicaSet", "rs", "apps/v1")
    assert targets.topmost(below) == Target("default", "Deployment", "web", "apps/v1")


def test_a_replica_set_of_its_own_may_be_meant(store: Store) -> None:
    store.create(_replica_set())
    assert not Targets(store).problem(_pointing("ReplicaSet", "rs"))


def test_selectors_are_those_of_the_target(store: Store) -> None:
    store.create(worlds.deployment())
    selector = Targets(store).selector(_pointing("Deployment", "web"))
    assert selector.matches({"app": "web", "more": "labels"})
    assert not selector.matches({"app": "other"})


@pytest.mark.parametrize(
    ("kind", "api_version", "problem"),
    [
        ("Deployment", "apps/v1", "Deployment default/web does not exist"),
        (
            "Widget",
            "example.com/v1",
            (
                "unhandled targetRef example.com/v1 / Widget / web, last error no matches for kind "
                '"Widget" in group "example.com"'
            ),
        ),
        ("ConfigMap", "v1", "unhandled targetRef v1 / ConfigMap / web, last error "),
    ],
)
def test_what_cannot_be_read_is_told(
    store: Store, kind: str, api_version: str, problem: str
) -> None:
    with pytest.raises(TargetError) as refusal:
        Targets(store).selector(_pointing(kind, "web", api_version))
    assert str(refusal.value).startswith(problem)


def test_pods_of_nodes_and_of_nobody_have_no_parent(store: Store) -> None:
    bare: Json = {"metadata": {"name": "p"}}
    reference = {"apiVersion": "v1", "kind": "Node", "name": "n", "controller": True}
    of_node: Json = {"metadata": {"name": "p", "ownerReferences": [reference]}}
    targets = Targets(store)
    assert targets.parent(bare, "default") is None
    assert targets.parent(of_node, "default") is None


def _widgets(scope: str) -> Json:
    scale = {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    }
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"scale": scale},
        "schema": {"openAPIV3Schema": anything},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": scope,
            "names": {"plural": "widgets", "kind": "Widget", "singular": "widget"},
            "versions": [version],
        },
    }


def _widget(selector: object) -> Json:
    status = {"replicas": 1, "selector": selector}
    metadata = {"name": "w"}
    return {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": metadata,
        "status": status,
    }


def test_what_can_be_scaled_is_found_in_any_version(store: Store) -> None:
    store.create(_widgets("Namespaced"))
    store.create(_widget("app=web"))
    vpa = _pointing("Widget", "w", "example.com/v1beta1")
    assert str(Targets(store).selector(vpa)) == "app=web"
    assert not Targets(store).problem(vpa)


@pytest.mark.parametrize(
    ("scope", "said", "problem"),
    [
        (
            "Namespaced",
            "app in (",
            "unable to parse requirement: found '', expected: ',', ')' or identifier",
        ),
        ("Namespaced", 5, ".status.selector accessor error: 5 is no string"),
        ("Cluster", "app=web", "the server could not find the requested resource"),
    ],
)
def test_what_says_no_selector_that_can_be_read_is_told(
    store: Store, scope: str, said: object, problem: str
) -> None:
    definition = _widgets(scope)
    (version,) = definition["spec"]["versions"]
    bare = {name: part for name, part in version.items() if name != "subresources"}
    # What a scale could not tell is refused from the start, so the scale comes later.
    store.create({**definition, "spec": {**definition["spec"], "versions": [bare]}})
    store.create(_widget(said))
    made = store.get(("apiextensions.k8s.io/v1", "CustomResourceDefinition"), "widgets.example.com")
    store.update({**made, "spec": {**made["spec"], "versions": [version]}})
    with pytest.raises(TargetError) as refusal:
        Targets(store).selector(_pointing("Widget", "w", "example.com/v1"))
    where = "unhandled targetRef example.com/v1 / Widget / w, last error "
    assert str(refusal.value) == where + problem


def test_a_cron_job_without_labels_means_no_pods(store: Store) -> None:
    for name, labels in (("bare", {}), ("named", {"app": "web"})):
        container = {"name": "app", "image": "x"}
        pod = {"restartPolicy": "Never", "containers": [container]}
        template = {"metadata": {"labels": labels}, "spec": pod}
        store.create(
            {
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "metadata": {"name": name},
                "spec": {
                    "schedule": "* * * * *",
                    "jobTemplate": {"spec": {"template": template}},
                },
            }
        )
        selector = Targets(store).selector(_pointing("CronJob", name, "batch/v1"))
        assert selector.matches({"app": "web"}) == bool(labels)
        assert not selector.matches({})
