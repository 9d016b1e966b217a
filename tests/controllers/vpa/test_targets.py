"""What an autoscaler may point at."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers.vpa.targets import Target, TargetError, Targets
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from tests.controllers.vpa import worlds

Json = dict[str, Any]


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
