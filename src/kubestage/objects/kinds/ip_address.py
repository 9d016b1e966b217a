"""What the API does to an IPAddress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    addresses,
    field,
    internal_json,
    metadata,
    names,
    references,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_PARENT: Final = "spec.parentRef"


def _check_name(name: str, _: bool) -> names.Problems:
    return addresses.is_valid_ip(name)


def _validate(obj: Json) -> list[FieldError]:
    """The name of the object is the address, its parent the object that uses it."""
    parent = (obj.get("spec") or {}).get("parentRef")
    if parent is None:
        return [field.required(_PARENT)]
    errors = markers.check("networking/v1.ParentReference", parent, _PARENT, "group")
    for key in ("resource", "name"):
        errors += references.validate_segment(parent.get(key) or "", f"{_PARENT}.{key}")
    return errors + markers.check("networking/v1.ParentReference", parent, _PARENT, "namespace")


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """The object that uses the address does not change."""
    errors: list[FieldError] = []
    parent = (new.get("spec") or {}).get("parentRef")
    if parent != (old.get("spec") or {}).get("parentRef"):
        shown = internal_json.render("*networking/v1.ParentReference", parent)
        errors.append(field.invalid(_PARENT, shown, metadata.IMMUTABLE))
    return errors


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    """The cells of an IPAddress; its age has no column of its own."""
    parent = cells.part(obj, "spec", "parentRef")
    group, namespace = cells.text(parent, "group"), cells.text(parent, "namespace")
    kind = cells.text(parent, "resource") + (f".{group}" if group else "")
    words = [kind.lower(), *([namespace] if namespace else []), cells.text(parent, "name")]
    return [cells.name(obj), "/".join(words) if parent else cells.NONE, cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="networking.k8s.io",
    version="v1",
    kind="IPAddress",
    plural="ipaddresses",
    namespaced=False,
    short_names=("ip",),
    old_versions=("networking.k8s.io/v1beta1",),
    declared=Behavior(
        name_rule=_check_name,
        validate=_validate,
        validate_update={"": _validate_update},
        cells=_cells,
    ),
)
