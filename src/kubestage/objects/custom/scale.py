"""Replicas of a custom resource, at the paths that its definition names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import MalformedValue
from kubestage.golang import formatting
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from kubestage.aliases import Json

_MAX: Final = 2**31 - 1


class ScaleError(MalformedValue):
    """A value at one of the paths is of a wrong type; the message is the API server's."""


def nested(obj: Json, path: str, expected: type) -> Any:
    """The value at a path, None if there is none; ScaleError if it is of another type."""
    names = path.removeprefix(".").split(".")
    at: Any = obj
    for index, name in enumerate(names):
        holder = at
        if type(holder) is not dict:
            where = ".".join(("", *names[: index + 1]))
            shown = formatting.show(holder)
            raise ScaleError(
                f"{where} accessor error: {shown} is of the type {_type_name(holder)}, "
                "expected map[string]interface{}"
            )
        at = holder.get(name)
        if at is None and (index + 1 < len(names) or name not in holder):
            return None
    if type(at) is not expected:
        go_name = "int64" if expected is int else "string"
        raise ScaleError(
            f".{'.'.join(names)} accessor error: {formatting.show(at)} is of the type "
            f"{_type_name(at)}, expected {go_name}"
        )
    return at


def _type_name(value: Any) -> str:
    return "<nil>" if value is None else formatting.type_name(value)


def validate(obj: Json, scale: Json, *, spec: bool) -> list[field.FieldError]:
    """What is wrong with the replicas and the selector that a scale would show."""
    errors = _validate_count(obj, scale["specReplicasPath"]) if spec else []
    errors += _validate_count(obj, scale["statusReplicasPath"])
    selector = scale.get("labelSelectorPath")
    if selector is not None:
        try:
            nested(obj, selector, str)
        except ScaleError as error:
            errors.append(field.invalid(selector, "", str(error)))
    return errors


def _validate_count(obj: Json, path: str) -> list[field.FieldError]:
    try:
        count = nested(obj, path, int) or 0
    except ScaleError as error:
        return [field.invalid(path, 0, str(error))]
    if count < 0:
        return [field.invalid(path, count, "should be a non-negative integer")]
    if count > _MAX:
        return [field.invalid(path, count, f"should be less than or equal to {_MAX}")]
    return []
