"""The types of expressions, and which are allowed where."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from kubestage.promql import nodes, query_errors
from kubestage.promql.signatures import SIGNATURES

if TYPE_CHECKING:
    from kubestage.promql.nodes import Node, ValueType

SET_OPERATORS = ("and", "or", "unless")
COMPARISONS = ("==", "!=", "<=", "<", ">=", ">")
_TYPE_NAMES = {
    "scalar": "scalar",
    "vector": "instant vector",
    "matrix": "range vector",
    "string": "string",
}


def value_type(node: Node) -> ValueType:
    """The type of an expression's value."""
    if isinstance(node, nodes.Number):
        return "scalar"
    if isinstance(node, nodes.Text):
        return "string"
    if isinstance(node, nodes.Range | nodes.Subquery):
        return "matrix"
    if isinstance(node, nodes.Call):
        return SIGNATURES[node.function].returns
    if isinstance(node, nodes.Negation | nodes.Group):
        return value_type(node.inner)
    if isinstance(node, nodes.Binary):
        both = {value_type(node.left), value_type(node.right)}
        return "scalar" if both == {"scalar"} else "vector"
    return "vector"


def require_type(text: str, node: Node, expected: ValueType, where: str) -> None:
    """Refuse an expression of another type."""
    got = value_type(node)
    if got != expected:
        raise query_errors.error_at(
            text,
            node.at,
            f"parse error: expected type {_TYPE_NAMES[expected]} in {where}, "
            f"got {_TYPE_NAMES[got]}",
            fix="give it a range such as [5m]"
            if (expected, got) == ("matrix", "vector")
            else "put rate(...) or another function over time around it"
            if (expected, got) == ("vector", "matrix")
            else None,
        )


def check_call(text: str, call: nodes.Call) -> None:
    """Refuse a call of an unknown function, or with wrong arguments."""
    signature = SIGNATURES.get(call.function)
    if signature is None:
        close = difflib.get_close_matches(call.function, list(SIGNATURES), 1)
        raise query_errors.error_at(
            text,
            call.at,
            f'parse error: unknown function with name "{call.function}"',
            fix=f"did you mean {close[0]!r}?" if close else None,
            kind=query_errors.UnknownFunctionError,
        )
    most, count = len(signature.takes), len(call.arguments)
    least = most - signature.optional
    if count < least or (count > most and not signature.is_open):
        exact = least == most and not signature.is_open
        amount = "" if exact else "at least " if count < least else "at most "
        raise query_errors.error_at(
            text,
            call.at,
            f"parse error: expected {amount}{least if count < least else most} argument(s) in "
            f'call to "{call.function}", got {count}',
        )
    for index, argument in enumerate(call.arguments):
        expected = signature.takes[min(index, most - 1)]
        require_type(text, argument, expected, f'call to function "{call.function}"')


def check_binary(text: str, node: nodes.Binary) -> None:
    """Refuse sides whose types do not match."""
    left, right = value_type(node.left), value_type(node.right)
    for side, kind in ((node.left, left), (node.right, right)):
        if kind not in ("scalar", "vector"):
            raise query_errors.error_at(
                text,
                side.at,
                "parse error: binary expression must contain only scalar and instant vector types",
            )
    both_scalar = left == right == "scalar"
    if node.operator in COMPARISONS and both_scalar and not node.is_bool:
        raise query_errors.error_at(
            text, node.at, "parse error: comparisons between scalars must use BOOL modifier"
        )
    if node.is_bool and node.operator not in COMPARISONS:
        raise query_errors.error_at(
            text, node.at, "parse error: bool modifier can only be used on comparison operators"
        )
    if node.operator in SET_OPERATORS and "scalar" in (left, right):
        raise query_errors.error_at(
            text,
            node.at,
            f'parse error: set operator "{node.operator}" not allowed in binary scalar expression',
        )
    if node.matching.labels and "scalar" in (left, right):
        raise query_errors.error_at(
            text, node.at, "parse error: vector matching only allowed between instant vectors"
        )
    if node.operator in SET_OPERATORS and node.matching.many:
        raise query_errors.error_at(
            text, node.at, f'parse error: no grouping allowed for "{node.operator}" operation'
        )
    for label in node.matching.include:
        if node.matching.is_on and label in node.matching.labels:
            raise query_errors.error_at(
                text,
                node.at,
                f'parse error: label "{label}" must not occur in ON and GROUP clause at once',
            )
