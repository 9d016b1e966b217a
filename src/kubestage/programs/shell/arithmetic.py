"""Whole numbers, as ``$((...))`` and ``expr`` compute them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.errors import Unmodelled

if TYPE_CHECKING:
    from collections.abc import Callable

_TOKEN: Final = re.compile(r"\s*(\d+|[A-Za-z_]\w*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%()<>!&|^])")
_LEVELS: Final = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"),
    ("+", "-"), ("*", "/", "%"),
)  # fmt: skip


def evaluate(text: str, value_of: Callable[[str], str]) -> int:
    """The value of an expression; names are variables, and those that are not set are zero."""
    tokens, at = [], 0
    stripped = text.strip()
    while at < len(stripped):
        found = _TOKEN.match(stripped, at)
        if found is None:
            raise Unmodelled(f"the arithmetic {text!r}")
        tokens.append(found[1])
        at = found.end()
    reader = _Reader(tokens, value_of)
    value = reader.level(0) if tokens else 0
    if reader.tokens:
        raise Unmodelled(f"the arithmetic {text!r}")
    return value


class _Reader:
    def __init__(self, tokens: list[str], value_of: Callable[[str], str]) -> None:
        self.tokens = tokens
        self._value_of = value_of

    def level(self, number: int) -> int:
        if number == len(_LEVELS):
            return self._operand()
        left = self.level(number + 1)
        while self.tokens and self.tokens[0] in _LEVELS[number]:
            operator = self.tokens.pop(0)
            left = combined(left, operator, self.level(number + 1))
        return left

    def _operand(self) -> int:
        if not self.tokens:
            raise Unmodelled("arithmetic that ends early")
        token = self.tokens.pop(0)
        if token == "(":
            value = self.level(0)
            if not self.tokens or self.tokens.pop(0) != ")":
                raise Unmodelled("arithmetic with a parenthesis that is not closed")
            return value
        if token in ("-", "+", "!"):
            value = self._operand()
            return {"-": -value, "+": value, "!": int(not value)}[token]
        if token.isdigit():
            return int(token)
        text = self._value_of(token).strip()
        if re.fullmatch(r"-?\d+", text):
            return int(text)
        if text:
            raise Unmodelled(f"arithmetic with {text!r}")
        return 0


def combined(left: int, operator: str, right: int) -> int:
    """Two numbers and what is between them."""
    if operator in ("/", "%"):
        if right == 0:
            raise Unmodelled("a division by zero")
        quotient = abs(left) // abs(right)
        quotient = quotient if (left < 0) == (right < 0) else -quotient
        return quotient if operator == "/" else left - quotient * right
    if operator in ("<<", ">>") and not 0 <= right < 64:
        raise Unmodelled("a shift that is too far")
    results: dict[str, Callable[[], int]] = {
        "+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right,
        "<": lambda: int(left < right), ">": lambda: int(left > right),
        "<=": lambda: int(left <= right), ">=": lambda: int(left >= right),
        "==": lambda: int(left == right), "!=": lambda: int(left != right),
        "&&": lambda: int(bool(left and right)), "||": lambda: int(bool(left or right)),
        "&": lambda: left & right, "|": lambda: left | right, "^": lambda: left ^ right,
        "<<": lambda: left << right, ">>": lambda: left >> right,
    }  # fmt: skip
    value = results[operator]()
    return (value + 2**63) % 2**64 - 2**63
