"""One condition on a set of labels, and how a wrong one is reported.

Label selectors and node selectors are made of these; the operators are the words of the query
language (``in``, ``notin``, ``=``, ...), not those of the API objects.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import MalformedValue
from kubestage.golang import integers, json_encoding
from kubestage.objects.validation import field, names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

IN: Final = "in"
NOT_IN: Final = "notin"
EQUALS: Final = "="
DOUBLE_EQUALS: Final = "=="
NOT_EQUALS: Final = "!="
GREATER_THAN: Final = "gt"
LESS_THAN: Final = "lt"
EXISTS: Final = "exists"
DOES_NOT_EXIST: Final = "!"

BINARY_OPERATORS: Final = (
    IN, NOT_IN, EQUALS, DOUBLE_EQUALS, NOT_EQUALS, GREATER_THAN, LESS_THAN,
)  # fmt: skip
OPERATORS: Final = (*BINARY_OPERATORS, EXISTS, DOES_NOT_EXIST)

_is_integer: Final = re.compile("[+-]?[0-9]+", re.ASCII).fullmatch
_SIGNS: Final = {
    EQUALS: "=", DOUBLE_EQUALS: "==", NOT_EQUALS: "!=", GREATER_THAN: ">", LESS_THAN: "<",
}  # fmt: skip


class SelectorError(MalformedValue):
    """A selector that cannot be read; ``problems`` are the single messages behind the text."""

    def __init__(self, *problems: str) -> None:
        super().__init__(aggregate(problems))
        self.problems = problems


def aggregate(problems: Iterable[str]) -> str:
    """Several messages as one, each once, in the API's brackets."""
    unique = list(dict.fromkeys(problems))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"


class Requirement(msgspec.Struct, frozen=True, gc=False):
    """A key, an operator, and the values that relate them."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.operator == EXISTS:
            return self.key
        if self.operator == DOES_NOT_EXIST:
            return f"!{self.key}"
        values = ",".join(sorted(self.values))
        if self.operator in (IN, NOT_IN):
            return f"{self.key} {self.operator} ({values})"
        return f"{self.key}{_SIGNS[self.operator]}{values}"


def new(key: str, operator: str, values: Sequence[str] | None, path: str = "") -> Requirement:
    """A requirement that keeps every rule, or ``SelectorError`` with all it breaks."""
    errors = [*_key_errors(key, _child(path, "key"))]
    values_path = _child(path, "values")
    value_list = values or ()
    problem = _count_problem(operator, len(value_list))
    if problem:
        errors.append(field.invalid(values_path, rendered(values), problem))
    if operator in (GREATER_THAN, LESS_THAN):
        errors.extend(
            field.invalid(
                f"{values_path}[{index}]",
                value,
                "for 'Gt', 'Lt' operators, the value must be an integer",
            )
            for index, value in enumerate(value_list)
            if to_int64(value) is None
        )
    elif operator not in OPERATORS:
        operator_path = _child(path, "operator")
        errors.append(field.not_supported(operator_path, rendered(operator), OPERATORS))
    for index, value in enumerate(value_list):
        problems = names.is_valid_label_value(value)
        if problems:
            where = f"{values_path}[{index}][{key}]"
            errors.append(field.invalid(where, value, "; ".join(problems)))
    if errors:
        raise SelectorError(*map(str, errors))
    return Requirement(key, operator, tuple(value_list))


def check_key(key: str) -> None:
    """Refuse a malformed label key before the rest of its requirement is read."""
    for error in _key_errors(key, "<nil>"):
        raise SelectorError(str(error))


def to_int64(text: str) -> int | None:
    """A decimal int64 as the API reads it, or None."""
    if not _is_integer(text):
        return None
    number = integers.parse(text)
    return number if -(1 << 63) <= number < 1 << 63 else None


def rendered(value: Any) -> field.Rendered:
    """A bad value as the API's JSON encoder shows it: characters of HTML are escaped."""
    return field.Rendered(json_encoding.encode(value).decode())


def _key_errors(key: str, path: str) -> list[field.FieldError]:
    problems = names.is_qualified_name(key)
    return [field.invalid(path, key, "; ".join(problems))] if problems else []


def _count_problem(operator: str, count: int) -> str:
    if operator in (IN, NOT_IN) and count == 0:
        return "for 'in', 'notin' operators, values set can't be empty"
    if operator in (EQUALS, DOUBLE_EQUALS, NOT_EQUALS) and count != 1:
        return "exact-match compatibility requires one single value"
    if operator in (EXISTS, DOES_NOT_EXIST) and count != 0:
        return "values set must be empty for exists and does not exist"
    if operator in (GREATER_THAN, LESS_THAN) and count != 1:
        return "for 'Gt', 'Lt' operators, exactly one value is required"
    return ""


def _child(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
