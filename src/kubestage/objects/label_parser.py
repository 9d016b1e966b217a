"""The query language of label selectors: ``app=web,tier in (fe, be),!canary``."""

from __future__ import annotations

import re
from typing import Final

from kubestage.objects import label_requirement
from kubestage.objects.label_requirement import (
    BINARY_OPERATORS,
    DOES_NOT_EXIST,
    DOUBLE_EQUALS,
    EQUALS,
    EXISTS,
    GREATER_THAN,
    IN,
    LESS_THAN,
    NOT_EQUALS,
    NOT_IN,
    Requirement,
    SelectorError,
)

# A NUL ends a token, as the end of the text does; alone, it ends the selector.
_TOKEN: Final = re.compile(r"[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>\0]+))\0?")
_OPERATORS: Final = {
    "in": IN, "notin": NOT_IN, "=": EQUALS, "==": DOUBLE_EQUALS, "!=": NOT_EQUALS,
    ">": GREATER_THAN, "<": LESS_THAN,
}  # fmt: skip
_END: Final = ("", "")


def parse(text: str) -> list[Requirement]:
    """The requirements in the order of the text."""
    tokens = _Tokens(text)
    requirements: list[Requirement] = []
    while True:
        symbol, literal = tokens.peek()
        if (symbol, literal) == _END:
            return requirements
        if symbol not in ("", "!"):
            raise SelectorError(f"found '{literal}', expected: !, identifier, or 'end of string'")
        try:
            requirements.append(_requirement(tokens))
        except SelectorError as error:
            raise SelectorError(f"unable to parse requirement: {error}") from None
        symbol, literal = tokens.take()
        if (symbol, literal) == _END:
            return requirements
        if symbol != ",":
            raise SelectorError(f"found '{literal}', expected: ',' or 'end of string'")
        symbol, literal = tokens.peek()
        if symbol not in ("", "!") or (symbol, literal) == _END:
            raise SelectorError(f"found '{literal}', expected: identifier after ','")


class _Tokens:
    """Tokens as (symbol, text); words have the empty symbol, the end has neither."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        at = 0
        while match := _TOKEN.match(text, at):
            symbol = match[1] or ""
            self._tokens.append((symbol, symbol or match[2]))
            at = match.end()
        self._tokens.append(_END)
        self._at = 0

    def peek(self) -> tuple[str, str]:
        """The next token, left in place."""
        return self._tokens[self._at]

    def take(self) -> tuple[str, str]:
        """The next token."""
        self._at += 1
        return self._tokens[self._at - 1]


def _requirement(tokens: _Tokens) -> Requirement:
    symbol, key = tokens.take()
    absent = symbol == "!"
    if absent:
        symbol, key = tokens.take()
    if symbol or not key:
        raise SelectorError(f"found '{key}', expected: identifier")
    label_requirement.check_key(key)
    if absent or tokens.peek() in (_END, (",", ",")):
        return label_requirement.new(key, DOES_NOT_EXIST if absent else EXISTS, [])
    symbol, literal = tokens.take()
    operator = _OPERATORS.get(literal)
    if operator is None:
        raise SelectorError(f"found '{literal}', expected: {', '.join(BINARY_OPERATORS)}")
    values = _value_set(tokens) if operator in (IN, NOT_IN) else _exact_value(tokens)
    return label_requirement.new(key, operator, sorted(values))


def _value_set(tokens: _Tokens) -> set[str]:
    symbol, literal = tokens.take()
    if symbol != "(":
        raise SelectorError(f"found '{literal}' expected: '('")
    symbol, literal = tokens.peek()
    if symbol == ")":
        tokens.take()
        return {""}
    if symbol not in ("", ",") or (symbol, literal) == _END:
        raise SelectorError(f"found '{literal}', expected: ',', ')' or identifier")
    values = _identifiers(tokens)
    tokens.take()
    return values


def _identifiers(tokens: _Tokens) -> set[str]:
    """Comma-separated words up to the closing parenthesis; a gap stands for the empty word."""
    values: set[str] = set()
    while True:
        symbol, literal = tokens.take()
        following = tokens.peek() if (symbol, literal) != _END else _END
        if symbol == "" and literal:
            values.add(literal)
            if following[0] == ")":
                return values
            if following[0] != ",":
                raise SelectorError(f"found '{following[1]}', expected: ',' or ')'")
        elif symbol == ",":
            if not values or following[0] in (",", ")"):
                values.add("")
            if following[0] == ")":
                return values
        else:
            raise SelectorError(f"found '{literal}', expected: ',', or identifier")


def _exact_value(tokens: _Tokens) -> set[str]:
    if tokens.peek() in (_END, (",", ",")):
        return {""}
    symbol, literal = tokens.take()
    if symbol:
        raise SelectorError(f"found '{literal}', expected: identifier")
    return {literal}
