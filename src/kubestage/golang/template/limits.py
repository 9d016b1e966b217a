"""What one run of a template may use: steps, the bytes of the values it makes, and of its output.

All of it is counted, so that a template fails at the same place on every machine. A step is a
statement, a turn of a loop, an argument of a function, or a piece of a value that a function has
to look at. Functions count what they are about to make before they make it.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from kubestage.errors import LimitExceeded

_MEBIBYTE: Final = 1 << 20
# What a reference in a list takes, and a value that is made for one.
REFERENCE: Final = 8
_VALUE: Final = 64
# How much of a text, and of a list or map, a function looks at in one step.
_CHARACTERS_A_STEP: Final = 16
_ELEMENTS_A_STEP: Final = 8
# Values are printed by functions that call themselves.
_DEEPEST: Final = 200


class Limits(NamedTuple):
    """How many steps, bytes of values (output included), and bytes of output."""

    steps: int
    made: int
    written: int


# NOTE: ten million steps take about 10 s. A list of 150,000 objects with ten actions for each is
# three million of them, and 15 MB of output.
GENERAL: Final = Limits(10_000_000, 64 * _MEBIBYTE, 64 * _MEBIBYTE)


class Meter:
    """What one run has left."""

    __slots__ = ("limits", "made", "steps", "written")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.steps, self.made, self.written = limits

    def step(self, count: int) -> None:
        """Take steps."""
        self.steps -= count
        if self.steps < 0:
            raise LimitExceeded(f"a template may take {self.limits.steps:,} steps")

    def make(self, size: int) -> None:
        """Make values of so many bytes."""
        self.made -= size
        if self.made < 0:
            most = self.limits.made // _MEBIBYTE
            raise LimitExceeded(f"a template may make values of {most} MiB in all")

    def write(self, text: str) -> None:
        """Write a part of the output."""
        self.written -= len(text)
        if self.written < 0:
            most = self.limits.written // _MEBIBYTE
            raise LimitExceeded(f"a template may write {most} MiB")

    def look_at(self, arguments: list[Any]) -> None:
        """Let a function look at these arguments, some of which are large."""
        characters = 0
        for each in arguments:
            if isinstance(each, str):
                characters += len(each)
            elif isinstance(each, (list, dict)):
                self.steps -= len(each) // _ELEMENTS_A_STEP
        self.step(characters // _CHARACTERS_A_STEP)
        if characters > self.made:
            # There would be no room for a result that holds them all.
            self.make(characters)


running: Final[ContextVar[Meter | None]] = ContextVar("running", default=None)


def text(size: int) -> None:
    """A function is about to make a text of at most this many bytes."""
    meter = running.get()
    if meter is not None and size > 0:
        meter.make(size)


def values(count: int) -> None:
    """A function is about to make this many values."""
    text(count * _VALUE)


def steps(count: int) -> None:
    """A function is about to do this many things."""
    meter = running.get()
    if meter is not None and count > 0:
        meter.step(count)


def tree(value: Any) -> tuple[int, int]:
    """A function is about to visit all parts of a value: how many, and how deep they are.

    A value that holds another one several times is visited as often; one that holds itself is too
    deep.
    """
    count, depth = 1, 1
    level: list[Any] = [value]
    while containers := [each for each in level if isinstance(each, (list, dict))]:
        if depth > _DEEPEST:
            raise LimitExceeded(f"a template may use values of {_DEEPEST} levels")
        parts = sum(map(len, containers))
        steps(parts)
        count, depth = count + parts, depth + 1
        level = []
        for each in containers:
            level += each if isinstance(each, list) else [*each.keys(), *each.values()]
        text(sum(len(each) for each in level if isinstance(each, str)))
    return count, depth
