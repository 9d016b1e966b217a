"""What an agent is rewarded for: functions of a turn, and ready ones by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from kubestage.errors import InputError
from kubestage.scheduler.device_measures import DeviceFragmentation
from kubestage.scheduler.measures import Moment

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.scheduler.columns import Columns
    from kubestage.stage import Stage


class Turn(NamedTuple):
    """The cluster after an action; `placed` and `failed` count pods since the action before."""

    stage: Stage
    columns: Columns
    placed: int
    failed: int
    waiting: int


class Reward(Protocol):
    """A function of a turn; with a method `reset(turn)`, it is called when an episode begins."""

    def __call__(self, turn: Turn) -> float:
        """The reward of the action that led to this turn."""
        ...


class Gain:
    """By how much a figure has grown since the turn before, times a factor."""

    def __init__(self, figure: Callable[[Turn], float], factor: float = 1.0) -> None:
        self._figure, self._factor = figure, factor
        self._before = 0.0

    def reset(self, turn: Turn) -> None:
        """An episode begins."""
        self._before = self._figure(turn)

    def __call__(self, turn: Turn) -> float:
        """The gain of this turn."""
        now = self._figure(turn)
        gained, self._before = now - self._before, now
        return self._factor * gained


def allocation(turn: Turn) -> float:
    """The share of all devices that is allocated; without devices, the mean of CPU and memory."""
    columns = turn.columns
    tables = {} if columns.own is None else columns.own.tables
    for table in tables.values():
        total = table.definition.whole * int(table.count.sum())
        return (total - int(table.free.sum())) / total if total else 0.0
    shares = []
    for name in ("cpu", "memory"):
        offered = int(columns.allocatable_of(name).sum())
        shares.append(int(columns.requested_of(name).sum()) / offered if offered else 0.0)
    return sum(shares) / len(shares)


class Fragmentation:
    """Less fragmentation of devices is better: minus what typical pods cannot use any more."""

    def __init__(self) -> None:
        self._gain = Gain(self._figure, -1.0)
        self._measure: Any = None

    def reset(self, turn: Turn) -> None:
        """An episode begins."""
        if turn.columns.own is None or not turn.columns.own.tables:
            fix = "enable a plugin with devices, measure deviceFragmentation, or use allocation"
            raise InputError("no plugin defines devices", path="reward fragmentation", fix=fix)
        assert turn.stage.scheduler is not None
        self._measure = DeviceFragmentation({}, turn.stage.scheduler.measuring.handle)
        self._gain.reset(turn)

    def __call__(self, turn: Turn) -> float:
        """The loss of this turn."""
        return self._gain(turn)

    def _figure(self, turn: Turn) -> float:
        at_ns = turn.stage.clock.now_ns
        return float(self._measure.measure(Moment(turn.columns, at_ns, turn.waiting)))


def pending(turn: Turn) -> float:
    """Minus one for each pod that found no node."""
    return -float(turn.failed)


_READY: Final[dict[str, Callable[[], Reward]]] = {
    "allocation": lambda: Gain(allocation),
    "fragmentation": Fragmentation,
    "pending": lambda: pending,
}
NAMES: Final = tuple(_READY)
"""The rewards that can be named."""


def of(reward: str | Reward) -> Reward:
    """The reward of a name, or the user's own."""
    if isinstance(reward, str) and reward in _READY:
        return _READY[reward]()
    if callable(reward):
        return reward
    fix = f"use one of {', '.join(NAMES)}, or a function of a turn"
    raise InputError(f"{reward!r} is no reward", path="reward", fix=fix)
