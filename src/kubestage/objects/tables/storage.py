"""Volumes, claims, classes and drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.tables import cells

if TYPE_CHECKING:
    from kubestage.objects.tables.cells import Object

_ACCESS_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_BETA_CLASS: Final = "volume.beta.kubernetes.io/storage-class"


def storage(holder: Object, field: str) -> str:
    """The storage in a map of resources."""
    return cells.quantity_text(cells.part(holder, field).get("storage", "0"))


def access_modes(holder: Object) -> str:
    """Access modes, abbreviated."""
    held = cells.items(holder, "accessModes")
    return ",".join(short for mode, short in _ACCESS_MODES.items() if mode in held)


def phase(obj: Object) -> str:
    """The phase, unless the object is being deleted."""
    return "Terminating" if cells.is_deleted(obj) else cells.text(obj, "status", "phase")


def class_name(obj: Object) -> str:
    """The storage class, by annotation or field."""
    annotations = cells.part(obj, "metadata", "annotations")
    if _BETA_CLASS in annotations:
        return cells.text(annotations, _BETA_CLASS)
    return cells.text(obj, "spec", "storageClassName")


def or_unset(value: Any) -> str:
    """A value, or the word for none."""
    return cells.UNSET if value is None else str(value)
