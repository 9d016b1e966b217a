"""Volumes, claims, classes and drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.tables import cells

if TYPE_CHECKING:
    from kubestage.objects.tables.cells import Cell, Object

_ACCESS_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_BETA_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_DEFAULT_CLASS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def persistent_volume(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a PersistentVolume."""
    spec = cells.part(obj, "spec")
    return [
        cells.name(obj),
        _storage(spec, "capacity"),
        _access_modes(spec),
        cells.text(spec, "persistentVolumeReclaimPolicy"),
        _phase(obj),
        _claim(spec.get("claimRef")),
        _class_name(obj),
        _or_unset(spec.get("volumeAttributesClassName")),
        cells.text(obj, "status", "reason"),
        cells.age(obj, now_ns),
        _or_unset(spec.get("volumeMode")),
    ]


def persistent_volume_claim(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a PersistentVolumeClaim, which has a size once it has a volume."""
    spec, status = cells.part(obj, "spec"), cells.part(obj, "status")
    volume = cells.text(spec, "volumeName")
    return [
        cells.name(obj),
        _phase(obj),
        volume,
        _storage(status, "capacity") if volume else "",
        _access_modes(status) if volume else "",
        _class_name(obj),
        _or_unset(spec.get("volumeAttributesClassName")),
        cells.age(obj, now_ns),
        _or_unset(spec.get("volumeMode")),
    ]


def _storage(holder: Object, field: str) -> str:
    return cells.quantity_text(cells.part(holder, field).get("storage", "0"))


def _access_modes(holder: Object) -> str:
    held = cells.items(holder, "accessModes")
    return ",".join(short for mode, short in _ACCESS_MODES.items() if mode in held)


def _phase(obj: Object) -> str:
    return "Terminating" if cells.is_deleted(obj) else cells.text(obj, "status", "phase")


def _claim(reference: Object | None) -> str:
    if reference is None:
        return ""
    return f"{cells.text(reference, 'namespace')}/{cells.text(reference, 'name')}"


def _class_name(obj: Object) -> str:
    annotations = cells.part(obj, "metadata", "annotations")
    if _BETA_CLASS in annotations:
        return cells.text(annotations, _BETA_CLASS)
    return cells.text(obj, "spec", "storageClassName")


def _or_unset(value: Any) -> str:
    return cells.UNSET if value is None else str(value)


def storage_class(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a StorageClass."""
    annotations = cells.part(obj, "metadata", "annotations")
    is_default = any(annotations.get(mark) == "true" for mark in _DEFAULT_CLASS)
    return [
        cells.name(obj) + (" (default)" if is_default else ""),
        cells.text(obj, "provisioner"),
        obj.get("reclaimPolicy") or "Delete",
        obj.get("volumeBindingMode") or "Immediate",
        bool(obj.get("allowVolumeExpansion")),
        cells.age(obj, now_ns),
    ]


def volume_attributes_class(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a VolumeAttributesClass."""
    return [cells.name(obj), cells.text(obj, "driverName"), cells.age(obj, now_ns)]


def csi_node(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a CSINode."""
    return [cells.name(obj), len(cells.items(obj, "spec", "drivers")), cells.age(obj, now_ns)]


def csi_driver(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a CSIDriver."""
    spec = cells.part(obj, "spec")
    requests = spec.get("tokenRequests")
    attach = spec.get("attachRequired")
    audiences = [cells.text(request, "audience") for request in requests or []]
    return [
        cells.name(obj),
        True if attach is None else bool(attach),
        bool(spec.get("podInfoOnMount")),
        bool(spec.get("storageCapacity")),
        cells.UNSET if requests is None else ",".join(audiences),
        bool(spec.get("requiresRepublish")),
        ",".join(cells.items(spec, "volumeLifecycleModes")) or cells.NONE,
        cells.age(obj, now_ns),
    ]


def csi_storage_capacity(obj: Object, _now_ns: int) -> list[Cell]:
    """The cells of a CSIStorageCapacity."""
    capacity = obj.get("capacity")
    shown = cells.UNSET if capacity is None else cells.quantity_text(capacity)
    return [cells.name(obj), cells.text(obj, "storageClassName"), shown]


def volume_attachment(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a VolumeAttachment."""
    spec = cells.part(obj, "spec")
    return [
        cells.name(obj),
        cells.text(spec, "attacher"),
        cells.text(spec, "source", "persistentVolumeName"),
        cells.text(spec, "nodeName"),
        bool(cells.part(obj, "status").get("attached")),
        cells.age(obj, now_ns),
    ]
