"""How long objects take from one phase to another.

Each phase is a column, key to time, so counting is free and nothing is scanned before the end.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import msgspec

from kubestage.golang import durations
from kubestage.measure.percentiles import LatencyMetric
from kubestage.measure.perf_data import PerfData
from kubestage.measure.results import Latencies

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Transition(msgspec.Struct, frozen=True):
    """From one phase to another."""

    from_phase: str
    to_phase: str


class Observed(msgspec.Struct, frozen=True):
    """What was observed of one transition, in the order in which objects began it."""

    keys: list[str]
    began_ns: list[int]
    took_ns: list[int]

    @property
    def count(self) -> int:
        """How many objects completed it."""
        return len(self.keys)

    @property
    def metric(self) -> LatencyMetric:
        """Its percentiles."""
        return LatencyMetric.of(self.took_ns)

    def only(self, keep: Callable[[str], bool]) -> Observed:
        """What was observed of some of the objects."""
        selected = [index for index, key in enumerate(self.keys) if keep(key)]
        return Observed(
            [self.keys[index] for index in selected],
            [self.began_ns[index] for index in selected],
            [self.took_ns[index] for index in selected],
        )

    def slowest(self, number: int) -> list[tuple[str, int]]:
        """The objects that took longest and how long, the worst first."""
        worst = heapq.nsmallest(number, zip(map(_negative, self.took_ns), self.keys, strict=True))
        return [(key, -took_ns) for took_ns, key in worst]

    def slowest_text(self, number: int = 5) -> str:
        """The slowest as text, for errors: it shows where to look."""
        worst = self.slowest(number)
        return ", ".join(f"{key} ({durations.go_string(took_ns)})" for key, took_ns in worst)

    def to_latencies(self, metric: str) -> Latencies:
        """As rows of a record."""
        return Latencies(metric, self.keys, self.began_ns, self.took_ns)


class TransitionTimes:
    """When each object was first observed in each phase."""

    def __init__(self) -> None:
        self._times: dict[str, dict[str, int]] = {}

    def set(self, key: str, phase: str, at_ns: int) -> None:
        """Record a time, over one that was recorded before."""
        self._times.setdefault(phase, {})[key] = at_ns

    def set_first(self, key: str, phase: str, at_ns: int) -> None:
        """Record a time unless one was recorded before."""
        times = self._times.get(phase)
        if times is None:
            times = self._times[phase] = {}
        times.setdefault(key, at_ns)

    def get(self, key: str, phase: str) -> int | None:
        """The time that was recorded."""
        return self._times.get(phase, {}).get(key)

    def count(self, phase: str) -> int:
        """How many objects were observed in a phase."""
        return len(self._times.get(phase, ()))

    def observed(self, transition: Transition) -> Observed:
        """How long each object took that was observed in both phases.

        Never less than nothing: times that a cluster writes are whole seconds, and may run
        backwards by one.
        """
        starts = self._times.get(transition.from_phase, {})
        ended = self._times.get(transition.to_phase, {})
        keys = [key for key in starts if key in ended]
        return Observed(
            keys,
            [starts[key] for key in keys],
            [max(ended[key] - starts[key], 0) for key in keys],
        )


def to_perf_data(metrics: Mapping[str, LatencyMetric]) -> PerfData:
    """Percentiles of transitions by their names, sorted; in ClusterLoader2 the order is random."""
    return PerfData("1.0", tuple(metrics[name].to_item(name) for name in sorted(metrics)))


def _negative(number: int) -> int:
    return -number
