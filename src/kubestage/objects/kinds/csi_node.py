"""What the API does to a CSINode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import equality, markers
from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    volume_sources,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_NODE_ID_LIMIT: Final = 256
_DRIVER: Final = "*storage/v1.CSINodeDriver"


def _validate(obj: Json) -> list[FieldError]:
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    seen: set[str] = set()
    for index, driver in enumerate(_drivers(obj)):
        errors += _validate_node_driver(driver, seen, f"spec.drivers[{index}]")
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """Drivers can be added and removed; only the number of volumes of one can change."""
    errors = _validate(new)
    for before in _drivers(old):
        for now in _drivers(new):
            if (before.get("name") or "") != (now.get("name") or ""):
                continue
            now_fixed, fixed = ({**each, "allocatable": None} for each in (now, before))
            if not equality.semantic_equal(_DRIVER, now_fixed, fixed):
                shown = internal_json.render(_DRIVER, now_fixed)
                errors.append(field.invalid("spec.drivers", shown, metadata.IMMUTABLE))
    return errors


def _drivers(obj: Json) -> list[Json]:
    return (obj.get("spec") or {}).get("drivers") or []


def _validate_node_driver(driver: Json, seen: set[str], path: str) -> list[FieldError]:
    name, node_id = driver.get("name") or "", driver.get("nodeID") or ""
    errors = volume_sources.validate_csi_driver_name(name, f"{path}.name")
    if not node_id:
        errors.append(field.required(f"{path}.nodeID"))
    if names.size(node_id) > _NODE_ID_LIMIT:
        detail = f"must be {_NODE_ID_LIMIT} characters or less"
        errors.append(field.invalid(f"{path}.nodeID", node_id, detail))
    errors += markers.check("storage/v1.CSINodeDriver", driver, path, "allocatable")
    if name in seen:
        errors.append(field.duplicate(f"{path}.name", name))
    seen.add(name)
    keys: set[str] = set()
    for key in driver.get("topologyKeys") or ():
        if not key:
            errors.append(field.required(path))
        if key in keys:
            errors.append(field.duplicate(path, key))
        keys.add(key)
        errors += label_selectors.validate_label_name(key, path)
    return errors


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    return [cells.name(obj), len(cells.items(obj, "spec", "drivers")), cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="storage.k8s.io",
    version="v1",
    kind="CSINode",
    plural="csinodes",
    namespaced=False,
    old_versions=("storage.k8s.io/v1beta1",),
    declared=Behavior(
        empty_lists=(("spec", "drivers"), ("spec", "drivers", "*", "topologyKeys")),
        validate=_validate,
        validate_update={"": _validate_update},
        validates_metadata=(CREATE, ""),
        cells=_cells,
        unconditional_update=False,
    ),
)
