"""``test`` and ``expr``: conditions on texts, numbers and files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.programs.shell import arithmetic
from kubestage.programs.tree import DIRECTORY, LINK, FileError

if TYPE_CHECKING:
    from kubestage.programs.calls import Call
    from kubestage.programs.commands import Run

_NUMBERS: Final = {
    "-eq": "==", "-ne": "!=", "-lt": "<", "-le": "<=", "-gt": ">", "-ge": ">=",
}  # fmt: skip
_FILES: Final = frozenset("efdrwxsLh")


def condition(call: Call) -> int:
    """``test``, ``[`` and the simple forms of ``[[``."""
    words = list(call.arguments)
    closing = {"[": "]", "[[": "]]"}.get(call.name)
    if closing is not None:
        if words[-1:] != [closing]:
            return call.complain(f"missing {closing}") + 1
        words.pop()
    return 0 if _either(call, words) else 1


def _either(call: Call, words: list[str]) -> bool:
    for mark in ("-o", "-a"):
        if mark in words[1:-1] and len(words) > 3:
            at = words.index(mark, 1)
            left, right = _either(call, words[:at]), _either(call, words[at + 1 :])
            return left or right if mark == "-o" else left and right
    if words[:1] == ["!"]:
        return not _either(call, words[1:])
    return _one(call, words)


def _one(call: Call, words: list[str]) -> bool:
    if not words:
        return False
    if len(words) == 1:
        return bool(words[0])
    if len(words) == 2:
        return _unary(call, *words)
    if len(words) != 3:
        raise call.unmodelled()
    left, operator, right = words
    if operator in ("=", "=="):
        return left == right
    if operator == "!=":
        return left != right
    if operator in _NUMBERS:
        if not all(re.fullmatch(r"\s*-?\d+\s*", each) for each in (left, right)):
            raise call.unmodelled()
        return bool(arithmetic.combined(int(left), _NUMBERS[operator], int(right)))
    raise call.unmodelled()


def _unary(call: Call, operator: str, operand: str) -> bool:
    if operator == "-n":
        return bool(operand)
    if operator == "-z":
        return not operand
    if operator[:1] != "-" or operator[1:] not in _FILES:
        raise call.unmodelled()
    letter = operator[1]
    try:
        node = call.files.find(call.path(operand), follows=letter not in "Lh")
    except FileError:
        return False
    if letter == "f":
        return node.kind not in (DIRECTORY, LINK)
    if letter in "rwx":
        return node.allows(call.files.user, {"r": 4, "w": 2, "x": 1}[letter])
    return {
        "e": True, "d": node.kind == DIRECTORY, "s": node.size > 0, "L": node.kind == LINK,
        "h": node.kind == LINK,
    }[letter]  # fmt: skip


def expr(call: Call) -> int:
    """``expr``: two numbers and an operator."""
    if len(call.arguments) != 3:
        raise call.unmodelled()
    left, operator, right = call.arguments
    known = ("+", "-", "*", "/", "%", "<", ">", "<=", ">=", "!=", "=")
    if operator not in known or not all(re.fullmatch(r"-?\d+", each) for each in (left, right)):
        raise call.unmodelled()
    value = arithmetic.combined(int(left), "==" if operator == "=" else operator, int(right))
    call.print(f"{value}\n")
    return 0 if value else 1


TESTING: Final[dict[str, Run]] = {"[": condition, "[[": condition, "expr": expr, "test": condition}
