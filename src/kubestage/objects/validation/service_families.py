"""Rules for the addresses of a service: cluster IPs, IP families, and how they may change."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import addresses, field, internal_json

if TYPE_CHECKING:
    from collections.abc import Sequence

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
_KEPT: Final = "may not change once set"


def is_headless(spec: dict[str, Any]) -> bool:
    """Whether a service asks to have no address of its own."""
    return bool(spec.get("clusterIPs") == [NONE])


def is_ipv6(address: str) -> bool:
    """Whether a text is an IPv6 address; an IPv4 address dressed as one is not."""
    parsed = addresses.parse_sloppy(address)
    return isinstance(parsed, ipaddress.IPv6Address) and not addresses.is_mapped(parsed)


def validate_addresses(spec: dict[str, Any], old: dict[str, Any] | None) -> list[FieldError]:
    """Cluster IPs, families and policy of one service, and how they fit together."""
    if spec.get("type") == "ExternalName":
        return []
    given: list[str] = spec.get("clusterIPs") or []
    errors = _validate_first(spec.get("clusterIP") or "", given)
    errors += _validate_families(spec)
    wrong = _validate_each(given, (old or {}).get("clusterIPs") or ())
    errors += wrong
    if len(given) > 2:
        errors.append(_invalid(_ADDRESSES, given, "may only hold up to 2 values"))
    if wrong:
        return errors
    if len(given) > 1:
        parsed = [addresses.parse_sloppy(each) for each in given]
        if not addresses.has_both_families(parsed):
            detail = "may specify no more than one IP for each IP family"
            errors.append(_invalid(_ADDRESSES, given, detail))
    return errors + _validate_matching(spec, given)


def _validate_first(address: str, given: list[str]) -> list[FieldError]:
    if not address:
        if not given:
            return []
        return [_invalid(_ADDRESSES, given, "must be empty when `clusterIP` is not specified")]
    if not given:
        return [field.required(_ADDRESSES)]
    if given[0] != address:
        return [_invalid(_ADDRESSES, given, "first value must match `clusterIP`")]
    return []


def _validate_families(spec: dict[str, Any]) -> list[FieldError]:
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


def _validate_each(given: list[str], known: Sequence[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, address in enumerate(given):
        if index == 0 and address == NONE:
            if len(given) > 1:
                detail = "'None' must be the first and only value"
                errors.append(_invalid(_ADDRESSES, given, detail))
        elif address not in known:
            problems = addresses.is_valid_ip_for_legacy_field(address)
            errors += field.invalids(f"{_ADDRESSES}[{index}]", address, problems)
    return errors


def _validate_matching(spec: dict[str, Any], given: list[str]) -> list[FieldError]:
    families = spec.get("ipFamilies") or ()
    if is_headless(spec):
        return []
    errors: list[FieldError] = []
    for index, (address, family) in enumerate(zip(given, families, strict=False)):
        if (family == IPV4 and is_ipv6(address)) or (family == IPV6 and not is_ipv6(address)):
            detail = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
            errors.append(field.invalid(f"{_ADDRESSES}[{index}]", address, detail))
    return errors


def validate_changed_addresses(spec: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """Cluster IPs of a changed service: a second one may come and go, the first one stays."""
    if _is_outside(spec) or _is_outside(old) or (is_headless(spec) and is_headless(old)):
        return []
    given, before = spec.get("clusterIPs") or [], old.get("clusterIPs") or []
    if len(given) == len(before):
        return [
            _invalid(f"{_ADDRESSES}[{index}]", given, _KEPT)
            for index, address in enumerate(before)
            if address != given[index]
        ]
    errors: list[FieldError] = []
    if not given:
        errors.append(_invalid(f"{_ADDRESSES}[0]", None, "primary clusterIP can not be unset"))
    elif before and given[0] != before[0]:
        errors.append(_invalid(f"{_ADDRESSES}[0]", given, _KEPT))
    if len(given) == 1 and len(before) > 1:
        errors += _validate_release(spec, "clusterIP")
    return errors


def validate_changed_families(spec: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """IP families of a changed service, likewise."""
    if _is_outside(spec) or _is_outside(old) or is_headless(spec) or is_headless(old):
        return []
    given, before = spec.get("ipFamilies") or [], old.get("ipFamilies") or []
    first = f"{_FAMILIES}[0]"
    if len(given) == len(before):
        changed = sum(one != other for one, other in zip(given, before, strict=True))
        return [_invalid(first, given, _KEPT)] * changed
    errors: list[FieldError] = []
    addresses_given = spec.get("clusterIPs") or None
    if len(given) < len(before) and not addresses_given:
        errors.append(_invalid(first, given or None, "primary ipFamily can not be unset"))
    if given and before and given[0] != before[0]:
        errors.append(_invalid(first, addresses_given, _KEPT))
    if len(given) == 1 and len(before) > 1:
        errors += _validate_release(spec, "ipFamily")
    return errors


def _validate_release(spec: dict[str, Any], what: str) -> list[FieldError]:
    policy = spec.get("ipFamilyPolicy")
    if policy == SINGLE:
        return []
    detail = f"must be set to 'SingleStack' when releasing the secondary {what}"
    return [_invalid(_POLICY, policy, detail)]


def _is_outside(spec: dict[str, Any]) -> bool:
    return bool(spec.get("type") == "ExternalName")


def _invalid(path: str, value: Any, detail: str) -> FieldError:
    return field.invalid(path, internal_json.text(value), detail)
