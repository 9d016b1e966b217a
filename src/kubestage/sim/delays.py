"""How long something takes, drawn each time.

Delays are objects rather than closures because a model, and so each delay it holds, must pickle
together with the state of its random stream.
"""

from __future__ import annotations

from math import ceil, log1p
from typing import TYPE_CHECKING, Protocol

from kubestage.errors import SimulationError

if TYPE_CHECKING:
    import random


class Delay(Protocol):
    """A distribution of delays."""

    def draw_ns(self) -> int:
        """The next delay."""
        ...


class Constant:
    """The same delay every time."""

    __slots__ = ("delay_ns",)

    def __init__(self, delay_ns: int) -> None:
        self.delay_ns = delay_ns

    def draw_ns(self) -> int:
        """That delay."""
        return self.delay_ns


class Exponential:
    """Memoryless delays: between the arrivals of a Poisson stream, or of an M/M/c server."""

    __slots__ = ("_draw", "_scale", "mean_ns")

    def __init__(self, stream: random.Random, mean_ns: float) -> None:
        if mean_ns <= 0:
            raise SimulationError(f"the mean of a delay must be above 0 ns, not {mean_ns}")
        self.mean_ns = mean_ns
        self._draw = stream.random
        self._scale = -mean_ns

    def draw_ns(self) -> int:
        """The next delay, rounded up to a whole nanosecond and so never zero."""
        # NOTE: what Random.expovariate does, without the call to it (benchmarks/sim.py).
        return ceil(log1p(-self._draw()) * self._scale) or 1
