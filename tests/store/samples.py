"""Small objects and stores for the tests of this room."""

from __future__ import annotations

from typing import Any

from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store

POD = ("v1", "Pod")
NODE = ("v1", "Node")
CONFIG_MAP = ("v1", "ConfigMap")
NAMESPACE = ("v1", "Namespace")
REPLICA_SET = ("apps/v1", "ReplicaSet")
LEASE = ("coordination.k8s.io/v1", "Lease")
DEFINITION = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
WIDGET = ("example.com/v1", "Widget")
FREE = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def make_store(seed: int = 1, **settings: Any) -> Store:
    return Store(Clock(), Streams(seed), **settings)


def config_map(name: str, namespace: str = "default", **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "data": {"a": "1"},
    }


def pod(name: str = "", namespace: str = "default", **metadata: Any) -> dict[str, Any]:
    identity = {"name": name} if name else {"generateName": "web-"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**identity, "namespace": namespace, **metadata},
        "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}]},
    }


def pod_with(name: str, **spec: Any) -> dict[str, Any]:
    made = pod(name)
    made["spec"].update(spec)
    return made


def replica_set(name: str, **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name, "namespace": "default", **metadata},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}]},
            },
        },
    }


def owned_by(*owners: dict[str, Any], block: bool = True) -> list[dict[str, Any]]:
    return [
        {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
            "blockOwnerDeletion": block,
        }
        for owner in owners
    ]


def widgets_definition(**version: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": FREE},
                    **version,
                }
            ],
        },
    }


def widget(name: str, **parts: Any) -> dict[str, Any]:
    return {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": name, "namespace": "default"},
        **parts,
    }


def names(objects: list[dict[str, Any]]) -> list[str]:
    return [obj["metadata"]["name"] for obj in objects]
