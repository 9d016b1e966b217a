"""Values against the structural schema of a custom resource, in the API server's words.

Covers what our own definitions and most others say: types, formats of integers, enumerations,
bounds, patterns, required fields, and keys of lists that are maps. A server drops fields that a
schema does not have; here they stay, or are refused.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_TYPES: Final[dict[type, str]] = {
    dict: "object", list: "array", str: "string", bool: "boolean",
    int: "integer", float: "number", type(None): "null",
}  # fmt: skip
_INTEGERS: Final = {"int32": 2**31, "int64": 2**63}
_FREE: Final = "x-kubernetes-preserve-unknown-fields"


def validate(schema: Json, value: Any, path: str) -> list[FieldError]:
    """All that is wrong with a value, in the order of its fields; then elements that are twice."""
    found = _Findings()
    found.judge(schema, value, path)
    return found.broken + found.duplicates


def validate_strictly(schema: Json, value: Any, path: str) -> list[FieldError]:
    """As `validate`; fields that the schema does not have are refused too, and come last."""
    found = _Findings()
    found.judge(schema, value, path)
    return found.broken + found.duplicates + found.unknown


class _Findings:
    """What one walk over a value finds."""

    def __init__(self) -> None:
        self.broken: list[FieldError] = []
        self.duplicates: list[FieldError] = []
        self.unknown: list[FieldError] = []

    def judge(self, schema: Json, value: Any, path: str) -> None:
        """Look at a value and at all that it holds."""
        if value is None and schema.get("nullable"):
            return
        found = _TYPES.get(type(value), type(value).__name__)
        wanted = schema["type"]
        if found != wanted and not (wanted == "number" and found == "integer"):
            detail = f'{path} in body must be of type {wanted}: "{found}"'
            self.broken.append(field.FieldError(field.ErrorType.TYPE_INVALID, path, found, detail))
        elif wanted == "object":
            self._judge_object(schema, value, path)
        elif wanted == "array":
            self._judge_list(schema, value, path)
        else:
            self.broken += _limits(schema, value, path)

    def _judge_object(self, schema: Json, value: Json, path: str) -> None:
        for name in schema.get("required", ()):
            if name not in value:
                self.broken.append(field.required(_join(path, name)))
        known, others = schema.get("properties"), schema.get("additionalProperties")
        is_free = _FREE in schema
        if known is None and is_free:
            return
        known = known or {}
        for name, item in value.items():
            each = known.get(name, others)
            if each is not None:
                self.judge(each, item, _join(path, name))
            elif not is_free:
                self.unknown.append(_unknown(known, name, _join(path, name)))

    def _judge_list(self, schema: Json, value: list[Any], path: str) -> None:
        items = schema["items"]
        for index, item in enumerate(value):
            self.judge(items, item, f"{path}[{index}]")
        if schema.get("x-kubernetes-list-type") != "map":
            return
        keys = schema["x-kubernetes-list-map-keys"]
        seen: set[str] = set()
        for index, item in enumerate(value):
            if isinstance(item, dict):
                named = {key: item[key] for key in keys if key in item}
                if repr(named) in seen:
                    self.duplicates.append(field.duplicate(f"{path}[{index}]", named))
                seen.add(repr(named))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _unknown(known: Json, name: str, path: str) -> FieldError:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    hint = f"; did you mean {near[0]}?" if near else ""
    return field.forbidden(path, f"unknown field{hint}")


def _limits(schema: Json, value: Any, path: str) -> Iterator[FieldError]:
    """What is wrong with a value of the right type that holds no others."""
    choices = schema.get("enum")
    if choices is not None and value not in choices:
        yield field.not_supported(path, value, choices)
    bound = _INTEGERS.get(schema.get("format", ""))
    if bound is not None and not -bound <= value < bound:
        kind = f"{schema['type']} with format {schema['format']}"
        yield field.invalid(path, value, f"Checked value must be of type {kind} in {path}")
    else:
        yield from _bounds(schema, value, path)
    pattern = schema.get("pattern")
    if pattern is not None and re.search(pattern, value) is None:
        yield field.invalid(path, value, f"{path} in body should match '{pattern}'")


def _bounds(schema: Json, value: Any, path: str) -> Iterator[FieldError]:
    low, high = schema.get("minimum"), schema.get("maximum")
    told = None
    if low is not None and schema.get("exclusiveMinimum") and value <= low:
        told = f"greater than {low}"
    elif low is not None and value < low:
        told = f"greater than or equal to {low}"
    elif high is not None and schema.get("exclusiveMaximum") and value >= high:
        told = f"less than {high}"
    elif high is not None and value > high:
        told = f"less than or equal to {high}"
    if told is not None:
        yield field.invalid(path, value, f"{path} in body should be {told}")
