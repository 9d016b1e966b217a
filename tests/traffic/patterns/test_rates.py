"""Formulas of patterns: requests in each second, as Skenario has them."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest

from kubestage.objects import request_traces
from kubestage.traffic.patterns.rates import Ramp, Rates, RateTable, Sinusoidal, Steady
from kubestage.units import SECOND_NS
from tests.traffic.building import counts, feed


def _table(csv: str, scale: float = 1, speed: float = 1, *, repeats: bool = False) -> RateTable:
    return RateTable(request_traces.read(csv), scale, speed, repeats=repeats)


def _a_second(rates: Rates, seconds: int) -> list[float]:
    return [float(each) for each in np.diff(rates.expected(0, seconds))]


@pytest.mark.parametrize("arrivals", ["Uniform", "Even"])
@pytest.mark.parametrize(
    ("delta", "most", "wanted"),
    [
        (1, 3, [1, 2, 3, 3, 2, 1, 0, 0]),
        (2, 5, [2, 4, 4, 2, 0, 0]),
        (5, 5, [5, 5, 0, 0]),
        (0.5, 2, [0, 1, 1, 2, 2, 2, 2, 1, 1, 0, 0, 0]),
        (1.5, 4, [1, 3, 4, 4, 3, 1, 0, 0]),
        (0.1, 0.3, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ],
)
def test_a_ramp_rises_by_delta_each_second_and_falls_again(
    arrivals: str, delta: float, most: float, wanted: list[int]
) -> None:
    pattern = {"ramp": {"delta": delta, "max": most, "arrivals": arrivals}}
    assert counts(pattern, len(wanted)) == wanted


def test_a_ramp_adds_up_as_skenario_does_and_not_by_products() -> None:
    # Ten times 0.1 added up is below 1; 10 * 0.1 is 1.
    assert counts({"ramp": {"delta": 0.1, "max": 1}}, 11)[:11] == [0] * 10 + [1]


def test_a_wave_has_the_counts_of_skenario_s_own_test() -> None:
    wanted = [
        20, 26, 32, 36, 39, 40, 39, 36, 32, 26, 20, 14, 8, 4, 1,
        0, 1, 4, 8, 14, 20, 26, 32, 36, 39, 40, 39, 36, 32, 26,
    ]  # fmt: skip
    assert counts({"sinusoidal": {"amplitude": 20, "period": "20s"}}, 30) == wanted
    assert sum(wanted) == 726


def test_a_wave_rounds_halves_up() -> None:
    # There are 1.5 at 1 s and 5 s. At 7 s and 11 s floating point leaves less than a half.
    assert counts({"sinusoidal": {"amplitude": 1, "period": "12s"}}, 12) == [
        1, 2, 2, 2, 2, 2, 1, 0, 0, 0, 0, 0,
    ]  # fmt: skip


def test_a_wave_that_is_a_mean_is_not_rounded() -> None:
    wave = _a_second(Sinusoidal(1.0, 8.0, is_whole=False), 8)
    assert wave == pytest.approx([1 + math.sin(2 * math.pi * t / 8) for t in range(8)])


@pytest.mark.parametrize(
    ("after", "wanted"), [("0s", [10] * 5), ("2s", [0, 0, 10, 10, 10]), ("9s", [0] * 5)]
)
def test_a_step_has_nothing_before_and_the_same_each_second_after(
    after: str, wanted: list[int]
) -> None:
    assert counts({"step": {"rps": 10, "after": after}}, 5) == wanted


def test_the_seconds_of_a_step_begin_with_it() -> None:
    times = feed({"step": {"rps": 10, "after": "500ms"}}).arrivals(10 * SECOND_NS)
    assert times[0] >= SECOND_NS // 2
    assert list(np.bincount((times - SECOND_NS // 2) // SECOND_NS)[:9]) == [10] * 9


def test_parts_of_a_request_add_up_to_whole_ones() -> None:
    assert counts({"step": {"rps": 0.25}}, 12) == [1, 0, 0, 0] * 3
    assert counts({"step": {"rps": 2.5}}, 4) == [3, 2, 3, 2]
    assert sum(counts({"step": {"rps": 0.1}}, 100_000)) == 10_000
    # Ten times 1.1 is a bit more than 11; that is no reason for a twelfth.
    assert sum(counts({"step": {"rps": 1.1}}, 10)) == 11


def test_a_rate_holds_until_the_next_row_and_the_last_one_for_ever() -> None:
    table = _table("time,rps\n0,10\n2,20\n3.5,0\n5,4")
    assert _a_second(table, 8) == [10, 10, 20, 10, 0, 4, 4, 4]


def test_before_the_first_row_there_is_nothing() -> None:
    assert _a_second(_table("time,rps\n2,7"), 4) == [0, 0, 7, 7]


def test_scale_is_for_rates_and_speed_for_times() -> None:
    assert _a_second(_table("time,rps\n0,10\n4,20", scale=3, speed=2), 4) == [30, 30, 60, 60]


def test_a_trace_that_repeats_has_a_last_row_as_long_as_the_one_before() -> None:
    table = _table("time,rps\n0,1\n2,5\n3,9", repeats=True)
    assert _a_second(table, 9) == [1, 1, 5, 9, 1, 1, 5, 9, 1]


def test_rounds_need_not_be_whole_seconds() -> None:
    table = _table("time,rps\n0,4\n0.75,8", repeats=True)
    assert sum(_a_second(table, 3)) == pytest.approx(2 * (0.75 * 4 + 0.75 * 8))


def test_calls_one_after_the_other_go_on() -> None:
    for make in (
        lambda: Steady(2.5),
        lambda: Ramp(0.3, 7, is_whole=False),
        lambda: Sinusoidal(3.3, 7.7, is_whole=False),
        lambda: _table("time,rps\n0,1.1\n0.7,0.3", repeats=True),
    ):
        whole, parts = make(), make()
        parts = pickle.loads(pickle.dumps(parts))
        pieces = [parts.expected(0, 3), parts.expected(3, 4), parts.expected(4, 20)]
        joined = np.concatenate([pieces[0], *(each[1:] for each in pieces[1:])])
        assert (joined == whole.expected(0, 20)).all()
        assert all(a[-1] == b[0] for a, b in itertools.pairwise(pieces))


def test_it_is_told_when_there_can_be_requests_again() -> None:
    assert Steady(1).busy_from(5) == 5
    ramp = Ramp(1, 2, is_whole=True)
    assert [ramp.busy_from(second) for second in (0, 4, 5)] == [0, 4, None]
    table = _table("time,rps\n10,1\n20,0\n30,5\n40,0")
    assert [table.busy_from(at) for at in (0, 10, 19, 20, 25, 39, 40)] == [
        10, 10, 19, 30, 30, 39, None,
    ]  # fmt: skip
    assert _table("time,rps\n0,0").busy_from(3) is None


def test_it_is_told_over_the_end_of_a_round() -> None:
    table = _table("time,rps\n0,0\n10,1\n20,0\n30,0", repeats=True)
    assert [table.busy_from(at) for at in (0, 15, 20, 39, 40, 55, 65)] == [
        10, 15, 50, 50, 50, 55, 90,
    ]  # fmt: skip
