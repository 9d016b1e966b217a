"""Where arrivals fall: at random, evenly, as a Poisson process, or where they were recorded."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kubestage.traffic.patterns.arrivals import Poisson
from kubestage.traffic.patterns.rates import Steady
from tests.traffic.building import SECOND, counts, feed, per_second

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _seconds(pattern: Json, until: float) -> list[float]:
    return [float(at) / SECOND for at in feed(pattern).arrivals(round(until * SECOND))]


def test_constant_requests_are_a_fixed_time_apart() -> None:
    assert _seconds({"constant": {"rps": 4}}, 1.5) == [0, 0.25, 0.5, 0.75, 1, 1.25]
    assert _seconds({"constant": {"rps": 0.5}}, 7) == [0, 2, 4, 6]
    times = feed({"constant": {"rps": 0.3}}).arrivals(100_000 * SECOND)
    wanted = np.arange(len(times)) * SECOND / 0.3
    assert np.abs(times - wanted).max() <= 2


def test_even_requests_of_a_second_are_as_far_apart_as_they_can() -> None:
    even = {"ramp": {"delta": 1, "max": 3, "arrivals": "Even"}}
    third = 333_333_333
    assert list(feed(even).arrivals(3 * SECOND)) == [
        0, SECOND, SECOND + SECOND // 2,
        2 * SECOND, 2 * SECOND + third, 2 * SECOND + 2 * third,
    ]  # fmt: skip


def test_uniform_requests_of_a_second_fall_anywhere_in_it() -> None:
    times = feed({"step": {"rps": 1000}}).arrivals(100 * SECOND)
    assert per_second(times, 100) == [1000] * 100
    within = times % SECOND / SECOND
    assert within.mean() == pytest.approx(0.5, abs=4 / math.sqrt(12 * 100_000))
    assert within.var() == pytest.approx(1 / 12, rel=0.02)
    assert (np.diff(times) >= 0).all()


def test_so_many_requests_are_scattered_over_the_duration() -> None:
    pattern = {"uniform": {"requests": 50_000, "start": "5s", "duration": "10s"}}
    times = feed(pattern).arrivals(60 * SECOND)
    assert len(times) == 50_000
    assert (np.diff(times) >= 0).all()
    assert times[0] >= 5 * SECOND
    assert times[-1] < 15 * SECOND
    share = np.array(per_second(times, 15)[5:]) / 5000
    assert np.abs(share - 1).max() < 5 / math.sqrt(5000)
    # Against the line: farther off than this once in a million times.
    steps = np.arange(1, 50_001) / 50_000
    assert np.abs((times - 5 * SECOND) / (10 * SECOND) - steps).max() < 2.7 / math.sqrt(50_000)


def test_scattered_requests_are_as_uneven_as_chance_makes_them() -> None:
    found = [
        per_second(feed({"uniform": {"requests": 1000, "duration": "10s"}}, seed=seed).arrivals(
            10 * SECOND), 10)[0] for seed in range(400)
    ]  # fmt: skip
    assert np.mean(found) == pytest.approx(100, abs=4 * math.sqrt(90 / 400))
    assert np.var(found) == pytest.approx(1000 * 0.1 * 0.9, rel=0.3)


def test_a_few_scattered_requests_all_come() -> None:
    pattern = {"uniform": {"requests": 3, "duration": "300ns"}}
    for seed in range(100):
        times = feed(pattern, seed=seed).arrivals(SECOND)
        assert len(times) == 3
        assert 0 <= times[0] <= times[2] < 300


@pytest.mark.parametrize(
    "pattern",
    [
        {"poisson": {"rps": 20}},
        {"step": {"rps": 20, "arrivals": "Poisson"}},
        {"trace": {"csv": "time,rps\n0,20", "arrivals": "Poisson"}},
    ],
)
def test_a_poisson_process_has_mean_and_variance_alike_and_exponential_gaps(pattern: Json) -> None:
    times = feed(pattern).arrivals(20_000 * SECOND)
    found = np.array(per_second(times, 20_000))
    assert found.mean() == pytest.approx(20, abs=4 * math.sqrt(20 / 20_000))
    assert found.var() / found.mean() == pytest.approx(1, abs=0.05)
    gaps = np.diff(times) / SECOND
    assert gaps.mean() == pytest.approx(0.05, rel=0.01)
    assert gaps.std() == pytest.approx(0.05, rel=0.01)
    assert np.corrcoef(gaps[1:], gaps[:-1])[0, 1] == pytest.approx(0, abs=0.01)


def test_counted_requests_are_not_a_poisson_process() -> None:
    assert set(counts({"step": {"rps": 20}}, 100)) == {20}


def test_a_poisson_process_follows_its_rates() -> None:
    csv = "time,rps\n0,5\n1000,0\n2000,50\n3000,0"
    times = feed({"trace": {"csv": csv, "arrivals": "Poisson"}}).arrivals(4000 * SECOND)
    parts = np.bincount(times // (1000 * SECOND), minlength=4)
    assert parts[1] == parts[3] == 0
    assert parts[0] == pytest.approx(5000, abs=5 * math.sqrt(5000))
    assert parts[2] == pytest.approx(50_000, abs=5 * math.sqrt(50_000))


def test_the_mean_of_a_poisson_ramp_is_what_a_ramp_would_have() -> None:
    pattern = {"ramp": {"delta": 0.5, "max": 1000, "arrivals": "Poisson"}}
    times = feed(pattern).arrivals(10_000 * SECOND)
    # Up through 2,000 steps and a last one above 1,000 that is left out, and down again.
    wanted = 2 * sum(0.5 * step for step in range(1, 2002))
    assert len(times) == pytest.approx(wanted, abs=5 * math.sqrt(wanted))


def test_marks_of_a_poisson_process_do_not_depend_on_the_rate() -> None:
    slow, fast = (
        Poisson(Steady(rate), np.random.Generator(np.random.PCG64(1))).take(100 * SECOND)
        for rate in (1, 2)
    )
    together = min(len(slow), len(fast))
    assert np.abs(slow[:together] - 2 * fast[:together]).max() <= 2


def test_recorded_requests_come_when_they_came() -> None:
    assert _seconds({"trace": {"csv": "arrival\n0.5\n0.5\n2"}}, 60) == [0.5, 0.5, 2]


def test_recorded_requests_can_be_faster_more_and_again() -> None:
    trace = {"csv": "arrival\n1\n2\n4"}
    assert _seconds({"trace": {**trace, "speed": 2}}, 60) == [0.5, 1, 2]
    assert _seconds({"trace": {**trace, "scale": 2}}, 60) == [1, 1, 2, 2, 4, 4]
    assert _seconds({"trace": {**trace, "scale": 0.5}}, 60) == [1, 4]
    # A round is 6 s long: the last row is followed by as much as came before it.
    assert _seconds({"trace": {**trace, "repeat": True}}, 14) == [1, 2, 4, 7, 8, 10, 13]


def test_a_trace_that_is_scaled_to_nothing_is_over_at_once() -> None:
    nothing = feed({"trace": {"csv": "arrival\n1\n2", "scale": 1e-7, "repeat": True}})
    assert nothing.next_after(0) is None
    assert len(nothing.arrivals(60 * SECOND)) == 0


def test_a_sum_has_the_arrivals_of_all_its_parts_in_order() -> None:
    parts = [{"constant": {"rps": 2}}, {"trace": {"csv": "arrival\n0.25\n0.5"}}]
    assert _seconds({"sum": parts}, 1.2) == [0, 0.25, 0.5, 0.5, 1]


def test_parts_of_a_sum_have_luck_of_their_own() -> None:
    times = feed({"sum": [{"step": {"rps": 50}}, {"step": {"rps": 50}}]}).arrivals(10 * SECOND)
    assert per_second(times, 10) == [100] * 10
    assert len(set(times.tolist())) == 1000
