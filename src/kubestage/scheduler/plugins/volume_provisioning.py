"""On which nodes a volume can be made for a claim: where its class allows, where there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.objects import label_requirement, labels, quantity
from kubestage.scheduler import node_matching
from kubestage.scheduler.plugins import storage_objects, volume_matching

if TYPE_CHECKING:
    from kubestage.objects.views.storage import ClaimView, ClassView
    from kubestage.scheduler.columns import Columns, Mask
    from kubestage.scheduler.handle import Lister

Json = dict[str, Any]

_NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"


def can_provision(storage_class: ClassView) -> bool:
    """Whether volumes of the class are made on demand at all."""
    return storage_class.provisioner not in ("", _NO_PROVISIONER)


def allowed(columns: Columns, storage_class: ClassView) -> Mask:
    """The nodes that the class's topologies allow."""
    mask: Mask = np.full(len(columns), not storage_class.topologies)
    for terms in storage_class.topologies:
        if not terms:
            continue
        matching: Mask = np.ones(len(columns), np.bool_)
        for key, values in terms:
            matching &= volume_matching.labelled(columns, key, values)
        mask |= matching
    return mask


def has_room(
    columns: Columns, lister: Lister, storage_class: ClassView, claim: ClaimView
) -> Mask | None:
    """The nodes on which the driver has room for the claim; None if it does not tell."""
    requests = (claim.raw["spec"].get("resources") or {}).get("requests") or {}
    if "storage" not in requests:
        return None
    driver = lister.get(storage_objects.STORAGE, "CSIDriver", storage_class.provisioner)
    if driver is None or not (driver.get("spec") or {}).get("storageCapacity"):
        return None
    mask: Mask = np.zeros(len(columns), np.bool_)
    for capacity in lister.list(storage_objects.STORAGE, "CSIStorageCapacity"):
        if capacity.get("storageClassName") == storage_class.name:
            limit = volume_limit(capacity)
            if limit is not None and limit >= claim.requested:
                mask |= _with_access(columns, capacity)
    return mask


def volume_limit(capacity: Json) -> int | None:
    """The greatest volume that a pool of storage has room for; None if it does not tell."""
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
