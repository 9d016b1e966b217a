"""Which rules judge which kind of storage: the rows of ``rules`` that few clusters' objects need.

Capacities and attribute classes, whose rules are short, are judged here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality, quantity
from kubestage.objects.validation import (
    csi_drivers,
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    storage_classes,
    volume_attachments,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.validation.field import FieldError

    Rule = Callable[[dict[str, Any]], list[FieldError]]
    UpdateRule = Callable[[dict[str, Any], dict[str, Any]], list[FieldError]]

_STORAGE: Final = "storage.k8s.io/v1"
_TOPOLOGY: Final = "*meta/v1.LabelSelector"


def validate_capacity(
    obj: dict[str, Any], *, allow_invalid_values: bool = False
) -> list[FieldError]:
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


def validate_capacity_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """What the room is for stays; how much there is of it changes."""
    topology = new.get("nodeTopology")
    broken = label_selectors.validate_label_selector(old.get("nodeTopology"), "")
    errors = validate_capacity(new, allow_invalid_values=bool(broken))
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    if not equality.semantic_equal(_TOPOLOGY, topology, old.get("nodeTopology")):
        shown = internal_json.render(_TOPOLOGY, topology)
        errors.append(field.invalid("nodeTopology", shown, metadata.IMMUTABLE))
    name = new.get("storageClassName") or ""
    if name != (old.get("storageClassName") or ""):
        errors.append(field.invalid("storageClassName", name, metadata.IMMUTABLE))
    return errors


def validate_attributes_class(obj: dict[str, Any]) -> list[FieldError]:
    """A class of attributes that volumes can be given."""
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    errors += storage_classes.validate_provisioner(obj.get("driverName") or "", "driverName")
    parameters = obj.get("parameters") or {}
    errors += storage_classes.validate_parameters(parameters)
    if not parameters:
        detail = "must contain at least one key/value pair"
        errors.append(field.required("parameters", detail))
    return errors


def validate_attributes_class_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed class: only its metadata can change."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    for key, empty in (("driverName", ""), ("parameters", {})):
        if (new.get(key) or empty) != (old.get(key) or empty):
            errors.append(field.forbidden(key, f"updates to {key} are forbidden."))
    return errors + validate_attributes_class(new)


CREATE: Final[dict[tuple[str, str], Rule]] = {
    (_STORAGE, "CSIDriver"): csi_drivers.validate_csi_driver,
    (_STORAGE, "CSINode"): csi_drivers.validate_csi_node,
    (_STORAGE, "CSIStorageCapacity"): validate_capacity,
    (_STORAGE, "VolumeAttachment"): volume_attachments.validate_attachment,
    (_STORAGE, "VolumeAttributesClass"): validate_attributes_class,
}

UPDATE: Final[dict[tuple[str, str, str], UpdateRule]] = {
    (_STORAGE, "CSIDriver", ""): csi_drivers.validate_csi_driver_update,
    (_STORAGE, "CSINode", ""): csi_drivers.validate_csi_node_update,
    (_STORAGE, "CSIStorageCapacity", ""): validate_capacity_update,
    (_STORAGE, "VolumeAttachment", ""): volume_attachments.validate_attachment_update,
    (_STORAGE, "VolumeAttachment", "status"): volume_attachments.validate_attachment_update,
    (_STORAGE, "VolumeAttributesClass", ""): validate_attributes_class_update,
}
