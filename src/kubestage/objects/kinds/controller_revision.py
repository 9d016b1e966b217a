"""What the API does to a ControllerRevision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, internal_json, metadata, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_REVISION: Final = "apps/v1.ControllerRevision"


def _validate(obj: Json) -> list[FieldError]:
    """A revision holds an object."""
    errors = markers.check(_REVISION, obj, "")
    data = obj.get("data")
    if data is None:
        errors.append(field.required("data", "data is mandatory"))
    elif not isinstance(data, dict):
        errors.append(field.required("data", "data must be a valid JSON object"))
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """The object that a revision holds stays."""
    meta, data = new["metadata"], new.get("data")
    errors = metadata.validate_object_meta(meta, True, names.name_is_dns_subdomain)
    errors += markers.check(_REVISION, new, "")
    if data != old.get("data"):
        errors.append(field.invalid("data", internal_json.text(data), metadata.IMMUTABLE))
    return errors


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    return [
        cells.name(obj),
        _controller(obj),
        cells.number(obj, "revision"),
        cells.age(obj, now_ns),
    ]


def _controller(obj: Json) -> str:
    for owner in cells.items(obj, "metadata", "ownerReferences"):
        if owner.get("controller"):
            group = cells.text(owner, "apiVersion").rpartition("/")[0]
            kind = cells.text(owner, "kind").lower()
            kind = f"{kind}.{group.lower()}" if group else kind
            return f"{kind}/{cells.text(owner, 'name')}" if kind else cells.text(owner, "name")
    return cells.NONE


KIND: Final = Kind(
    group="apps",
    version="v1",
    kind="ControllerRevision",
    plural="controllerrevisions",
    old_versions=("apps/v1beta1", "apps/v1beta2"),
    declared=Behavior(
        validate=_validate,
        validate_update={"": _validate_update},
        cells=_cells,
    ),
)
