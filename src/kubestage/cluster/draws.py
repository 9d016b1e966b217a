"""Draws of a law, made ahead: what happens a million times must cost next to nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import distributions

if TYPE_CHECKING:
    from kubestage.sim.streams import Streams

_AHEAD: Final = 4096


class Draws:
    """A law of durations with a stream of its own.

    Draws come from a table of so many of them: in order, and then from a random place on.

    NOTE: a draw takes 0.1 us, where to draw anew would take 1 us; there are two for every change
    of the store.
    """

    __slots__ = ("_at", "_law", "_stream", "_table", "mean_ns")

    def __init__(self, text: str, streams: Streams, name: str) -> None:
        self._law = distributions.parse(text)
        self._stream = streams.stream(name)
        self._table: list[int] = []
        self._at = 0
        law, first, second = self._law.law, self._law.first, self._law.second
        self.mean_ns = (first + second) / 2 if law == "uniform" else first

    def next_ns(self) -> int:
        """One draw."""
        at = self._at
        if at == len(self._table):
            at = self._turn()
        self._at = at + 1
        return self._table[at]

    def _turn(self) -> int:
        """Where to go on when the table is used up, or is not there yet."""
        law, stream = self._law, self._stream
        if self._table:
            return stream.randrange(len(self._table))
        if law.is_constant:
            self._table = [law.sample_ns(stream)] * _AHEAD
        else:
            self._table = [law.sample_ns(stream) for _ in range(_AHEAD)]
        return 0
