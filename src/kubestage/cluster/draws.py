"""Samples of a distribution, drawn in advance: they are needed millions of times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import distributions

if TYPE_CHECKING:
    from kubestage.sim.streams import Streams

_AHEAD: Final = 4096


class Draws:
    """A distribution of durations with its own random stream.

    Samples come from a table: in order, and then from a random place on.

    NOTE: a sample takes 0.1 us from the table and 1 us from the distribution; there are two for
    every change of the store.
    """

    __slots__ = ("_at", "_distribution", "_stream", "_table", "mean_ns")

    def __init__(self, text: str, streams: Streams, name: str) -> None:
        self._distribution = distributions.parse(text)
        self._stream = streams.stream(name)
        self._table: list[int] = []
        self._at = 0
        found = self._distribution
        is_uniform = found.family == "uniform"
        self.mean_ns = (found.first + found.second) / 2 if is_uniform else found.first

    def next_ns(self) -> int:
        """The next sample."""
        at = self._at
        if at == len(self._table):
            at = self._turn()
        self._at = at + 1
        return self._table[at]

    def _turn(self) -> int:
        """Where to continue when the table is used up, or not filled yet."""
        distribution, stream = self._distribution, self._stream
        if self._table:
            return stream.randrange(len(self._table))
        if distribution.is_constant:
            self._table = [distribution.sample_ns(stream)] * _AHEAD
        else:
            self._table = [distribution.sample_ns(stream) for _ in range(_AHEAD)]
        return 0
