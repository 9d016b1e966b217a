"""The objects of a cluster, to be taken elsewhere.

A snapshot is a List of all objects that matter: with uid, status and times, so that a cluster that
gets them goes on where this one was. What only reports the past (Events, Leases), Scenarios,
which begin by emptying a cluster, and what every served cluster makes for itself are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import stage as stages
from kubestage.scenario.resource import SCENARIO
from kubestage.server.bootstrap.membership import is_own

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.store.store import Store


LISTS: Final = {
    "namespaces": ("v1", "Namespace"),
    "priorityClasses": ("scheduling.k8s.io/v1", "PriorityClass"),
    "storageClasses": ("storage.k8s.io/v1", "StorageClass"),
    "pvcs": ("v1", "PersistentVolumeClaim"),
    "nodes": ("v1", "Node"),
    "pods": ("v1", "Pod"),
    "pvs": ("v1", "PersistentVolume"),
}
"""The lists of an export of kube-scheduler-simulator, and what is in them."""

# kube-scheduler-simulator has these of its own, and leaves them out likewise.
_SYSTEM: Final = {"namespaces": ("kube-", "default"), "priorityClasses": ("system-",)}
_LEFT_OUT: Final = (("v1", "Event"), ("coordination.k8s.io/v1", "Lease"), SCENARIO)
_DEEPEST: Final = 10
_NOT_OURS: Final = ("resourceVersion", "selfLink")


def objects(store: Store) -> list[Json]:
    """All objects that matter, as they are stored."""
    found = [
        collection.objects[key]
        for collection in store.collections()
        if (collection.kind.api_version, collection.kind.kind) not in _LEFT_OUT
        for key in collection.keys(None)
    ]
    return found if store.bootstrap is None else [each for each in found if not is_own(each)]


def ordered(found: Iterable[Json]) -> list[Json]:
    """Objects in an order in which nothing comes before what it needs, or is owned by."""
    objects_found = list(found)
    by_uid = {
        each["metadata"]["uid"]: each for each in objects_found if each["metadata"].get("uid")
    }
    return sorted(objects_found, key=lambda obj: (stages.rank(obj), _depth(obj, by_uid)))


def _depth(obj: Json, by_uid: Mapping[str, Json]) -> int:
    """How many owners stand above an object, one above the other."""
    depth, seen = 0, set[int]()
    level = [obj]
    while level and depth < _DEEPEST:
        owners = [ref for each in level for ref in each["metadata"].get("ownerReferences") or ()]
        level = [by_uid[ref["uid"]] for ref in owners if ref.get("uid") in by_uid]
        level = [each for each in level if id(each) not in seen]
        seen.update(map(id, level))
        depth += bool(level)
    return depth


def without_version(obj: Json) -> Json:
    """An object that may be put elsewhere: versions are those of one store."""
    metadata = {key: value for key, value in obj["metadata"].items() if key not in _NOT_OURS}
    return {**obj, "metadata": metadata}


def as_list(found: Iterable[Json], version: str) -> Json:
    """Objects as a List, in an order in which they can be put elsewhere."""
    items = [without_version(obj) for obj in ordered(found)]
    metadata = {"resourceVersion": version}
    return {"apiVersion": "v1", "kind": "List", "metadata": metadata, "items": items}


def as_kss_export(found: Iterable[Json], configuration: Json | None) -> Json:
    """The same as kube-scheduler-simulator exports it: the seven kinds that it knows."""
    described: Json = {name: [] for name in LISTS}
    lists = {kind: name for name, kind in LISTS.items()}
    for obj in found:
        name = lists.get((obj["apiVersion"], obj["kind"]))
        if name is not None and not obj["metadata"]["name"].startswith(_SYSTEM.get(name, ())):
            described[name].append(without_version(obj))
    return {**described, "schedulerConfig": configuration}
