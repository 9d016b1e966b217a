"""Resources asked for by the pod as a whole, against those of its containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects import quantity
from kubestage.objects.quantity import Quantity
from kubestage.objects.validation import field, resource_names, resources

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.objects.validation.field import FieldError

_Amounts = dict[str, Quantity]


def validate_pod_resources(
    spec: dict[str, Any],
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
    errors += resources.validate_requirements(
        requirements,
        claim_names,
        path,
        pod_level=True,
        allow_indivisible_huge_pages=allow_indivisible_huge_pages,
    )
    return errors + _validate_consistency(spec, path)


def _validate_consistency(spec: dict[str, Any], path: str) -> list[FieldError]:
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


def _too_small(needed: _Amounts, given: _Amounts, kind: str, path: str) -> list[FieldError]:
    return [
        field.invalid(
            f"{path}.{kind}[{name}]",
            str(given[name]),
            f"must be greater than or equal to aggregate container {kind} of {amount}",
        )
        for name, amount in needed.items()
        if name in given and amount > given[name]
    ]


def _amounts(resource_list: dict[str, Any] | None) -> _Amounts:
    return {name: quantity.of(value) for name, value in (resource_list or {}).items()}


def _aggregate(spec: dict[str, Any], kind: str) -> _Amounts:
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
