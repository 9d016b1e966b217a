"""Whether a pattern is found in a text, in a time that grows with the text and no faster.

Go's engine works like this. Python's tries one way after the other, and there are patterns and
texts for which it tries for years. A pattern becomes a graph of states here; a text is read once,
and all states in which one may be are kept.
"""

from __future__ import annotations

import re
from re import _constants as codes  # type: ignore[attr-defined] # there is no public name
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Accepts = Callable[[str], bool]

# More than any pattern that Go takes needs: a repetition within others comes to 1,000 at most.
_MOST_STATES: Final = 5_000
_MOST_STEPS: Final = 4096
_FOUND: Final = 0


class UnfitError(ValueError):
    """A pattern that repeats too much, or that looks around."""


class Automaton:
    """A pattern in Python's syntax, without look-around and references back."""

    def __init__(self, pattern: str) -> None:
        # Each state: what it takes to leave it, and where one is then.
        self._states: list[tuple[Any, tuple[int, ...]]] = [(None, ())]
        tree = parser.parse(pattern, re.ASCII)
        self._start = self._sequence(tree, _FOUND, tree.state.flags)
        self._steps: dict[tuple[frozenset[int], str, str], frozenset[int] | None] = {}

    def is_found_in(self, text: str) -> bool:
        """Whether some part of a text is what the pattern describes."""
        states, before = frozenset({self._start}), ""
        for char in text:
            following = self._step(states, before, char)
            if following is None:
                return True
            states, before = following, char
        return self._step(states, before, "") is None

    def _step(self, states: frozenset[int], before: str, char: str) -> frozenset[int] | None:
        """Where one is after a character, the empty one at the end; None when it is found."""
        key = (states, _sort(before), char)
        if key in self._steps:
            return self._steps[key]
        reached = self._reached(states, before, char)
        following = None
        if _FOUND not in reached:
            leaving = [self._states[each] for each in reached] if char else []
            taken = {to[0] for accepts, to in leaving if callable(accepts) and accepts(char)}
            following = frozenset(taken | {self._start})
        if len(self._steps) >= _MOST_STEPS:
            self._steps.clear()
        self._steps[key] = following
        return following

    def _reached(self, states: Iterable[int], before: str, after: str) -> set[int]:
        """All states that one may be in between two characters."""
        seen: set[int] = set()
        waiting = list(states)
        while waiting:
            state = waiting.pop()
            if state in seen:
                continue
            seen.add(state)
            condition, following = self._states[state]
            if isinstance(condition, _Place):
                waiting += following if condition.holds(before, after) else ()
            elif condition is None:
                waiting += following
        return seen

    def _add(self, condition: Any, *following: int) -> int:
        if len(self._states) >= _MOST_STATES:
            raise UnfitError("invalid repeat count")
        self._states.append((condition, following))
        return len(self._states) - 1

    def _sequence(self, tree: Any, then: int, flags: int) -> int:
        for code, given in reversed(list(tree)):
            then = self._one(code, given, then, flags)
        return then

    def _one(self, code: Any, given: Any, then: int, flags: int) -> int:
        if code is codes.BRANCH:
            return self._add(None, *(self._sequence(each, then, flags) for each in given[1]))
        if code is codes.SUBPATTERN:
            _, more, fewer, inner = given
            return self._sequence(inner, then, (flags | more) & ~fewer)
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            low, high, inner = given
            return self._repeated(low, high, inner, (then, flags))
        if code is codes.AT:
            return self._add(_Place(given, flags), then)
        return self._add(_accepting(code, given, flags), then)

    def _repeated(self, low: int, high: Any, inner: Any, place: tuple[int, int]) -> int:
        then, flags = place
        if high is codes.MAXREPEAT:
            again = self._add(None)
            self._states[again] = (None, (self._sequence(inner, again, flags), then))
            then = again
        else:
            end = then
            for _ in range(high - low):
                then = self._add(None, self._sequence(inner, then, flags), end)
        for _ in range(low):
            then = self._sequence(inner, then, flags)
        return then


class _Place:
    """A condition on the characters around a place in the text."""

    def __init__(self, code: Any, flags: int) -> None:
        self._code = code
        self._by_line = bool(flags & re.MULTILINE)

    def holds(self, before: str, after: str) -> bool:
        code = self._code
        if code in (codes.AT_BEGINNING, codes.AT_BEGINNING_STRING):
            by_line = self._by_line and code is codes.AT_BEGINNING
            return not before or (by_line and before == "\n")
        if code in (codes.AT_END, codes.AT_END_STRING):
            by_line = self._by_line and code is codes.AT_END
            return not after or (by_line and after == "\n")
        return (_is_word(before) != _is_word(after)) == (code is codes.AT_BOUNDARY)


def _sort(char: str) -> str:
    """What conditions tell apart of the character before."""
    if not char or char == "\n":
        return char
    return "a" if _is_word(char) else "-"


def _is_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


def _accepting(code: Any, given: Any, flags: int) -> Accepts:
    """Which characters an element of a pattern takes."""
    if code is codes.ANY:
        return (lambda _: True) if flags & re.DOTALL else (lambda char: char != "\n")
    if code is codes.IN:
        items = given
    elif code is codes.NOT_LITERAL:
        items = [(codes.NEGATE, None), (codes.LITERAL, given)]
    elif code is codes.LITERAL:
        items = [(code, given)]
    else:
        raise UnfitError("invalid nested repetition operator")
    return _one_of(items, any_case=bool(flags & re.IGNORECASE))


def _one_of(items: list[tuple[Any, Any]], *, any_case: bool) -> Accepts:
    negated = bool(items) and items[0][0] is codes.NEGATE
    ranges: list[tuple[int, int]] = []
    classes: list[Any] = []
    for code, given in items[negated:]:
        if code is codes.LITERAL:
            ranges.append((given, given))
        elif code is codes.RANGE:
            ranges.append(given)
        else:
            classes.append(given)

    def holds(char: str) -> bool:
        point = ord(char[:1])
        found = any(low <= point <= high for low, high in ranges)
        return found or any(_is_of(char, each) for each in classes)

    def accepts(char: str) -> bool:
        found = holds(char)
        if any_case and not found:
            found = holds(char.lower()) or holds(char.upper())
        return found != negated

    return accepts


def _is_of(char: str, category: Any) -> bool:
    digit, word = char.isascii() and char.isdigit(), _is_word(char)
    space = char in " \t\n\r\f\v"
    return bool({
        codes.CATEGORY_DIGIT: digit, codes.CATEGORY_NOT_DIGIT: not digit,
        codes.CATEGORY_SPACE: space, codes.CATEGORY_NOT_SPACE: not space,
        codes.CATEGORY_WORD: word, codes.CATEGORY_NOT_WORD: not word,
    }[category])  # fmt: skip
