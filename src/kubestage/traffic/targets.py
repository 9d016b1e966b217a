"""The target of a stream of requests: which pods belong to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import labels

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.labels import Selector
    from kubestage.store.store import Store


KINDS: Final = {
    "Deployment": ("apps/v1", "Deployment"),
    "StatefulSet": ("apps/v1", "StatefulSet"),
    "ReplicaSet": ("apps/v1", "ReplicaSet"),
    "Service": ("v1", "Service"),
}
WATCHED: Final = frozenset(
    {("apps", "Deployment"), ("apps", "StatefulSet"), ("apps", "ReplicaSet"), ("", "Service")}
)
RESOURCES: Final = {
    "Deployment": "deployments.apps",
    "StatefulSet": "statefulsets.apps",
    "ReplicaSet": "replicasets.apps",
    "Service": "services",
}


def find(store: Store, namespace: str, target: Json) -> Json | None:
    """The object that a target names, if it is there."""
    return store.read(KINDS[target["kind"]]).get(f"{namespace}/{target['name']}")


def selector_of(target: Json | None) -> Selector:
    """Which pods an object stands for: none while it is not there, or selects nothing itself."""
    selector = None if target is None else target["spec"].get("selector")
    if not selector:
        return labels.NOTHING
    if target is not None and target["kind"] == "Service":
        return labels.selector_from_set(selector)
    return labels.from_label_selector(selector)


def desired_replicas(target: Json | None) -> int | None:
    """The desired replicas of an object; a Service has none."""
    if target is None or target["kind"] == "Service":
        return None
    found = target["spec"].get("replicas")
    return 1 if found is None else int(found)
