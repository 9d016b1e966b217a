"""The record of durations: counts, sums and percentiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as some

from kubestage.scheduler.timings import ALGORITHM, ATTEMPT, PLUGIN, POINT, Durations, Part, Timings

if TYPE_CHECKING:
    from collections.abc import Sequence


def of(values: Sequence[int]) -> Durations:
    found = Durations()
    for each in values:
        found.observe(each)
    return found


def test_nothing_has_no_durations() -> None:
    nothing = Durations()
    assert (nothing.count, nothing.mean_ns, nothing.percentile_ns(99)) == (0, 0.0, 0)


def test_short_durations_are_exact() -> None:
    found = of(range(1, 101))
    assert [found.percentile_ns(each) for each in (1, 50, 90, 99, 100)] == [1, 50, 90, 99, 100]
    assert (found.count, found.total_ns, found.max_ns, found.mean_ns) == (100, 5050, 100, 50.5)


@given(some.lists(some.integers(0, 10**13), min_size=1), some.integers(1, 100))
def test_percentiles_are_next_to_those_of_the_values(values: list[int], percent: int) -> None:
    exact = sorted(values)[-(-len(values) * percent // 100) - 1]
    assert abs(of(values).percentile_ns(percent) - exact) <= exact / 256


def test_parts_are_in_the_order_in_which_they_run() -> None:
    timings = Timings("measured")
    parts = [
        Part("a", ATTEMPT, result="scheduled"),
        Part("a", ALGORITHM),
        Part("a", POINT, "PreFilter"),
        Part("a", PLUGIN, "PreFilter", "NodePorts"),
        Part("a", POINT, "Filter"),
        Part("a", PLUGIN, "Filter", "NodeName"),
        Part("a", POINT, "Bind"),
        Part("b", ATTEMPT, result="scheduled"),
    ]
    for part in reversed(parts):
        timings.observe(part, 1)
    assert [part for part, _ in timings] == parts
    assert len(timings) == len(parts)
