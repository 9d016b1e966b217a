"""On which nodes a volume can be made for a claim: where its class allows, where there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.aliases import Json
from kubestage.objects import label_requirement, labels, quantity
from kubestage.scheduler import node_matching
from kubestage.scheduler.plugins import storage_objects, volume_matching

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.views.storage import ClaimView, ClassView
    from kubestage.scheduler.arrays import Ints, Mask
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.plugins.storage_objects import StorageObjects


Pools = dict[str, list[tuple[int, Json]]]
Topologies = tuple[tuple[tuple[str, frozenset[str]], ...], ...]

_NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"
_ALLOWED: Final = "VolumeBinding/allowed"
_ROOM: Final = "VolumeBinding/room"
_NO_ROOM: Final = np.iinfo(np.int64).min


def can_provision(storage_class: ClassView) -> bool:
    """Whether volumes of the class are made on demand at all."""
    return storage_class.provisioner not in ("", _NO_PROVISIONER)


def allowed(columns: Columns, storage_class: ClassView) -> Mask:
    """The nodes that the class's topologies allow; not to be written to."""
    topologies = storage_class.topologies
    return columns.derived((_ALLOWED, topologies), lambda whole: _allowed(whole, topologies))


def _allowed(columns: Columns, topologies: Topologies) -> Mask:
    mask: Mask = np.full(len(columns), not topologies)
    for terms in topologies:
        if not terms:
            continue
        matching: Mask = np.ones(len(columns), np.bool_)
        for key, values in terms:
            matching &= volume_matching.labelled(columns, key, values)
        mask |= matching
    return mask


def has_room(
    columns: Columns, objects: StorageObjects, storage_class: ClassView, claim: ClaimView
) -> Mask | None:
    """The nodes on which the driver has room for the claim; None if it does not report that."""
    requests = (claim.raw["spec"].get("resources") or {}).get("requests") or {}
    if "storage" not in requests:
        return None
    driver = objects.lister.get(storage_objects.STORAGE, "CSIDriver", storage_class.provisioner)
    if driver is None or not (driver.get("spec") or {}).get("storageCapacity"):
        return None
    pools = objects.following("CSIStorageCapacity", _by_class)
    room: list[tuple[Pools, dict[str, Ints]]] = columns.memo.get(_ROOM, list)
    if not room or room[0][0] is not pools:
        room[:] = [(pools, {})]
    name, by_class = storage_class.name, room[0][1]
    if name not in by_class:
        by_class[name] = _largest(columns, pools.get(name, ()))
    found: Mask = by_class[name] >= claim.requested
    return found


def _by_class(listed: Iterable[Json]) -> Pools:
    """The pools of storage that report their capacity, by class."""
    pools: Pools = {}
    for capacity in listed:
        limit = volume_limit(capacity)
        if limit is not None:
            pools.setdefault(capacity.get("storageClassName") or "", []).append((limit, capacity))
    return pools


def _largest(columns: Columns, pools: Iterable[tuple[int, Json]]) -> Ints:
    """The largest volume that any pool can make for each node; NO_ROOM where there is none."""
    largest: Ints = np.full(len(columns), _NO_ROOM, np.int64)
    for limit, capacity in pools:
        reached = _with_access(columns, capacity)
        largest[reached] = np.maximum(largest[reached], limit)
    return largest


def volume_limit(capacity: Json) -> int | None:
    """The greatest volume that a pool of storage has room for; None if it does not report that."""
    limit = capacity.get("maximumVolumeSize")
    if limit is None:
        limit = capacity.get("capacity")
    return None if limit is None else quantity.value_of(limit)


def _with_access(columns: Columns, capacity: Json) -> Mask:
    try:
        selector = labels.from_label_selector(capacity.get("nodeTopology"))
    except label_requirement.SelectorError:
        selector = labels.NOTHING
    return node_matching.matches_labels(columns, selector)
