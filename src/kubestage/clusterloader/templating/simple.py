"""The simple templates of the vision: ``{{ N+i%5 }}``, ``{{ RAND%3+5 }}``, ``{{ 3+RAND()%5 }}``.

``N`` and ``i`` are the number of the object (the N of ``basename-N``), ``RAND`` or ``RAND()`` is
a random number.
An action is one of these if nothing but whole numbers, these names, ``+``, ``%`` and parentheses
stand in it, and at least one of them is no number; any other is Go's. So no text is both: Go has
neither these names nor these signs.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.clusterloader.templating.numbers import remainder
from kubestage.golang import integers

if TYPE_CHECKING:
    from kubestage.clusterloader.templating.draws import Draws

FUNCTION: Final = "SimpleExpression"
_ACTION: Final = re.compile(r"\{\{(-\s)?([ \tN0-9iRAND+%()]+?)(\s-)?\}\}")
_WORD: Final = re.compile(r"\s*(?:([0-9]+)|(RAND|N|i)(?:(?<=D)\s*\(\s*\))?|([+%()]))")
_RANDOM_BELOW: Final = 2**31
_DEEPEST: Final = 50
_NAMES: Final = ("N", "i", "RAND")


def translated(text: str) -> str:
    """A template with its simple actions as calls that Go's language can make."""
    return _ACTION.sub(_call, text) if "{{" in text else text


def _call(match: re.Match[str]) -> str:
    before, expression, after = match[1] or "", match[2].strip(), match[3] or ""
    if expression.isdigit():
        return match[0]
    try:
        parsed(expression)
    except ValueError:
        return match[0]
    return f'{{{{{before}{FUNCTION} "{expression}" $.Index{after}}}}}'


def evaluated(expression: str, number: Any, draws: Draws) -> int:
    """What an expression comes to for one object."""
    stack: list[int] = []
    for word in parsed(expression):
        if isinstance(word, int):
            stack.append(word)
        elif word == "RAND":
            stack.append(draws.below(_RANDOM_BELOW))
        elif word in _NAMES:
            if not isinstance(number, int):
                raise ValueError(f"{word} is known in object templates only")
            stack.append(number)
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(left + right if word == "+" else remainder(left, right))
    return stack[0]


@functools.lru_cache(maxsize=1024)
def parsed(expression: str) -> tuple[int | str, ...]:
    """The expression in the order in which it is worked out; ValueError if it is none."""
    words = _words(expression)
    out: list[int | str] = []
    end = _sum(words, 0, out)
    if end != len(words):
        raise ValueError(f"unexpected {words[end]!r}")
    return tuple(out)


def _words(expression: str) -> list[str]:
    words, at = [], 0
    text = expression.rstrip()
    while at < len(text):
        match = _WORD.match(text, at)
        if match is None:
            raise ValueError(f"unexpected {text[at]!r}")
        words.append(match[1] or match[2] or match[3])
        at = match.end()
    return words


def _sum(words: list[str], at: int, out: list[int | str], depth: int = 0) -> int:
    if depth > _DEEPEST:
        raise ValueError(f"parentheses more than {_DEEPEST} levels deep")
    at = _remainder(words, at, out, depth)
    while at < len(words) and words[at] == "+":
        at = _remainder(words, at + 1, out, depth)
        out.append("+")
    return at


def _remainder(words: list[str], at: int, out: list[int | str], depth: int) -> int:
    at = _operand(words, at, out, depth)
    while at < len(words) and words[at] == "%":
        at = _operand(words, at + 1, out, depth)
        out.append("%")
    return at


def _operand(words: list[str], at: int, out: list[int | str], depth: int) -> int:
    if at == len(words):
        raise ValueError("ends too early")
    word = words[at]
    if word == "(":
        at = _sum(words, at + 1, out, depth + 1)
        if at == len(words) or words[at] != ")":
            raise ValueError("a parenthesis is not closed")
    elif word in _NAMES:
        out.append(word)
    elif word.isdigit():
        out.append(integers.parse(word))
    else:
        raise ValueError(f"unexpected {word!r}")
    return at + 1
