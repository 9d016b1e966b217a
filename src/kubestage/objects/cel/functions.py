"""What Kubernetes adds to CEL for selectors: quantities, versions and regular expressions.

In an expression a quantity or a version is a value of its own. On its way through the CEL library
it is a map with one entry, a tag and a text, which is the same for equal values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.golang import regexp
from kubestage.objects import quantity
from kubestage.objects.cel import semver
from kubestage.objects.cel.semver import Version
from kubestage.objects.quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.golang.regexp import Regexp

QUANTITY: Final = "kubernetes.Quantity"
SEMVER: Final = "kubernetes.Semver"
STRING, BOOL, INT, DOUBLE, STRINGS = "string", "bool", "int", "double", "list(string)"

NO_OVERLOAD: Final = "no such overload"
_INT64_BITS: Final = 63
_MAX_MATCHES: Final = -1

Parameters = tuple[str, ...]


class Function(msgspec.Struct, frozen=True):
    """A function by name: its overloads (id, parameters), what it returns, and how."""

    name: str
    is_member: bool
    overloads: tuple[tuple[str, Parameters], ...]
    result: str
    call: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Any:
        """The result for arguments as the library hands them over."""
        return encoded(self.call(*map(decoded, arguments)))


def encoded(value: Any) -> Any:
    """A value as the library carries it."""
    if isinstance(value, Version):
        return {SEMVER: str(value)}
    if not isinstance(value, Quantity):
        return value
    unscaled, scale = value.unscaled, value.scale
    while unscaled and unscaled % 10 == 0:
        unscaled, scale = unscaled // 10, scale + 1
    return {QUANTITY: f"{unscaled}e{scale if unscaled else 0}"}


def decoded(value: Any) -> Any:
    """What a value stands for."""
    if isinstance(value, dict) and len(value) == 1:
        ((tag, text),) = value.items()
        if tag == SEMVER:
            return semver.parse(text)
        if tag == QUANTITY:
            unscaled, _, scale = text.partition("e")
            number = int(unscaled)
            return Quantity(number, int(scale), number.bit_length() > _INT64_BITS)
    return value


def kind_of(value: Any) -> str:
    """The CEL type of a carried value that is a quantity or a version; otherwise ''."""
    plain = decoded(value)
    if isinstance(plain, Quantity):
        return QUANTITY
    return SEMVER if isinstance(plain, Version) else ""


def _same_kind(one: Any, other: Any) -> None:
    if not isinstance(one, Quantity | Version) or type(one) is not type(other):
        raise ValueError(NO_OVERLOAD)


def _is_greater(one: Any, other: Any) -> bool:
    _same_kind(one, other)
    return bool(one > other)


def _is_less(one: Any, other: Any) -> bool:
    _same_kind(one, other)
    return bool(one < other)


def _compare(one: Any, other: Any) -> int:
    _same_kind(one, other)
    return int(one > other) - int(one < other)


def _is_valid(parse: Callable[[str], Any]) -> Callable[..., bool]:
    def answer(*arguments: Any) -> bool:
        try:
            parse(*arguments)
        except ValueError:
            return False
        return True

    return answer


def _as_integer(amount: Quantity) -> int:
    number, exact = amount.as_int64()
    if not exact:
        raise ValueError("cannot convert value to integer")
    return number


def _add(amount: Quantity, other: Quantity | int) -> Quantity:
    return amount + (quantity.from_int(other) if isinstance(other, int) else other)


def _sub(amount: Quantity, other: Quantity | int) -> Quantity:
    return amount - (quantity.from_int(other) if isinstance(other, int) else other)


def _semver(text: str, normalize: bool = False) -> Version:
    return semver.parse_tolerant(text) if normalize else semver.parse(text)


def _find(text: str, pattern: str) -> str:
    return _compiled(pattern).find(text)


def _find_all(text: str, pattern: str, limit: int = _MAX_MATCHES) -> list[str]:
    return _compiled(pattern).find_all(text, limit)


def _compiled(pattern: str) -> Regexp:
    try:
        return regexp.compile_pattern(pattern)
    except regexp.RegexpError as problem:
        raise ValueError(f"Illegal regex: {problem}") from None


def _both(name: str) -> tuple[tuple[str, Parameters], ...]:
    return (
        (f"quantity_{name}", (QUANTITY, QUANTITY)),
        (f"semver_{name}", (SEMVER, SEMVER)),
    )


def _with_int(name: str) -> tuple[tuple[str, Parameters], ...]:
    return (
        (f"quantity_{name}", (QUANTITY, QUANTITY)),
        (f"quantity_{name}_int", (QUANTITY, INT)),
    )


FUNCTIONS: Final = (
    Function("quantity", False, (("string_to_quantity", (STRING,)),), QUANTITY, quantity.parse),
    Function(
        "isQuantity", False, (("is_quantity_string", (STRING,)),), BOOL, _is_valid(quantity.parse)
    ),
    Function("sign", False, (("quantity_sign", (QUANTITY,)),), INT, lambda amount: amount.sign),
    Function("isGreaterThan", True, _both("is_greater_than"), BOOL, _is_greater),
    Function("isLessThan", True, _both("is_less_than"), BOOL, _is_less),
    Function("compareTo", True, _both("compare_to"), INT, _compare),
    Function(
        "asApproximateFloat",
        True,
        (("quantity_get_float", (QUANTITY,)),),
        DOUBLE,
        lambda amount: amount.unscaled * 10.0**amount.scale,
    ),
    Function("asInteger", True, (("quantity_get_int", (QUANTITY,)),), INT, _as_integer),
    Function(
        "isInteger",
        True,
        (("quantity_is_integer", (QUANTITY,)),),
        BOOL,
        lambda amount: amount.as_int64()[1],
    ),
    Function("add", True, _with_int("add"), QUANTITY, _add),
    Function("sub", True, _with_int("sub"), QUANTITY, _sub),
    Function(
        "semver",
        False,
        (("string_to_semver", (STRING,)), ("string_bool_to_semver", (STRING, BOOL))),
        SEMVER,
        _semver,
    ),
    Function(
        "isSemver",
        False,
        (("is_semver_string", (STRING,)), ("is_semver_string_bool", (STRING, BOOL))),
        BOOL,
        _is_valid(_semver),
    ),
    Function("major", True, (("semver_major", (SEMVER,)),), INT, lambda version: version.major),
    Function("minor", True, (("semver_minor", (SEMVER,)),), INT, lambda version: version.minor),
    Function("patch", True, (("semver_patch", (SEMVER,)),), INT, lambda version: version.patch),
    Function("find", True, (("string_find_string", (STRING, STRING)),), STRING, _find),
    Function(
        "findAll",
        True,
        (
            ("string_find_all_string", (STRING, STRING)),
            ("string_find_all_string_int", (STRING, STRING, INT)),
        ),
        STRINGS,
        _find_all,
    ),
)
