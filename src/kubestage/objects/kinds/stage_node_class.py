"""What the API does to a StageNodeClass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.objects import distributions, own_definitions
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.validation import field, resources, structural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_PARTS: Final = ("apiVersion", "kind", "metadata", "spec", "status")
_DELAYS: Final = ("registrationDelay", "initializationDelay")


def _validate(obj: Json) -> list[FieldError]:
    errors = [field.forbidden(name, "unknown field") for name in obj if name not in _PARTS]
    spec = obj.get("spec") or {}
    schema = own_definitions.schema("stagenodeclasses", "spec")
    errors += structural.validate_strictly(schema, spec, "spec")
    return errors or list(_of_meaning(spec))


def _validate_update(new: Json, _: Json) -> list[FieldError]:
    return _validate(new)


def _validate_status(new: Json, _: Json) -> list[FieldError]:
    if new.get("status") is None:
        return []
    schema = own_definitions.schema("stagenodeclasses", "status")
    return structural.validate_strictly(schema, new["status"], "status")


def _of_meaning(spec: Json) -> Iterator[FieldError]:
    """What is wrong with a spec whose shape is right."""
    for name, amount in (spec.get("overhead") or {}).items():
        yield from resources.validate_amount(name, amount, f"spec.overhead.{name}")
    for name in _DELAYS:
        if name in spec:
            try:
                distributions.parse(spec[name])
            except InputError as error:
                text = f"{error.problem}; {error.fix}"
                yield field.invalid(f"spec.{name}", spec[name], text)
    for number, each in enumerate(spec.get("insufficientCapacity") or ()):
        path = f"spec.insufficientCapacity[{number}]"
        errors = list(_durations(each, path, "from", "until"))
        yield from errors or _of_period(each, path)
    spot = spec.get("spot") or {}
    yield from _durations(spot, "spec.spot", "notice")
    for number, each in enumerate(spot.get("interruptions") or ()):
        yield from _durations(each, f"spec.spot.interruptions[{number}]", "at")


def _of_period(holder: Json, path: str) -> Iterator[FieldError]:
    begin, end = holder.get("from"), holder.get("until")
    if end is not None and durations.parse_duration(end) <= durations.parse_duration(begin or "0s"):
        yield field.invalid(f"{path}.until", end, f"must be after its beginning, {begin or '0s'}")


def _durations(holder: Json, path: str, *names: str) -> Iterator[FieldError]:
    for name in names:
        if name not in holder:
            continue
        try:
            is_negative = durations.parse_duration(holder[name]) < 0
        except ValueError:
            yield field.invalid(f"{path}.{name}", holder[name], "write a duration, as in 90s or 2h")
        else:
            if is_negative:
                yield field.invalid(f"{path}.{name}", holder[name], "must not be negative")


KIND: Final = Kind(
    group="kubestage.dev",
    version="v1alpha1",
    kind="StageNodeClass",
    plural="stagenodeclasses",
    namespaced=False,
    short_names=("snc",),
    categories=("karpenter",),
    subresources=frozenset({"status"}),
    declared=Behavior(
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        unconditional_update=False,
    ),
)
