"""Percentiles by nearest rank, and the metric that is made of three of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from kubestage.golang import durations
from kubestage.measure.perf_data import DataItem
from kubestage.measure.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

T = TypeVar("T")

_PERCENTS: Final = (50, 90, 99)
_LONGEST_NS: Final = (1 << 63) - 1


def nearest_rank(ordered: Sequence[T], percent: int) -> T:
    """The smallest of ordered values that `percent` of them do not exceed; there must be one."""
    return ordered[-(-len(ordered) * percent // 100) - 1]


class LatencyMetric(msgspec.Struct, frozen=True):
    """The 50th, 90th and 99th percentile of latencies."""

    perc50_ns: int = 0
    perc90_ns: int = 0
    perc99_ns: int = 0

    @classmethod
    def of(cls, latencies_ns: Iterable[int]) -> LatencyMetric:
        """The percentiles of latencies in any order; zeros if there are none."""
        ordered = sorted(latencies_ns)
        return cls(*(nearest_rank(ordered, each) for each in _PERCENTS)) if ordered else cls()

    @classmethod
    def of_seconds(cls, quantiles: dict[float, float]) -> LatencyMetric:
        """From quantiles (0.5, 0.9, 0.99) in seconds, as queries answer them.

        A missing one or NaN is 0, an infinite one the longest time there is.
        """
        return cls(*(_nanoseconds(quantiles.get(each / 100, 0.0)) for each in _PERCENTS))

    @property
    def values_ns(self) -> tuple[int, int, int]:
        """All three."""
        return self.perc50_ns, self.perc90_ns, self.perc99_ns

    def violation(self, threshold_ns: int) -> str | None:
        """In ClusterLoader2's words, the first percentile that is above the threshold."""
        return self.violation_by_percentile((threshold_ns, threshold_ns, threshold_ns))

    def violation_by_percentile(self, thresholds_ns: tuple[int, int, int]) -> str | None:
        """As `violation`, with a threshold for each percentile."""
        for percent, got_ns, most_ns in zip(_PERCENTS, self.values_ns, thresholds_ns, strict=True):
            if got_ns > most_ns:
                got, most = durations.go_string(got_ns), durations.go_string(most_ns)
                return f"too high latency {percent}th percentile: got {got} expected: {most}"
        return None

    def verdicts(
        self,
        name: str,
        thresholds_ns: tuple[int, int, int],
        samples: int,
        *,
        is_enforced: bool = True,
    ) -> tuple[Verdict, ...]:
        """One verdict per percentile, in seconds; without samples there is no value."""
        return tuple(
            Verdict(
                name=f"{name} p{percent}",
                passed=got_ns <= most_ns,
                value=got_ns / durations.SECOND if samples else None,
                threshold=most_ns / durations.SECOND,
                unit="s",
                samples=samples,
                is_enforced=is_enforced,
            )
            for percent, got_ns, most_ns in zip(
                _PERCENTS, self.values_ns, thresholds_ns, strict=True
            )
        )

    def to_item(self, name: str) -> DataItem:
        """As a row of PerfData, in milliseconds."""
        data = {
            f"Perc{percent}": got_ns / durations.MILLISECOND
            for percent, got_ns in zip(_PERCENTS, self.values_ns, strict=True)
        }
        return DataItem(data, "ms", {"Metric": name})

    def __str__(self) -> str:
        p50, p90, p99 = (durations.go_string(each) for each in self.values_ns)
        return f"perc50: {p50}, perc90: {p90}, perc99: {p99}"


def _nanoseconds(seconds: float) -> int:
    if math.isnan(seconds):
        return 0
    nanoseconds = seconds * durations.SECOND
    return int(nanoseconds) if nanoseconds < _LONGEST_NS else _LONGEST_NS
