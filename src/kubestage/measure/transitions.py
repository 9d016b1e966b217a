"""How long objects take from one phase to another.

Each phase is a column of times, so counting is free and nothing is scanned before the end.
"""

from __future__ import annotations

import heapq
from array import array
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.golang import durations
from kubestage.measure.columns import Nanoseconds
from kubestage.measure.percentiles import LatencyMetric
from kubestage.measure.perf_data import PerfData
from kubestage.measure.results import Latencies

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_NEVER: Final = -(1 << 63)


class Transition(msgspec.Struct, frozen=True):
    """From one phase to another."""

    from_phase: str
    to_phase: str


class Observed(msgspec.Struct, frozen=True):
    """What was observed of one transition, in the order in which objects began it."""

    keys: list[str]
    began_ns: Sequence[int]
    took_ns: Sequence[int]

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
            Nanoseconds([self.began_ns[index] for index in selected]),
            Nanoseconds([self.took_ns[index] for index in selected]),
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


class _Phase:
    """The times of one phase by the rows of their objects, and the rows in order of observation."""

    __slots__ = ("order", "times")

    def __init__(self) -> None:
        self.times = array("q")
        self.order = array("I")

    def at(self, row: int) -> int:
        """The time of an object, or `_NEVER`."""
        return self.times[row] if row < len(self.times) else _NEVER

    def put(self, row: int, at_ns: int) -> None:
        """Record the time of an object."""
        times = self.times
        if row >= len(times):
            times.extend([_NEVER] * (row + 1 - len(times)))
        if times[row] == _NEVER:
            self.order.append(row)
        times[row] = at_ns


class TransitionTimes:
    """When each object was first observed in each phase.

    NOTE: a dict of times for each phase took 400 bytes for each of 180,000 pods, and the end of a
    load with 5,000 nodes as much again (benchmarks/load.py).
    """

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._phases: dict[str, _Phase] = {}

    def set(self, key: str, phase: str, at_ns: int) -> None:
        """Record a time, over one that was recorded before."""
        self._phase(phase).put(self._rows.setdefault(key, len(self._rows)), at_ns)

    def set_first(self, key: str, phase: str, at_ns: int) -> None:
        """Record a time unless one was recorded before."""
        # NOTE: in line, for this is done three times for each change of a pod (benchmarks/load.py).
        found = self._phases.get(phase) or self._phase(phase)
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = len(self._rows)
        times = found.times
        if row >= len(times) or times[row] == _NEVER:
            found.put(row, at_ns)

    def get(self, key: str, phase: str) -> int | None:
        """The time that was recorded."""
        row, found = self._rows.get(key), self._phases.get(phase)
        at_ns = _NEVER if row is None or found is None else found.at(row)
        return None if at_ns == _NEVER else at_ns

    def count(self, phase: str) -> int:
        """How many objects were observed in a phase."""
        found = self._phases.get(phase)
        return 0 if found is None else len(found.order)

    def observed(self, transition: Transition) -> Observed:
        """How long each object took that was observed in both phases.

        Never less than nothing: times that a cluster writes are whole seconds, and may run
        backwards by one.
        """
        starts = self._phases.get(transition.from_phase, _Phase())
        ends = self._phases.get(transition.to_phase, _Phase())
        rows = [row for row in starts.order if ends.at(row) != _NEVER]
        names = list(self._rows)
        return Observed(
            [names[row] for row in rows],
            Nanoseconds([starts.times[row] for row in rows]),
            Nanoseconds([max(ends.times[row] - starts.times[row], 0) for row in rows]),
        )

    def _phase(self, name: str) -> _Phase:
        found = self._phases.get(name)
        if found is None:
            found = self._phases[name] = _Phase()
        return found


def to_perf_data(metrics: Mapping[str, LatencyMetric]) -> PerfData:
    """Percentiles of transitions by their names, sorted; in ClusterLoader2 the order is random."""
    return PerfData("1.0", tuple(metrics[name].to_item(name) for name in sorted(metrics)))


def _negative(number: int) -> int:
    return -number
