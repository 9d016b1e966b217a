"""What the API does to a LimitRange."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity
from kubestage.objects.defaulting import resources
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.validation import field, internal_json, metadata, names, resource_names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.quantity import Quantity
    from kubestage.objects.validation.field import FieldError


_TYPES: Final = ("Pod", "Container", "PersistentVolumeClaim")
_ONE: Final = quantity.from_int(1)
_MOST_MILLI: Final = ((1 << 63) - 1) // 1000
# What may not be more than what; where upstream reports it, which value it shows, and its words.
_ORDERED: Final = (
    ("min", "max", "min", "min", "min value {} is greater than max value {}"),
    (
        "min", "defaultRequest", "defaultRequest", "defaultRequest",
        "min value {} is greater than default request value {}",
    ),
    (
        "defaultRequest", "max", "defaultRequest", "defaultRequest",
        "default request value {} is greater than max value {}",
    ),
    (
        "defaultRequest", "default", "defaultRequest", "defaultRequest",
        "default request value {} is greater than default limit value {}",
    ),
    ("min", "default", "default", "min", "min value {} is greater than default value {}"),
    ("default", "max", "default", "max", "default value {} is greater than max value {}"),
)  # fmt: skip


def _default(obj: Json) -> None:
    """Maxima become defaults, defaults become requests, then minima."""
    for item in obj["spec"]["limits"] or ():
        if item["type"] == "Container":
            _container_limits(item)
        for name in ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio"):
            resources.round_up(item.get(name))


def _container_limits(item: Json) -> None:
    limits = {**item.get("max", {}), **item.get("default", {})}
    requests = {**item.get("min", {}), **limits, **item.get("defaultRequest", {})}
    if limits:
        item["default"] = limits
    if requests:
        item["defaultRequest"] = requests


def _validate(obj: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, item in enumerate((obj.get("spec") or {}).get("limits") or ()):
        path = f"spec.limits[{index}]"
        kind = item.get("type") or ""
        errors += _validate_type(kind, f"{path}.type")
        if kind in seen:
            errors.append(field.duplicate(f"{path}.type", internal_json.text(kind)))
        seen.add(kind)
        errors += _validate_item(item, kind, path)
    return errors


def _validate_update(new: Json, _: Json) -> list[FieldError]:
    meta = new["metadata"]
    errors = metadata.validate_object_meta(meta, True, names.name_is_dns_subdomain)
    return errors + _validate(new)


def _validate_type(kind: str, path: str) -> list[FieldError]:
    shown = internal_json.text(kind)
    problems = names.is_qualified_name(kind)
    if problems:
        return field.invalids(path, shown, problems)
    if "/" not in kind and kind not in _TYPES:
        detail = "must be a standard limit type or fully qualified"
        return [field.invalid(path, shown, detail)]
    return []


def _validate_item(item: Json, kind: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    amounts: dict[str, dict[str, Quantity]] = {}
    for part in ("max", "min", "default", "defaultRequest"):
        if kind == "Pod" and part.startswith("default"):
            if item.get(part):
                detail = "may not be specified when `type` is 'Pod'"
                errors.append(field.forbidden(f"{path}.{part}", detail))
        else:
            errors += _read(item, part, kind, path, amounts)
    if kind == "PersistentVolumeClaim" and not any(
        "storage" in (item.get(part) or ()) for part in ("min", "max")
    ):
        detail = "either minimum or maximum storage value is required, but neither was provided"
        errors.append(field.required(f"{path}.limits", detail))
    errors += _read(item, "maxLimitRequestRatio", kind, path, amounts)
    for name in sorted({name for part in amounts.values() for name in part}):
        errors += _validate_order(name, amounts, path)
        errors += _validate_ratio(name, amounts, path)
        errors += _validate_no_overcommit(name, amounts, path)
    return errors


def _read(
    item: Json, part: str, kind: str, path: str, amounts: dict[str, dict[str, Quantity]]
) -> list[FieldError]:
    errors: list[FieldError] = []
    problems_of = resource_names.resource_problems
    if kind in ("Pod", "Container"):
        problems_of = resource_names.container_resource_problems
    amounts[part] = {}
    for name, amount in sorted((item.get(part) or {}).items()):
        shown = internal_json.text(name)
        errors += field.invalids(f"{path}.{part}[{name}]", shown, problems_of(name))
        amounts[part][name] = quantity.of(amount)
    return errors


def _validate_order(
    name: str, amounts: dict[str, dict[str, Quantity]], path: str
) -> list[FieldError]:
    errors = []
    for low, high, where, shown, words in _ORDERED:
        less, more = (amounts.get(part, {}).get(name) for part in (low, high))
        if less is not None and more is not None and less > more:
            detail = words.format(less.canonical, more.canonical)
            value = amounts[shown][name].canonical
            errors.append(field.invalid(f"{path}.{where}[{name}]", value, detail))
    return errors


def _validate_ratio(
    name: str, amounts: dict[str, dict[str, Quantity]], path: str
) -> list[FieldError]:
    at = f"{path}.maxLimitRequestRatio[{name}]"
    ratio = amounts["maxLimitRequestRatio"].get(name)
    if ratio is None:
        return []
    shown, errors = ratio.canonical, []
    if ratio < _ONE:
        errors.append(field.invalid(at, shown, f"ratio {shown} is less than 1"))
    low, high = amounts["min"].get(name), amounts["max"].get(name)
    if low is None or high is None or low.is_zero:
        return errors
    value, least, most = float(ratio.value), low.value, high.value
    if all(each.value < _MOST_MILLI for each in (ratio, low, high)):
        value, least, most = ratio.milli_value / 1000, low.milli_value, high.milli_value
    if value > most / least:
        detail = f"ratio {shown} is greater than max/min = {most / least:f}"
        errors.append(field.invalid(at, shown, detail))
    return errors


def _validate_no_overcommit(
    name: str, amounts: dict[str, dict[str, Quantity]], path: str
) -> list[FieldError]:
    limit = amounts.get("default", {}).get(name)
    request = amounts.get("defaultRequest", {}).get(name)
    if limit is None or request is None or limit == request:
        return []
    if resource_names.is_overcommit_allowed(name):
        return []
    detail = (
        f"default value {limit.canonical} must equal to defaultRequest value {request.canonical} "
        f"in {name}"
    )
    return [field.invalid(f"{path}.defaultRequest[{name}]", request.canonical, detail)]


KIND: Final = Kind(
    group="",
    version="v1",
    kind="LimitRange",
    plural="limitranges",
    short_names=("limits",),
    declared=Behavior(
        default=_default,
        empty_lists=(("spec", "limits"),),
        validate=_validate,
        validate_update={"": _validate_update},
        validates_metadata=("",),
        create_on_update=True,
        generates_name=True,
    ),
)
