"""What the API does to a CSIStorageCapacity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import equality, quantity
from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, internal_json, label_selectors, metadata, names
from kubestage.objects.warnings import pods

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_TOPOLOGY: Final = "*meta/v1.LabelSelector"


def _validate(obj: Json, *, allow_invalid_values: bool = False) -> list[FieldError]:
    """How much room a driver has in some part of the cluster."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    errors += label_selectors.validate_label_selector(
        obj.get("nodeTopology"), "nodeTopology", allow_invalid_values=allow_invalid_values
    )
    name = obj.get("storageClassName") or ""
    errors += field.invalids("storageClassName", name, names.is_dns1123_subdomain(name))
    if obj.get("capacity") is not None:
        amount = quantity.of(obj["capacity"])
        if amount.value < 0:
            errors.append(field.invalid("capacity", str(amount), names.NOT_NEGATIVE))
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """What the room is for stays; how much there is of it changes."""
    topology = new.get("nodeTopology")
    broken = label_selectors.validate_label_selector(old.get("nodeTopology"), "")
    errors = _validate(new, allow_invalid_values=bool(broken))
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    if not equality.semantic_equal(_TOPOLOGY, topology, old.get("nodeTopology")):
        shown = internal_json.render(_TOPOLOGY, topology)
        errors.append(field.invalid("nodeTopology", shown, metadata.IMMUTABLE))
    name = new.get("storageClassName") or ""
    if name != (old.get("storageClassName") or ""):
        errors.append(field.invalid("storageClassName", name, metadata.IMMUTABLE))
    return errors


def _warn(obj: Json) -> list[str]:
    """Old node labels in the place that a capacity is about."""
    topology = obj.get("nodeTopology") or {}
    return pods.node_label_expressions(topology.get("matchExpressions"), "nodeTopology") + [
        f"nodeTopology.matchLabels.{label}: {pods.NODE_LABELS[label]}"
        for label in topology.get("matchLabels") or ()
        if label in pods.NODE_LABELS
    ]


def _cells(obj: Json, _now_ns: int) -> list[Cell]:
    capacity = obj.get("capacity")
    shown = cells.UNSET if capacity is None else cells.quantity_text(capacity)
    return [cells.name(obj), cells.text(obj, "storageClassName"), shown]


KIND: Final = Kind(
    group="storage.k8s.io",
    version="v1",
    kind="CSIStorageCapacity",
    plural="csistoragecapacities",
    old_versions=("storage.k8s.io/v1alpha1", "storage.k8s.io/v1beta1"),
    declared=Behavior(
        validate=_validate,
        validate_update={"": _validate_update},
        validates_metadata=(CREATE, ""),
        warn=_warn,
        cells=_cells,
        served_plain=True,
        unconditional_update=False,
    ),
)
