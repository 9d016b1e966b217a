"""The verbs of the store: create, watch, patch, a conflict, and two kinds of deletion."""

from __future__ import annotations

from typing import Any

from kubestage.errors import Conflict
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.deletion import DeleteOptions
from kubestage.store.store import Store

POD, CONFIG_MAP, REPLICA_SET = ("v1", "Pod"), ("v1", "ConfigMap"), ("apps/v1", "ReplicaSet")
SECOND_NS = 1_000_000_000


def replica_set(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": name}},
            "template": pod_template(name),
        },
    }


def pod_template(app: str) -> dict[str, Any]:
    return {
        "metadata": {"labels": {"app": app}},
        "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}]},
    }


def pod_of(owner: dict[str, Any]) -> dict[str, Any]:
    """What a ReplicaSet controller would create."""
    template, metadata = owner["spec"]["template"], owner["metadata"]
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": f"{metadata['name']}-",
            "labels": template["metadata"]["labels"],
            "ownerReferences": [reference],
        },
        "spec": template["spec"],
    }


def create_pods(store: Store) -> list[str]:
    print("== Create: names, uids and times come from the seed and the virtual clock")
    owner = store.create(replica_set("web"))
    for _ in range(2):
        metadata = store.create(pod_of(owner))["metadata"]
        print(metadata["name"], metadata["uid"], metadata["creationTimestamp"])
    return [pod["metadata"]["name"] for pod in store.list(POD, label_selector="app=web").items]


def watch_a_node(store: Store, names: list[str]) -> None:
    print("== Watch: the pods of one node")
    watch = store.watch(POD, field_selector="spec.nodeName=node-1")
    store.clock.now_ns += 5 * SECOND_NS
    for number, name in enumerate(names, 1):
        store.bind(name, "default", f"node-{number}")
        store.patch(POD, name, {"status": {"phase": "Running"}}, subresource="status")
    for event in watch.poll():
        print(event.type, event.object["metadata"]["name"], event.object["status"]["phase"])


def write_twice(store: Store) -> None:
    print("== Conflict: two writers, one version")
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}
    red = store.create({**manifest, "data": {"colour": "red"}})
    blue = store.update({**red, "data": {"colour": "blue"}})
    versions = [each["metadata"]["resourceVersion"] for each in (red, blue)]
    print("first writer: version", " -> ".join(versions))
    try:
        store.update({**red, "data": {"colour": "green"}})
    except Conflict as conflict:
        print("second writer:", conflict.code, conflict.message)
    same = store.patch(CONFIG_MAP, "settings", {"data": {"colour": "blue"}})
    print("a patch without a change keeps version", same["metadata"]["resourceVersion"])


def delete_with_finalizer(store: Store) -> None:
    print("== Delete: a finalizer keeps the object until it is removed")
    store.patch(CONFIG_MAP, "settings", {"metadata": {"finalizers": ["example.com/backup"]}})
    held = store.delete(CONFIG_MAP, "settings")
    print("removed:", held.removed, "requested at", held.object["metadata"]["deletionTimestamp"])
    store.patch(CONFIG_MAP, "settings", {"metadata": {"finalizers": None}})
    print("still exists:", "default/settings" in store.read(CONFIG_MAP))


def delete_owner(store: Store, names: list[str]) -> None:
    print("== Delete: in the foreground, an owner waits for its dependents")
    store.subscribe(lambda change: print(" ", change.revision, change.type, change.kind.kind))
    store.delete(REPLICA_SET, "web", options=DeleteOptions(propagation_policy="Foreground"))
    for name in names:
        print(name, "ends by", store.get(POD, name)["metadata"]["deletionTimestamp"])
    for name in names:
        print("the kubelet has stopped", name)
        store.delete(POD, name, options=DeleteOptions(grace_period_seconds=0))
    print("owners left:", len(store.read(REPLICA_SET)), "pods left:", len(store.read(POD)))


def main() -> None:
    store = Store(Clock(), Streams(seed=7))
    names = create_pods(store)
    watch_a_node(store, names)
    write_twice(store)
    delete_with_finalizer(store)
    delete_owner(store, names)


if __name__ == "__main__":
    main()
