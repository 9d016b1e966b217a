"""What type an expression is of, and what may stand where."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from kubestage.promql import mistakes, nodes
from kubestage.promql.signatures import SIGNATURES

if TYPE_CHECKING:
    from kubestage.promql.nodes import Node, ValueType

SET_OPERATORS = ("and", "or", "unless")
COMPARISONS = ("==", "!=", "<=", "<", ">=", ">")
_TOLD = {
    "scalar": "scalar",
    "vector": "instant vector",
    "matrix": "range vector",
    "string": "string",
}


def of(node: Node) -> ValueType:
    """The type of what an expression comes to."""
    if isinstance(node, nodes.Number):
        return "scalar"
    if isinstance(node, nodes.Text):
        return "string"
    if isinstance(node, nodes.Range | nodes.Subquery):
        return "matrix"
    if isinstance(node, nodes.Call):
        return SIGNATURES[node.function].gives
    if isinstance(node, nodes.Negation | nodes.Group):
        return of(node.inner)
    if isinstance(node, nodes.Binary):
        both = {of(node.left), of(node.right)}
        return "scalar" if both == {"scalar"} else "vector"
    return "vector"


def demand(text: str, node: Node, wanted: ValueType, where: str) -> None:
    """Refuse an expression of another type."""
    got = of(node)
    if got != wanted:
        raise mistakes.at(
            text,
            node.at,
            f"parse error: expected type {_TOLD[wanted]} in {where}, got {_TOLD[got]}",
            fix="give it a range such as [5m]"
            if (wanted, got) == ("matrix", "vector")
            else "put rate(...) or another function over time around it"
            if (wanted, got) == ("vector", "matrix")
            else None,
        )


def check_call(text: str, call: nodes.Call) -> None:
    """Refuse a call of a function that is not there, or with other arguments than it takes."""
    signature = SIGNATURES.get(call.function)
    if signature is None:
        close = difflib.get_close_matches(call.function, list(SIGNATURES), 1)
        raise mistakes.at(
            text,
            call.at,
            f'parse error: unknown function with name "{call.function}"',
            fix=f"did you mean {close[0]!r}?" if close else None,
        )
    most, given = len(signature.takes), len(call.arguments)
    least = most - signature.optional
    if given < least or (given > most and not signature.is_open):
        exact = least == most and not signature.is_open
        amount = "" if exact else "at least " if given < least else "at most "
        raise mistakes.at(
            text,
            call.at,
            f"parse error: expected {amount}{least if given < least else most} argument(s) in "
            f'call to "{call.function}", got {given}',
        )
    for index, argument in enumerate(call.arguments):
        wanted = signature.takes[min(index, most - 1)]
        demand(text, argument, wanted, f'call to function "{call.function}"')


def check_binary(text: str, node: nodes.Binary) -> None:
    """Refuse sides that do not go together."""
    left, right = of(node.left), of(node.right)
    for side, kind in ((node.left, left), (node.right, right)):
        if kind not in ("scalar", "vector"):
            raise mistakes.at(
                text,
                side.at,
                "parse error: binary expression must contain only scalar and instant vector types",
            )
    both_scalar = left == right == "scalar"
    if node.operator in COMPARISONS and both_scalar and not node.is_bool:
        raise mistakes.at(
            text, node.at, "parse error: comparisons between scalars must use BOOL modifier"
        )
    if node.is_bool and node.operator not in COMPARISONS:
        raise mistakes.at(
            text, node.at, "parse error: bool modifier can only be used on comparison operators"
        )
    if node.operator in SET_OPERATORS and "scalar" in (left, right):
        raise mistakes.at(
            text,
            node.at,
            f'parse error: set operator "{node.operator}" not allowed in binary scalar expression',
        )
    if node.matching.labels and "scalar" in (left, right):
        raise mistakes.at(
            text, node.at, "parse error: vector matching only allowed between instant vectors"
        )
    if node.operator in SET_OPERATORS and node.matching.many:
        raise mistakes.at(
            text, node.at, f'parse error: no grouping allowed for "{node.operator}" operation'
        )
    for label in node.matching.include:
        if node.matching.is_on and label in node.matching.labels:
            raise mistakes.at(
                text,
                node.at,
                f'parse error: label "{label}" must not occur in ON and GROUP clause at once',
            )
