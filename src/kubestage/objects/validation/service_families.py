"""Rules for the addresses of a service: cluster IPs, IP families, and how they may change."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import addresses, field, internal_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

NONE: Final = "None"
IPV4: Final = "IPv4"
IPV6: Final = "IPv6"
SINGLE: Final = "SingleStack"
PREFER_DUAL: Final = "PreferDualStack"
REQUIRE_DUAL: Final = "RequireDualStack"

_ADDRESSES: Final = "spec.clusterIPs"
_FAMILIES: Final = "spec.ipFamilies"
_POLICY: Final = "spec.ipFamilyPolicy"
_UNCHANGEABLE: Final = "may not change once set"


def is_headless(spec: Json) -> bool:
    """Whether a service requests no address."""
    return bool(spec.get("clusterIPs") == [NONE])


def is_ipv6(address: str) -> bool:
    """Whether a text is an IPv6 address; an IPv4 address in IPv6 form is not."""
    parsed = addresses.parse_sloppy(address)
    return isinstance(parsed, ipaddress.IPv6Address) and not addresses.is_mapped(parsed)


def validate_addresses(spec: Json, old: Json | None) -> list[FieldError]:
    """Cluster IPs, families and policy of one service, and how they fit together."""
    if spec.get("type") == "ExternalName":
        return []
    assigned: list[str] = spec.get("clusterIPs") or []
    errors = _validate_first(spec.get("clusterIP") or "", assigned)
    errors += _validate_families(spec)
    wrong = _validate_each(assigned, (old or {}).get("clusterIPs") or ())
    errors += wrong
    if len(assigned) > 2:
        errors.append(_invalid(_ADDRESSES, assigned, "may only hold up to 2 values"))
    if wrong:
        return errors
    if len(assigned) > 1:
        parsed = [addresses.parse_sloppy(each) for each in assigned]
        if not addresses.has_both_families(parsed):
            detail = "may specify no more than one IP for each IP family"
            errors.append(_invalid(_ADDRESSES, assigned, detail))
    return errors + _validate_matching(spec, assigned)


def _validate_first(address: str, assigned: list[str]) -> list[FieldError]:
    if not address:
        if not assigned:
            return []
        return [_invalid(_ADDRESSES, assigned, "must be empty when `clusterIP` is not specified")]
    if not assigned:
        return [field.required(_ADDRESSES)]
    if assigned[0] != address:
        return [_invalid(_ADDRESSES, assigned, "first value must match `clusterIP`")]
    return []


def _validate_families(spec: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, family in enumerate(spec.get("ipFamilies") or ()):
        path = f"{_FAMILIES}[{index}]"
        if family not in (IPV4, IPV6):
            errors.append(field.not_supported(path, family, (IPV4, IPV6)))
        if family in seen:
            errors.append(field.duplicate(path, internal_json.text(family)))
        seen.add(family)
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in (SINGLE, PREFER_DUAL, REQUIRE_DUAL):
        valid = (PREFER_DUAL, REQUIRE_DUAL, SINGLE)
        errors.append(field.not_supported(_POLICY, policy, valid))
    return errors


def _validate_each(assigned: list[str], known: Sequence[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, address in enumerate(assigned):
        if index == 0 and address == NONE:
            if len(assigned) > 1:
                detail = "'None' must be the first and only value"
                errors.append(_invalid(_ADDRESSES, assigned, detail))
        elif address not in known:
            problems = addresses.is_valid_ip_for_legacy_field(address)
            errors += field.invalids(f"{_ADDRESSES}[{index}]", address, problems)
    return errors


def _validate_matching(spec: Json, assigned: list[str]) -> list[FieldError]:
    families = spec.get("ipFamilies") or ()
    if is_headless(spec):
        return []
    errors: list[FieldError] = []
    for index, (address, family) in enumerate(zip(assigned, families, strict=False)):
        if (family == IPV4 and is_ipv6(address)) or (family == IPV6 and not is_ipv6(address)):
            detail = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
            errors.append(field.invalid(f"{_ADDRESSES}[{index}]", address, detail))
    return errors


def validate_changed_addresses(spec: Json, old: Json) -> list[FieldError]:
    """Cluster IPs of a changed service: a second one may be added or removed."""
    if (
        _is_external_name(spec)
        or _is_external_name(old)
        or (is_headless(spec) and is_headless(old))
    ):
        return []
    assigned, before = spec.get("clusterIPs") or [], old.get("clusterIPs") or []
    if len(assigned) == len(before):
        return [
            _invalid(f"{_ADDRESSES}[{index}]", assigned, _UNCHANGEABLE)
            for index, address in enumerate(before)
            if address != assigned[index]
        ]
    errors: list[FieldError] = []
    if not assigned:
        errors.append(_invalid(f"{_ADDRESSES}[0]", None, "primary clusterIP can not be unset"))
    elif before and assigned[0] != before[0]:
        errors.append(_invalid(f"{_ADDRESSES}[0]", assigned, _UNCHANGEABLE))
    if len(assigned) == 1 and len(before) > 1:
        errors += _validate_release(spec, "clusterIP")
    return errors


def validate_changed_families(spec: Json, old: Json) -> list[FieldError]:
    """IP families of a changed service: the same holds."""
    if _is_external_name(spec) or _is_external_name(old) or is_headless(spec) or is_headless(old):
        return []
    assigned, before = spec.get("ipFamilies") or [], old.get("ipFamilies") or []
    first = f"{_FAMILIES}[0]"
    if len(assigned) == len(before):
        changed = sum(one != other for one, other in zip(assigned, before, strict=True))
        return [_invalid(first, assigned, _UNCHANGEABLE)] * changed
    errors: list[FieldError] = []
    assigned_addresses = spec.get("clusterIPs") or None
    if len(assigned) < len(before) and not assigned_addresses:
        errors.append(_invalid(first, assigned or None, "primary ipFamily can not be unset"))
    if assigned and before and assigned[0] != before[0]:
        errors.append(_invalid(first, assigned_addresses, _UNCHANGEABLE))
    if len(assigned) == 1 and len(before) > 1:
        errors += _validate_release(spec, "ipFamily")
    return errors


def _validate_release(spec: Json, what: str) -> list[FieldError]:
    policy = spec.get("ipFamilyPolicy")
    if policy == SINGLE:
        return []
    detail = f"must be set to 'SingleStack' when releasing the secondary {what}"
    return [_invalid(_POLICY, policy, detail)]


def _is_external_name(spec: Json) -> bool:
    return bool(spec.get("type") == "ExternalName")


def _invalid(path: str, value: Any, detail: str) -> FieldError:
    return field.invalid(path, internal_json.text(value), detail)
