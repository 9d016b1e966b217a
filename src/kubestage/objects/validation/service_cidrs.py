"""Rules for the ranges of service addresses, and for the addresses taken from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import (
    addresses,
    field,
    internal_json,
    metadata,
    names,
    references,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_PATH: Final = "spec.cidrs"
_PARENT: Final = "spec.parentRef"


def _address_name(name: str, _: bool) -> names.Problems:
    return addresses.is_valid_ip(name)


def validate_ip_address(obj: dict[str, Any]) -> list[FieldError]:
    """An address that is taken: its name is the address, its parent who took it."""
    errors = metadata.validate_object_meta(obj["metadata"], False, _address_name)
    parent = (obj.get("spec") or {}).get("parentRef")
    if parent is None:
        return [*errors, field.required(_PARENT)]
    group, namespace = parent.get("group") or "", parent.get("namespace") or ""
    if group:
        errors += field.invalids(f"{_PARENT}.group", group, names.is_dns1123_subdomain(group))
    for key in ("resource", "name"):
        errors += references.validate_segment(parent.get(key) or "", f"{_PARENT}.{key}")
    if namespace:
        problems = names.is_valid_path_segment_name(namespace)
        errors += field.invalids(f"{_PARENT}.namespace", namespace, problems)
    return errors


def validate_ip_address_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed address: taken by the same one."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    parent = (new.get("spec") or {}).get("parentRef")
    if parent != (old.get("spec") or {}).get("parentRef"):
        shown = internal_json.render("*networking/v1.ParentReference", parent)
        errors.append(field.invalid(_PARENT, shown, metadata.IMMUTABLE))
    return errors


def validate_service_cidr(obj: dict[str, Any]) -> list[FieldError]:
    """New ranges: one, or one of each family."""
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    return errors + _validate_ranges(_ranges(obj))


def _ranges(obj: dict[str, Any]) -> list[str]:
    return (obj.get("spec") or {}).get("cidrs") or []


def _validate_ranges(ranges: list[str]) -> list[FieldError]:
    if not ranges:
        return [field.required(_PATH, "at least one CIDR required")]
    if len(ranges) > 2:
        shown = internal_json.text({"CIDRs": ranges})
        return [field.invalid(_PATH, shown, "may only hold up to 2 values")]
    errors: list[FieldError] = []
    for index, text in enumerate(ranges):
        errors += field.invalids(f"{_PATH}[{index}]", text, addresses.is_cidr(text))
    parts = [addresses.split_cidr(text) for text in ranges]
    if len(ranges) == 2 and parts[0] and parts[1] and parts[0][0].version == parts[1][0].version:
        detail = (
            "may specify no more than one IP for each IP family, "
            "i.e 192.168.0.0/24 and 2001:db8::/64"
        )
        errors.append(field.invalid(_PATH, internal_json.text(ranges), detail))
    return errors


def validate_service_cidr_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """Changed ranges: one of the other family may be added."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    ranges, before = _ranges(new), _ranges(old)
    if len(ranges) != len(before) and (len(before), len(ranges)) != (1, 2):
        shown = internal_json.text(ranges or None)
        return [*errors, field.invalid(_PATH, shown, metadata.IMMUTABLE)]
    errors += [
        field.invalid(f"{_PATH}[{index}]", text, metadata.IMMUTABLE)
        for index, (text, was) in enumerate(zip(ranges, before, strict=False))
        if text != was
    ]
    return errors if len(ranges) == len(before) else errors + _validate_ranges(ranges)


def validate_service_cidr_status_update(
    new: dict[str, Any], old: dict[str, Any]
) -> list[FieldError]:
    """What the ranges' controller reports."""
    return metadata.validate_object_meta_update(new["metadata"], old["metadata"])
