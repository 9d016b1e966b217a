"""What the API does to a VolumeAttributesClass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, metadata, names, storage_classes

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError


def _validate(obj: Json) -> list[FieldError]:
    """A class of volume attributes."""
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    errors += storage_classes.validate_provisioner(obj.get("driverName") or "", "driverName")
    parameters = obj.get("parameters") or {}
    errors += storage_classes.validate_parameters(parameters)
    if not parameters:
        detail = "must contain at least one key/value pair"
        errors.append(field.required("parameters", detail))
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """A changed class: only its metadata can change."""
    errors: list[FieldError] = []
    for key, empty in (("driverName", ""), ("parameters", {})):
        if (new.get(key) or empty) != (old.get(key) or empty):
            errors.append(field.forbidden(key, f"updates to {key} are forbidden."))
    return errors + _validate(new)


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    return [cells.name(obj), cells.text(obj, "driverName"), cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="storage.k8s.io",
    version="v1",
    kind="VolumeAttributesClass",
    plural="volumeattributesclasses",
    namespaced=False,
    short_names=("vac",),
    old_versions=("storage.k8s.io/v1alpha1", "storage.k8s.io/v1beta1"),
    declared=Behavior(
        validate=_validate,
        validate_update={"": _validate_update},
        validates_metadata=(CREATE,),
        cells=_cells,
    ),
)
