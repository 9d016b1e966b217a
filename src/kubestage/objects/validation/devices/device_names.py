"""Names in dynamic resource allocation: drivers, pools, attributes, shares."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import field, label_selectors, names, volume_sources
from kubestage.objects.validation.devices import lists

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

MAX_ID: Final = 32
MAX_DOMAIN: Final = 63
MAX_QUALIFIED: Final = MAX_DOMAIN + 1 + MAX_ID
_MAX_POOL: Final = 253
_MAX_CONDITIONS: Final = 4
_UUID: Final = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_BARE_UUID_LENGTH: Final = 32
_UUID_LENGTH: Final = 36
_NORMAL_UUID: Final = (
    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with "
    "lowercase hexadecimal characters"
)

validate_driver = volume_sources.validate_csi_driver_name
"""A driver of devices is named as a driver of volumes is."""


def validate_label(name: str, path: str) -> list[FieldError]:
    """The name of a device, a request or a counter."""
    return field.invalids(path, name, names.is_dns1123_label(name))


def validate_node_name(name: str, path: str) -> list[FieldError]:
    """The name of a node."""
    return field.invalids(path, name, names.is_dns1123_subdomain(name))


def validate_pool(name: str, path: str) -> list[FieldError]:
    """The name of a pool: subdomains, separated by slashes."""
    if not name:
        return [field.required(path)]
    errors = [field.too_long(path, _MAX_POOL)] if names.size(name) > _MAX_POOL else []
    for part in name.split("/"):
        errors += field.invalids(path, part, names.is_dns1123_subdomain(part))
    return errors


def validate_qualified(name: str, path: str) -> list[FieldError]:
    """The name of an attribute or a capacity, with or without its domain."""
    parts = name.split("/")
    if len(parts) == 1:
        return _validate_identifier(name, path)
    if len(parts) > 2:
        # The API server does not look at such names.
        return []
    domain, own = parts
    errors = (
        validate_driver(domain, path)
        if domain
        else [field.invalid(path, "", "the domain must not be empty")]
    )
    if not own:
        return [*errors, field.invalid(path, "", "the name must not be empty")]
    return errors + _validate_identifier(own, path)


def validate_fully_qualified(name: str, path: str) -> list[FieldError]:
    """The name of an attribute with its domain."""
    errors = validate_qualified(name, path)
    if "/" not in name:
        detail = "a fully qualified name must be a domain and a name separated by a slash"
        errors.append(field.invalid(path, name, detail))
    return errors


def _validate_identifier(name: str, path: str) -> list[FieldError]:
    errors = [field.too_long(path, MAX_ID)] if names.size(name) > MAX_ID else []
    return errors + field.invalids(path, name, names.is_c_identifier(name))


def validate_uid(uid: str, path: str) -> list[FieldError]:
    """The id of a share of a device."""
    problem = _uid_problem(uid)
    if problem:
        return [field.invalid(path, uid, f"error validating uid: {problem}")]
    if len(uid) != _UUID_LENGTH or uid != uid.lower():
        return [field.invalid(path, uid, _NORMAL_UUID)]
    return []


def _uid_problem(uid: str) -> str:
    """What the parser says: it also takes ``urn:uuid:``, braces, and no dashes."""
    bare, size = uid, names.size(uid)
    if size == _UUID_LENGTH + 9:
        if not uid.lower().startswith("urn:uuid:"):
            return f"invalid urn prefix: {field.quote(uid[:9])}"
        bare = uid[9:]
    elif size == _UUID_LENGTH + 2:
        if not (uid.startswith("{") and uid.endswith("}")):
            return "invalid bracketed UUID format"
        bare = uid[1:-1]
    elif size == _BARE_UUID_LENGTH:
        return "" if re.fullmatch("[0-9a-fA-F]*", uid) else "invalid UUID format"
    elif size != _UUID_LENGTH:
        return f"invalid UUID length: {size}"
    return "" if _UUID.fullmatch(bare) else "invalid UUID format"


def validate_binding_conditions(holder: Json, path: str) -> list[FieldError]:
    """What must be true before a pod is bound, and what ends the wait."""
    required = holder.get("bindingConditions") or []
    failing = holder.get("bindingFailureConditions") or []
    at, failing_at = f"{path}.bindingConditions", f"{path}.bindingFailureConditions"
    rule = label_selectors.validate_label_name
    errors = lists.validate_list(required, _MAX_CONDITIONS, rule, at)
    errors += lists.validate_list(failing, _MAX_CONDITIONS, rule, failing_at)
    for index, condition in enumerate(required):
        if condition in required[:index]:
            errors.append(field.duplicate(f"{at}[{index}]", condition))
    for index, condition in enumerate(failing):
        if condition in failing[:index]:
            errors.append(field.duplicate(f"{failing_at}[{index}]", condition))
        if condition in required:
            detail = "bindingFailureConditions must not overlap with bindingConditions"
            errors.append(field.invalid(f"{failing_at}[{index}]", condition, detail))
    if failing and not required:
        detail = "bindingConditions are required to use bindingFailureConditions"
        errors.append(field.invalid(at, holder.get("bindingConditions"), detail))
    if required and not failing:
        detail = "bindingFailureConditions are required to use bindingConditions"
        shown = holder.get("bindingFailureConditions")
        errors.append(field.invalid(failing_at, shown, detail))
    return errors
