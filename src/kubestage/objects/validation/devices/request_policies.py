"""Rules for a capacity that several claims can share: how much of it one may ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity
from kubestage.objects.validation import field
from kubestage.objects.validation.devices import lists

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.quantity import Quantity
    from kubestage.objects.validation.field import FieldError

_MAX_OPTIONS: Final = 10
_ONE_POLICY: Final = (
    'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the '
    "same time"
)


def validate_single(capacity: Json, path: str) -> list[FieldError]:
    """A capacity of a device that serves one claim at a time: all of it is requested."""
    if capacity.get("requestPolicy") is None:
        return []
    return [field.forbidden(f"{path}.requestPolicy", "allowMultipleAllocations must be true")]


def validate_shared(capacity: Json, path: str) -> list[FieldError]:
    """A capacity of a device that serves several."""
    policy = capacity.get("requestPolicy")
    if policy is None:
        return []
    at = f"{path}.requestPolicy"
    options, bounds = policy.get("validValues"), policy.get("validRange")
    if options and bounds is not None:
        return [field.forbidden(at, _ONE_POLICY)]
    if not options and bounds is None:
        return []
    key = "validValues" if options else "validRange"
    if policy.get("default") is None:
        return [field.required(f"{at}.default", f"required when {key} is defined")]
    usual, most = quantity.of(policy["default"]), quantity.of(capacity.get("value"))
    if options:
        return _validate_options(
            [quantity.of(each) for each in options], usual, most, f"{at}.{key}"
        )
    return _validate_range(bounds or {}, usual, most, f"{at}.{key}")


def _validate_options(
    options: list[Quantity], usual: Quantity, most: Quantity, path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    for index in range(1, len(options)):
        if options[index - 1] > options[index]:
            detail = "values must be sorted in ascending order"
            errors.append(field.invalid(f"{path}[{index}]", str(options[index]), detail))

    def check(option: Quantity, at: str) -> list[FieldError]:
        if option <= most:
            return []
        detail = f"option is larger than capacity value: {most}"
        return [field.invalid(at, str(option), detail)]

    errors += lists.validate_set(
        options, _MAX_OPTIONS, check, lambda option: str(quantity.value_of(str(option))), path
    )
    if len(options) > _MAX_OPTIONS or usual not in options:
        detail = "default value is not valid according to the requestPolicy"
        errors.append(field.invalid(path, str(usual), detail))
    return errors


def _validate_range(bounds: Json, usual: Quantity, most: Quantity, path: str) -> list[FieldError]:
    if bounds.get("min") is None:
        return [field.required(f"{path}.min", "required when validRange is defined")]
    low = quantity.of(bounds["min"])
    high = None if bounds.get("max") is None else quantity.of(bounds["max"])
    found: list[tuple[bool, str, Quantity, str]] = [
        (low > most, "min", low, f"min is larger than capacity value: {most}"),
        (usual < low, "min", usual, f"default is less than min: {low}"),
    ]
    if high is not None:
        found += [
            (low > high, "max", low, f"min is larger than max: {high}"),
            (high > most, "max", high, f"max is larger than capacity value: {most}"),
            (usual > high, "max", usual, f"default is more than max: {high}"),
        ]
    if bounds.get("step") is not None:
        step = quantity.of(bounds["step"])
        added = low + step
        text = f"one step {added} is larger than capacity value: {most}"
        found.append((added > most, "step", step, text))
        for value in (usual, high):
            if value is not None:
                text = f"value is not a multiple of a given step ({step}) from ({low})"
                found.append((_is_off(value, low, step), "step", value, text))
    return [
        field.invalid(f"{path}.{key}", str(value), detail)
        for is_wrong, key, value, detail in found
        if is_wrong
    ]


def _is_off(value: Quantity, low: Quantity, step: Quantity) -> bool:
    """Whether no number of whole steps leads to a value, all of them rounded up."""
    whole, first, each = (quantity.value_of(str(part)) for part in (value, low, step))
    return each == 0 or (whole - first) % each != 0
