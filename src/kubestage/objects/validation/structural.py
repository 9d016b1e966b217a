"""Values against the structural schema of one of our own kinds, in the API server's words.

The schema is checked as that of a CustomResourceDefinition is (`custom.value_check`). What is found
comes in the order of the value's fields. A server drops fields that a schema does not have; here
they stay, or are refused.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects.custom import findings, list_types
from kubestage.objects.custom.nodes import Node
from kubestage.objects.custom.value_check import Check
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.custom.findings import SchemaFinding
    from kubestage.objects.validation.field import FieldError

# By the identity of the schema, which is kept so that the number stays its own.
_compiled: Final[dict[int, tuple[Json, Check, Node]]] = {}


def validate(schema: Json, value: Any, path: str) -> list[FieldError]:
    """All that is wrong with a value, in the order of its fields; then duplicate elements."""
    check, node = _compile(schema)
    found = list(check.validate(value, path).found.values())
    if len(found) > 1:
        places = {each: number for number, each in enumerate(_paths(value, path))}
        found.sort(key=lambda each: _place(places, each))
    return [_error(each) for each in found] + list_types.validate(value, node, path)


def validate_strictly(schema: Json, value: Any, path: str) -> list[FieldError]:
    """As `validate`; fields that the schema does not have are refused too, and come last."""
    _, node = _compile(schema)
    return validate(schema, value, path) + _unknown(node, value, path)


def _compile(schema: Json) -> tuple[Check, Node]:
    known = _compiled.get(id(schema))
    if known is None:
        known = _compiled[id(schema)] = (schema, Check(schema, exact_integers=True), Node(schema))
    return known[1], known[2]


def _paths(value: Any, path: str) -> Iterator[str]:
    """The path of a value, and those of all that it holds, in order."""
    yield path
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _paths(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _paths(item, f"{path}[{index}]")


def _place(places: dict[str, int], finding: SchemaFinding) -> int:
    """Where a finding comes: a field that is missing, with the object that should have it."""
    name = finding.name.removeprefix(".")
    return places.get(name, places.get(name.rpartition(".")[0], 0))


def _error(finding: SchemaFinding) -> FieldError:
    if finding.code is findings.FindingCode.GENERAL and finding.name:
        return field.invalid(finding.name, finding.value, finding.message)
    error = findings.field_error(finding)
    # Of the whole value, whose path the caller knows.
    return error if finding.name else msgspec.structs.replace(error, field="")


def _unknown(node: Node, value: Any, path: str) -> list[FieldError]:
    """The fields that a schema does not have, of values of the right type."""
    found: list[FieldError] = []
    if isinstance(value, list) and node.items is not None:
        for index, item in enumerate(value):
            found += _unknown(node.items, item, f"{path}[{index}]")
    if not isinstance(value, dict) or node.type != "object":
        return found
    for name, item in value.items():
        below = node.field(name)
        if below is None:
            if not node.preserves:
                found.append(_unknown_field(node, name, f"{path}.{name}" if path else name))
        elif isinstance(item, (dict, list)):
            found += _unknown(below, item, f"{path}.{name}" if path else name)
    return found


def _unknown_field(node: Node, name: str, path: str) -> FieldError:
    near = difflib.get_close_matches(name, node.properties, n=1, cutoff=0.7)
    hint = f"; did you mean {near[0]}?" if near else ""
    return field.forbidden(path, f"unknown field{hint}")
