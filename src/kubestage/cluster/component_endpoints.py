"""Which call of a component a change of the store stands for, and at which priority level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.priority_levels import NODE_HIGH, SYSTEM, WORKLOAD_HIGH
from kubestage.store import garbage
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.cluster.endpoints import Endpoint, Endpoints
    from kubestage.objects.kinds import Kind
    from kubestage.store.log import Change
    from kubestage.store.store import Store

# Kinds of which controllers, the scheduler and kubelets send patches; they replace others.
_PATCHED: Final = frozenset({"Pod", "Node", "Event"})
# What kubelets write about their nodes.
_OF_NODES: Final = frozenset({"Node", "Lease"})
_GRACE: Final = "deletionGracePeriodSeconds"
_ENDING: Final = "deletionTimestamp"


class KindEndpoints:
    """The endpoints of one kind, cached."""

    __slots__ = ("binding", "create", "delete", "finalize", "read", "status", "update")

    def __init__(self, endpoints: Endpoints, row: Kind) -> None:
        find = endpoints.find
        changing = "PATCH" if row.kind in _PATCHED else "PUT"
        self.create = find("POST", row)
        self.update = find(changing, row)
        self.delete = find("DELETE", row)
        self.read = find("GET", row)
        self.status = find(changing, row, "status")
        self.binding = find("POST", row, "binding") if row.kind == "Pod" else self.update
        self.finalize = find("PUT", row, "finalize") if row.kind == "Namespace" else self.update


def of_change(known: KindEndpoints, change: Change) -> Endpoint | None:
    """The endpoint of a change's call; None if the change is only a part of one, or takes none."""
    if change.type == ADDED:
        return known.create
    if change.is_binding:
        return known.binding
    old, new = change.old, change.new
    assert old is not None, "what is modified was there"
    before, metadata = old["metadata"], new["metadata"]
    if change.type == DELETED:
        if change.kind.kind == "Event":
            # It has expired in etcd, which no call is made for.
            return None
        return known.finalize if _is_finalized(change.kind, old) else known.delete
    if old.get("status") is not new.get("status") and old.get("spec") is new.get("spec"):
        if change.kind.kind == "Pod" and _is_bound(new):
            # A kubelet reads a pod before it writes its status.
            known.read.owed += 1
        return known.status
    if _ENDING not in metadata:
        return known.update
    if _ENDING in before and before.get(_GRACE) == metadata.get(_GRACE):
        return known.update
    # The call that leaves a pod no time deletes it as well, unless that has finalizers.
    is_gone = metadata.get(_GRACE) == 0 and not metadata.get("finalizers")
    return None if is_gone and change.kind.kind == "Pod" else known.delete


def level(endpoint: Endpoint, change: Change) -> str:
    """The priority level of a component's call."""
    if _is_kubelets(endpoint, change):
        return SYSTEM
    kind = change.kind.kind
    if kind == "Event":
        return SYSTEM if change.new.get("reportingComponent") == "kubelet" else WORKLOAD_HIGH
    return NODE_HIGH if kind in _OF_NODES else WORKLOAD_HIGH


def is_collected(store: Store, endpoint: Endpoint, change: Change) -> bool:
    """Whether the garbage collector deletes an object: it had owners, and all of them are gone."""
    metadata = change.new["metadata"]
    references, namespace = metadata.get("ownerReferences"), metadata.get("namespace")
    if not references or endpoint.name.verb != "DELETE" or _is_kubelets(endpoint, change):
        return False
    found = (garbage.resolve(store, each, namespace) for each in references)
    return all(each == garbage.DANGLING for each in found)


def _is_kubelets(endpoint: Endpoint, change: Change) -> bool:
    """Whether it is the kubelet that writes a pod: its status, or that it has ended."""
    old = change.old
    if change.kind.kind != "Pod" or old is None or not _is_bound(old):
        return False
    name = endpoint.name
    return name.subresource == "status" or (name.verb == "DELETE" and _ENDING in old["metadata"])


def _is_finalized(kind: Kind, last: Json) -> bool:
    """Whether an object went by an update that took its last finalizer away."""
    return _ENDING in last["metadata"] and _is_held(kind, last)


def _is_held(kind: Kind, obj: Json) -> bool:
    """Whether an object has finalizers; those of a namespace are in its spec."""
    place = obj.get("spec") if kind.kind == "Namespace" else obj["metadata"]
    return bool(place and place.get("finalizers"))


def _is_bound(pod: Json) -> bool:
    """Whether a pod has a node, whose kubelet reports it."""
    return bool(pod["spec"].get("nodeName"))
