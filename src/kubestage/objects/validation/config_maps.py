"""Rules for config maps."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, metadata, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_SIZE_LIMIT: Final = 1024 * 1024
_FROZEN: Final = "field is immutable when `immutable` is set"


def validate_config_map(obj: dict[str, Any]) -> list[FieldError]:
    """A new config map: keys are file names, all values together fit into a mebibyte."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
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


def validate_config_map_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed config map, unless it is frozen."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    if old.get("immutable"):
        if not new.get("immutable"):
            errors.append(field.forbidden("immutable", _FROZEN))
        errors += [
            field.forbidden(key, _FROZEN)
            for key in ("data", "binaryData")
            if new.get(key) != old.get(key)
        ]
    return errors + validate_config_map(new)
