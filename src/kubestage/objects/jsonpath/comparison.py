"""How filters compare: only values of one basic kind, as Go's templates do."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.jsonpath.failures import JSONPathError

if TYPE_CHECKING:
    from collections.abc import Callable

_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_BASIC: Final = (bool, int, float, str)


def compare(sign: str, left: Any, right: Any) -> bool:
    """Whether two values stand in a relation."""
    relation = _COMPARE.get(sign)
    if relation is None:
        raise JSONPathError(f"unrecognized filter operator {sign}")
    if type(left) not in _BASIC or type(right) not in _BASIC:
        raise JSONPathError("invalid type for comparison")
    if type(left) is not type(right):
        raise JSONPathError("incompatible types for comparison")
    if isinstance(left, bool) and sign not in ("==", "!="):
        raise JSONPathError("invalid type for comparison")
    if isinstance(left, str):
        left, right = left.encode(), right.encode()
    return relation(left, right)
