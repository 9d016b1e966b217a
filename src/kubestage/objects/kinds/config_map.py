"""What the API does to a ConfigMap."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, metadata, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError


_SIZE_LIMIT: Final = 1024 * 1024
_IMMUTABLE: Final = "field is immutable when `immutable` is set"


def _validate(obj: Json) -> list[FieldError]:
    """Keys are file names; all values together fit into a mebibyte."""
    errors: list[FieldError] = []
    data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
    total = 0
    for key, value in data.items():
        errors += field.invalids(f"data[{key}]", key, names.is_config_map_key(key))
        if key in binary:
            detail = "duplicate of key present in binaryData"
            errors.append(field.invalid(f"data[{key}]", key, detail))
        total += names.size(value)
    for key, value in binary.items():
        errors += field.invalids(f"binaryData[{key}]", key, names.is_config_map_key(key))
        total += len(base64.b64decode(value or ""))
    if total > _SIZE_LIMIT:
        errors.append(field.too_long("[]", _SIZE_LIMIT))
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    if old.get("immutable"):
        if not new.get("immutable"):
            errors.append(field.forbidden("immutable", _IMMUTABLE))
        errors += [
            field.forbidden(key, _IMMUTABLE)
            for key in ("data", "binaryData")
            if new.get(key) != old.get(key)
        ]
    errors += metadata.validate_object_meta(new["metadata"], True, names.name_is_dns_subdomain)
    return errors + _validate(new)


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    count = len(cells.part(obj, "data")) + len(cells.part(obj, "binaryData"))
    return [cells.name(obj), count, cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="",
    version="v1",
    kind="ConfigMap",
    plural="configmaps",
    short_names=("cm",),
    declared=Behavior(
        validate=_validate,
        validate_update={"": _validate_update},
        cells=_cells,
        quota_name="configmaps",
    ),
)
