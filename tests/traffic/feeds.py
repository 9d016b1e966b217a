"""Feeds for tests: what arrives is given, or drawn from a Poisson stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Demands = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]

SECOND = 1_000_000_000


class Listed:
    """Requests as listed: arrival, CPU time, I/O time and luck of each."""

    def __init__(self, rows: Sequence[tuple[int, float, int, float]], *, begin_ns: int = 1) -> None:
        self.begin_ns = begin_ns
        self._rows = sorted(rows, key=lambda row: row[0])
        self._arrived = self._queried = 0

    def arrivals(self, end_ns: int) -> NDArray[np.int64]:
        first = self._arrived
        while self._arrived < len(self._rows) and self._rows[self._arrived][0] < end_ns:
            self._arrived += 1
        return np.array([row[0] for row in self._rows[first : self._arrived]], np.int64)

    def next_after(self, now_ns: int) -> int | None:
        left = self._rows[self._arrived :]
        return left[0][0] if left else None

    def demands(self, count: int) -> Demands:
        rows = self._rows[self._queried : self._queried + count]
        self._queried += count
        cpu, io, uniform = ([row[at] for row in rows] for at in (1, 2, 3))
        return np.array(cpu, np.float64), np.array(io, np.int64), np.array(uniform, np.float64)


class Poisson:
    """A Poisson stream of so many a second, with exponential CPU times unless they are fixed."""

    def __init__(
        self, rps: float, cpu_s: float, *, io_s: float = 0, seed: int = 1, fixed: bool = False
    ) -> None:
        self.begin_ns = self._end_ns = 1
        self._rps, self._cpu_ns, self._io_ns = rps, cpu_s * SECOND, round(io_s * SECOND)
        self._fixed = fixed
        self._next_ns = 0.0
        self._times, self._costs, self._luck = (
            np.random.Generator(np.random.PCG64([seed, at])) for at in range(3)
        )

    def arrivals(self, end_ns: int) -> NDArray[np.int64]:
        count = self._times.poisson(self._rps * (end_ns - self._end_ns) / SECOND)
        times = np.sort(self._times.integers(self._end_ns, end_ns, count))
        self._end_ns = end_ns
        return times

    def next_after(self, now_ns: int) -> int | None:
        return now_ns

    def demands(self, count: int) -> Demands:
        cpu = self._costs.standard_exponential(count) * self._cpu_ns
        if self._fixed:
            cpu[:] = self._cpu_ns
        return cpu, np.full(count, self._io_ns, np.int64), self._luck.random(count)


def each(*rows: tuple[int, float, int]) -> Listed:
    """Requests with an arrival, a CPU and an I/O time each, and middling luck."""
    return Listed([(at, cpu, io, 0.5) for at, cpu, io in rows])
