"""Requests, limits and claims of a container or a whole pod."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import quantity
from kubestage.objects.quantity import Quantity
from kubestage.objects.validation import field, internal_json, names, resource_names

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_Amounts = dict[str, Quantity]


def validate_pod_resources(
    spec: Json,
    claim_names: Collection[str],
    path: str,
    *,
    allow_indivisible_huge_pages: bool,
) -> list[FieldError]:
    """``spec.resources``, which must be there."""
    requirements = spec["resources"]
    if (spec.get("os") or {}).get("name") == "windows":
        return [field.forbidden(path, "may not be set for a windows pod")]
    errors: list[FieldError] = []
    if requirements.get("claims") is not None:
        detail = "claims may not be set for Resources at pod-level"
        errors.append(field.forbidden(f"{path}.claims", detail))
    errors += validate_requirements(
        requirements,
        claim_names,
        path,
        pod_level=True,
        allow_indivisible_huge_pages=allow_indivisible_huge_pages,
    )
    return errors + _validate_consistency(spec, path)


def _validate_consistency(spec: Json, path: str) -> list[FieldError]:
    """The pod must have room for what its containers ask for."""
    requirements = spec["resources"]
    limits = _amounts(requirements.get("limits"))
    errors = _too_small(
        _aggregate(spec, "requests"), _amounts(requirements.get("requests")), "requests", path
    )
    huge_pages = {
        name: amount
        for name, amount in _aggregate(spec, "limits").items()
        if resource_names.is_huge_page(name)
    }
    errors += _too_small(huge_pages, limits, "limits", path)
    for index, container in enumerate(spec.get("containers") or ()):
        own = _amounts((container.get("resources") or {}).get("limits"))
        for name, amount in own.items():
            if name in limits and amount > limits[name]:
                detail = f"must be less than or equal to pod limits of {limits[name]}"
                at = f"{path}.containers[{index}][{name}].limits"
                errors.append(field.invalid(at, str(amount), detail))
    return errors


def _too_small(needed: _Amounts, provided: _Amounts, kind: str, path: str) -> list[FieldError]:
    return [
        field.invalid(
            f"{path}.{kind}[{name}]",
            str(provided[name]),
            f"must be greater than or equal to aggregate container {kind} of {amount}",
        )
        for name, amount in needed.items()
        if name in provided and amount > provided[name]
    ]


def _amounts(resource_list: Json | None) -> _Amounts:
    return {name: quantity.of(value) for name, value in (resource_list or {}).items()}


def _aggregate(spec: Json, kind: str) -> _Amounts:
    """What all containers need at once, and each init container beside the sidecars before it."""
    total: _Amounts = {}
    for container in spec.get("containers") or ():
        _add(total, _amounts((container.get("resources") or {}).get(kind)))
    sidecars: _Amounts = {}
    peak: _Amounts = {}
    for container in spec.get("initContainers") or ():
        own = _amounts((container.get("resources") or {}).get(kind))
        if container.get("restartPolicy") == "Always":
            _add(total, own)
            _add(sidecars, own)
            own = sidecars
        else:
            _add(own, sidecars)
        _raise_to(peak, own)
    _raise_to(total, peak)
    return total


def _add(total: _Amounts, more: _Amounts) -> None:
    for name, amount in more.items():
        total[name] = total[name] + amount if name in total else amount


def _raise_to(floor: _Amounts, other: _Amounts) -> None:
    for name, amount in other.items():
        if name not in floor or amount > floor[name]:
            floor[name] = amount


NOT_POSITIVE: Final = "must be greater than zero"
_NOT_INTEGER: Final = "must be an integer"
_CACHED: Final = 16384


def validate_positive_quantity(value: Any, path: str) -> list[FieldError]:
    """An amount above zero."""
    amount = quantity.of(value)
    return [] if amount.sign > 0 else [field.invalid(path, str(amount), NOT_POSITIVE)]


def validate_amount(name: str, amount: Any, path: str) -> list[FieldError]:
    """What is wrong with an amount of a resource in an object of ours: its text, or its value."""
    try:
        quantity.of(amount)
    except ValueError:
        return [field.invalid(path, amount, "must be an amount, such as 4 or 16Gi")]
    return list(validate_quantity_value(name, amount, path))


def validate_quantity_value(resource: str, value: Any, path: str) -> list[FieldError]:
    """An amount that the resource can have."""
    amount = quantity.of(value)
    errors = []
    if amount.sign < 0:
        errors.append(field.invalid(path, str(amount), names.NOT_NEGATIVE))
    if resource_names.is_integer(resource) and amount.milli_value % 1000:
        errors.append(field.invalid(path, str(amount), _NOT_INTEGER))
    return errors


def validate_requirements(
    requirements: Json,
    claim_names: Collection[str],
    path: str,
    *,
    pod_level: bool = False,
    allow_indivisible_huge_pages: bool = False,
) -> list[FieldError]:
    """ResourceRequirements of a container, or of the pod as a whole."""
    errors: list[FieldError] = []
    limits = requirements.get("limits") or {}
    requests = requirements.get("requests") or {}
    for name, value in limits.items():
        if found := _entry_errors(name, value, pod_level):
            errors += _at(f"{path}.limits[{name}]", found)
        if resource_names.is_huge_page(name) and not allow_indivisible_huge_pages:
            errors += _huge_page_errors(name, value, f"{path}.limits[{name}]")
    for name, value in requests.items():
        if found := _entry_errors(name, value, pod_level):
            errors += _at(f"{path}.requests[{name}]", found)
        if name in limits:
            if detail := _limit_problem(name, value, limits[name]):
                at = f"{path}.requests"
                errors.append(field.invalid(at, str(quantity.of(value)), detail))
        elif not resource_names.is_overcommit_allowed(name):
            detail = "Limit must be set for non overcommitable resources"
            errors.append(field.required(f"{path}.limits", detail))
        if resource_names.is_huge_page(name) and not allow_indivisible_huge_pages:
            errors += _huge_page_errors(name, value, f"{path}.requests[{name}]")
    if _has_lonely_huge_pages(limits, requests):
        errors.append(field.forbidden(path, "HugePages require cpu or memory"))
    if claims := requirements.get("claims"):
        errors += _validate_claims(claims, claim_names, f"{path}.claims")
    return errors


@functools.lru_cache(_CACHED, typed=True)
def _entry_errors(name: str, value: Any, pod_level: bool) -> tuple[FieldError, ...]:
    """What is wrong with one line of a resource list, wherever it stands."""
    if not pod_level:
        problems = resource_names.container_resource_problems(name)
        errors = field.invalids("", internal_json.text(name), problems)
    elif problems := resource_names.resource_problems(name):
        errors = field.invalids("", internal_json.text(name), problems)
    elif not resource_names.is_supported_at_pod_level(name):
        errors = [field.not_supported("", internal_json.text(name), resource_names.POD_LEVEL)]
    else:
        errors = []
    return (*errors, *validate_quantity_value(name, value, ""))


def _at(path: str, errors: tuple[FieldError, ...]) -> list[FieldError]:
    return [msgspec.structs.replace(error, field=path) for error in errors]


@functools.lru_cache(_CACHED, typed=True)
def _limit_problem(name: str, request: Any, limit: Any) -> str:
    requested, most = quantity.of(request), quantity.of(limit)
    order = requested.compare(most)
    if order and not resource_names.is_overcommit_allowed(name):
        return f"must be equal to {name} limit of {most}"
    return f"must be less than or equal to {name} limit of {most}" if order > 0 else ""


def _huge_page_errors(name: str, value: Any, path: str) -> list[FieldError]:
    amount = quantity.of(value)
    if resource_names.is_huge_page_multiple(name, amount):
        return []
    detail = f"{amount} is not positive integer multiple of {name}"
    return [field.invalid(path, str(amount), detail)]


def _has_lonely_huge_pages(limits: Json, requests: Json) -> bool:
    if "cpu" in limits or "memory" in limits or "cpu" in requests or "memory" in requests:
        return False
    return any(resource_names.is_huge_page(name) for name in (*limits, *requests))


def has_indivisible_huge_pages(resource_list: Json | None) -> bool:
    """Whether some amount of huge pages is no whole number of pages."""
    return any(
        resource_names.is_huge_page(name)
        and not resource_names.is_huge_page_multiple(name, quantity.of(value))
        for name, value in (resource_list or {}).items()
    )


def _validate_claims(
    claims: list[Json], claim_names: Collection[str], path: str
) -> list[FieldError]:
    """References to the pod's resource claims, whole or by request."""
    errors: list[FieldError] = []
    seen: list[str] = []
    for index, claim in enumerate(claims):
        at = f"{path}[{index}]"
        name = claim.get("name") or ""
        if not name:
            errors.append(field.required(at))
            continue
        errors += _validate_claim_once(name, claim.get("request") or "", seen, at)
        if name not in claim_names:
            detail = "must be one of the names in pod.spec.resourceClaims"
            detail += f": {', '.join(sorted(claim_names))}" if claim_names else " which is empty"
            errors.append(msgspec.structs.replace(field.not_found(at, name), detail=detail))
    return errors


def _validate_claim_once(name: str, request: str, seen: list[str], path: str) -> list[FieldError]:
    """Each request once, and nothing beside a reference to the whole claim."""
    if name in seen:
        return [field.duplicate(path, name)]
    errors: list[FieldError] = []
    key = name
    if request:
        errors += field.invalids(f"{path}.request", request, names.is_dns1123_label(request))
        key = f"{name}/{request}"
    if key in seen:
        errors.append(field.duplicate(path, key))
    elif not request:
        taken = sum(other.partition("/")[0] == name for other in seen if "/" in other)
        errors += [field.duplicate(path, name)] * taken
    if key not in seen:
        seen.append(key)
    return errors
