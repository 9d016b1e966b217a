"""Means and their intervals."""

from __future__ import annotations

import numpy as np
import pytest

from kubestage.results.statistics import intervals
from kubestage.sweep.statistics import samples
from tests.sweep import tables


def test_the_interval_of_a_textbook_sample() -> None:
    # Mean 10, standard deviation 2, five values: 2.776 * 2 / sqrt(5).
    spread = np.sqrt(10)
    found = intervals.estimate([10 - spread, 10 - spread / np.sqrt(5), 10, 10, 10 + spread])
    assert found.count == 5
    assert found.mean is not None
    assert found.deviation is not None
    reach = 2.7764451 * found.deviation / np.sqrt(5)
    assert found.half_width == pytest.approx(reach, rel=1e-6)
    assert found.low == pytest.approx(found.mean - reach, rel=1e-6)
    assert found.high == pytest.approx(found.mean + reach, rel=1e-6)
    assert found.note == ""


@pytest.mark.parametrize(("count", "level"), [(3, 0.95), (10, 0.95), (10, 0.8), (40, 0.99)])
def test_intervals_hold_the_mean_as_often_as_they_say(count: int, level: float) -> None:
    draws = np.random.default_rng(count).normal(7, 3, size=(4000, count))
    held = [
        found.low < 7 < found.high
        for row in draws
        if (found := intervals.estimate(list(row), level)).low is not None
        and found.high is not None
    ]
    assert sum(held) / len(held) == pytest.approx(level, abs=0.012)


def test_what_has_no_interval_says_why() -> None:
    nothing, one, same = (intervals.estimate(each) for each in ([], [3.0], [3.0, 3.0, 3.0]))
    assert (nothing.mean, nothing.note) == (None, "no value")
    assert (one.mean, one.half_width, one.note) == (3.0, None, "one seed")
    assert (same.mean, same.half_width, same.low) == (3.0, 0.0, None)
    assert same.note == "the same in 3 seeds"


def test_rounding_is_no_variation() -> None:
    assert intervals.estimate([0.1 + 0.2, 0.3, 0.3]).half_width == 0
    assert intervals.estimate([1e-20, 2e-20]).has_interval


def test_runs_without_a_value_are_counted() -> None:
    def run(_: object, seed: int) -> tables.Measures | str:
        values: list[tables.Measures | str] = [
            {"cost": 1.5}, {"cost": None}, "it failed", {"cost": float("nan")}, {"cost": 2},
        ]  # fmt: skip
        return values[seed]

    (setting,) = tables.table({"nodes": [1]}, range(5), run).settings()
    found = samples.sample(setting, "cost")
    assert found.values == {0: 1.5, 4: 2.0}
    assert (found.failed, found.missing, found.runs) == (1, 2, 5)
