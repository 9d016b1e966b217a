"""When actions begin, as offsets from the start of their phase: the open-loop tuning sets.

A schedule returns one start after another, so that a phase of 150,000 actions holds one
timer, not 150,000. Random numbers are drawn as ClusterLoader2 draws them, in the same order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from kubestage.clusterloader import config
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable


class RandomSource(Protocol):
    """Where draws come from: `random.Random`, or a recording."""

    def random(self) -> float:
        """A number from [0, 1)."""


class ActionSchedule(Protocol):
    """The starts of one phase's actions, in the order of time."""

    @property
    def end_ns(self) -> int:
        """When the phase is over at the earliest; known once there is no next start."""

    def next(self) -> tuple[int, int] | None:
        """The offset of the next start and which action it is of; None after the last."""


OpenLoad = (
    config.QpsLoad
    | config.RandomizedLoad
    | config.SteppedLoad
    | config.TimeLimitedLoad
    | config.RandomizedTimeLimitedLoad
    | config.PoissonLoad
)


def schedule(load: OpenLoad, count: int, rng: RandomSource) -> ActionSchedule:
    """The schedule of so many actions."""
    if isinstance(load, config.QpsLoad):
        return Gapped(count, Even(int(SECOND_NS / load.qps)).after)
    if isinstance(load, config.TimeLimitedLoad):
        return Gapped(count, Even(load.time_limit_ns // max(count, 1)).after)
    if isinstance(load, config.SteppedLoad):
        return Gapped(count, Stepped(load.burst_size, load.step_delay_ns).after)
    if isinstance(load, config.RandomizedLoad):
        return Gapped(count, Uniform(load.average_qps, rng).after)
    if isinstance(load, config.PoissonLoad):
        gaps = Exponential(load.expected_actions_per_second, rng)
        return Gapped(count, gaps.after, is_last_waited_for=False)
    return Scattered(count, load.time_limit_ns, rng)


class Gapped:
    """Actions in their order, with a gap after each.

    Most sets sleep after the last one too, and are not over before; `is_last_waited_for` says so.
    """

    def __init__(
        self, count: int, after: Callable[[int], int], *, is_last_waited_for: bool = True
    ) -> None:
        self._count = count
        self._after = after
        self._is_last_waited_for = is_last_waited_for
        self._index = 0
        self._at_ns = 0
        self._is_over = False
        self.end_ns = 0

    def next(self) -> tuple[int, int] | None:
        """The next start; the gap before it is drawn now."""
        if self._is_over:
            return None
        if self._index:
            self._at_ns += self._after(self._index - 1)
        if self._index < self._count:
            self.end_ns = self._at_ns
            self._index += 1
            return self._at_ns, self._index - 1
        self._is_over = True
        if self._is_last_waited_for:
            self.end_ns = self._at_ns
        return None


class Even:
    """The same gap after each."""

    def __init__(self, gap_ns: int) -> None:
        self._gap_ns = gap_ns

    def after(self, index: int) -> int:
        """The gap after an action."""
        del index
        return self._gap_ns


class Stepped:
    """A gap after each full burst, a full last one too."""

    def __init__(self, burst_size: int, step_delay_ns: int) -> None:
        self._burst_size = burst_size
        self._step_delay_ns = step_delay_ns

    def after(self, index: int) -> int:
        """The gap after an action."""
        return 0 if (index + 1) % self._burst_size else self._step_delay_ns


class Uniform:
    """Gaps between none and twice the mean."""

    def __init__(self, average_qps: float, rng: RandomSource) -> None:
        self._average_qps = average_qps
        self._rng = rng

    def after(self, index: int) -> int:
        """The gap after an action."""
        del index
        return int(2 * self._rng.random() * SECOND_NS / self._average_qps)


class Exponential:
    """Gaps of arrivals that are independent of each other."""

    def __init__(self, rate: float, rng: RandomSource) -> None:
        self._rate = rate
        self._rng = rng

    def after(self, index: int) -> int:
        """The gap after an action."""
        del index
        return int(SECOND_NS * (-math.log(1 - self._rng.random()) / self._rate))


class Scattered:
    """Each action at a moment of its own; all offsets are stored, but there is one timer."""

    def __init__(self, count: int, time_limit_ns: int, rng: RandomSource) -> None:
        drawn = [int(rng.random() * time_limit_ns) for _ in range(count)]
        # The latest first: the next is then the last of the list.
        self._starts = sorted(((at_ns, index) for index, at_ns in enumerate(drawn)), reverse=True)
        self.end_ns = max(drawn, default=0)

    def next(self) -> tuple[int, int] | None:
        """The next start."""
        return self._starts.pop() if self._starts else None
