"""Requests come the same however they are asked for, and only while they should."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.traffic import spec
from kubestage.traffic.feed import Feed
from tests.traffic.building import SECOND, feed, traffic

if TYPE_CHECKING:
    from kubestage.aliases import Json

HOW = ("Uniform", "Poisson", "Even")
RATES = "time,rps\n0.5,3.3\n4,0\n7,11\n9.25,1"
EVERY: list[Json] = [
    {"uniform": {"requests": 5000, "start": "1500ms", "duration": "20s"}},
    {"poisson": {"rps": 17.5}},
    {"constant": {"rps": 3.7}},
    {"trace": {"csv": "arrival\n0\n0\n1.5\n2.25", "repeat": True, "scale": 1.5, "speed": 0.7}},
    {"trace": {"csv": "arrival\n0.5\n9\n31"}},
    *({"step": {"rps": 12.5, "after": "700ms", "arrivals": how}} for how in HOW),
    *({"ramp": {"delta": 0.7, "max": 9, "arrivals": how}} for how in HOW),
    *({"sinusoidal": {"amplitude": 5, "period": "7s", "arrivals": how}} for how in HOW),
    *({"trace": {"csv": RATES, "repeat": True, "speed": 1.3, "arrivals": how}} for how in HOW),
]
EVERY.append({"sum": EVERY[1:6]})
ENDS = st.lists(st.integers(0, 40 * SECOND), max_size=6)


def _whole(pattern: Json, **more: Any) -> list[int]:
    return [int(at) for at in feed(pattern, **more).arrivals(40 * SECOND)]


@pytest.mark.parametrize("pattern", EVERY, ids=str)
@settings(max_examples=25)
@given(ends=ENDS, seconds=st.lists(st.integers(0, 40), max_size=6))
def test_arrivals_do_not_depend_on_the_windows(
    pattern: Json, ends: list[int], seconds: list[int]
) -> None:
    ends = sorted([*ends, *(each * SECOND for each in seconds), 40 * SECOND])
    cut = feed(pattern)
    found: list[int] = []
    last = 0
    for end in ends:
        part = cut.arrivals(end)
        assert part.dtype == np.int64
        assert all(last <= at < end for at in part)
        found += [int(at) for at in part]
        last = end
    assert found == sorted(found)
    assert found == _whole(pattern)


@pytest.mark.parametrize("pattern", EVERY, ids=str)
def test_a_feed_goes_on_from_a_pickle(pattern: Json) -> None:
    first = feed(pattern)
    first.arrivals(11 * SECOND)
    first.demands(5)
    second = pickle.loads(pickle.dumps(first))
    assert (first.arrivals(40 * SECOND) == second.arrivals(40 * SECOND)).all()
    for ours, theirs in zip(first.demands(100), second.demands(100), strict=True):
        assert (ours == theirs).all()


@pytest.mark.parametrize("pattern", EVERY, ids=str)
def test_no_request_comes_before_it_was_said_that_one_can(pattern: Json) -> None:
    asked = feed(pattern)
    for second in range(40):
        can_be = asked.next_after(second * SECOND)
        times = asked.arrivals((second + 1) * SECOND)
        assert can_be is None or can_be >= second * SECOND
        if len(times):
            assert can_be is not None
            assert times[0] >= can_be


@pytest.mark.parametrize("pattern", EVERY, ids=str)
def test_times_count_from_where_the_traffic_begins(pattern: Json) -> None:
    begin = 3 * SECOND + 7
    made = feed(pattern, begin_ns=begin)
    later = [int(at) - begin for at in made.arrivals(begin + 40 * SECOND)]
    assert made.begin_ns == begin
    assert later == _whole(pattern)


def test_seed_and_name_decide_the_luck() -> None:
    pattern: Json = {"poisson": {"rps": 5}}
    made = spec.read(traffic(pattern, request={"cpu": "exp(1s)"}))

    def uniform(seed: int, name: str) -> tuple[Any, ...]:
        one = Feed(made, seed, name, 0)
        cpu_ns, _, uniform_left = one.demands(3)
        return (one.arrivals(SECOND).tolist(), cpu_ns.tolist(), uniform_left.tolist())

    assert uniform(1, "a") == uniform(1, "a")
    for other in (uniform(2, "a"), uniform(1, "b")):
        assert all(ours != theirs for ours, theirs in zip(uniform(1, "a"), other, strict=True))


def test_requests_begin_after_the_start_and_end_with_the_duration() -> None:
    bounded = feed({"constant": {"rps": 1}}, startAfter="5s", duration="3s")
    assert bounded.begin_ns == 5 * SECOND
    assert bounded.next_after(0) == 5 * SECOND
    assert list(bounded.arrivals(7 * SECOND)) == [5 * SECOND, 6 * SECOND]
    assert bounded.next_after(7 * SECOND) == 7 * SECOND
    assert list(bounded.arrivals(60 * SECOND)) == [7 * SECOND]
    assert bounded.next_after(60 * SECOND) is None


def test_a_pattern_that_is_over_says_so() -> None:
    for pattern in (
        {"uniform": {"requests": 2, "duration": "1s"}},
        {"ramp": {"delta": 1, "max": 2}},
        {"trace": {"csv": "arrival\n0\n1"}},
        {"trace": {"csv": "time,rps\n0,1\n3,0"}},
    ):
        over = feed(pattern)
        over.arrivals(20 * SECOND)
        assert over.next_after(20 * SECOND) is None
        assert len(over.arrivals(10**6 * SECOND)) == 0


def test_idle_time_can_be_skipped() -> None:
    quiet = feed({"trace": {"csv": "time,rps\n5000,2"}})
    assert quiet.next_after(0) == 5000 * SECOND
    recorded = feed({"trace": {"csv": "arrival\n86400"}})
    assert recorded.next_after(0) == 86400 * SECOND
    assert len(recorded.arrivals(SECOND)) == 0
    assert recorded.next_after(SECOND) == 86400 * SECOND


def test_what_requests_need_has_three_streams_that_do_not_disturb_one_another() -> None:
    one = feed({"poisson": {"rps": 1}}, request={"cpu": "exp(1s)", "io": "exp(1s)"})
    other = feed({"poisson": {"rps": 1}}, request={"cpu": "5ms", "io": "exp(1s)"})
    mine, others = one.demands(50), other.demands(50)
    assert (mine.io_ns == others.io_ns).all()
    assert (mine.uniform == others.uniform).all()
    assert (others.cpu_ns == 5_000_000).all()
    assert (mine.cpu_ns != mine.io_ns).all()
    assert mine.cpu_ns.dtype == np.float64
    assert mine.io_ns.dtype == np.int64
    assert ((mine.uniform >= 0) & (mine.uniform < 1)).all()


@given(portions=st.lists(st.integers(0, 30), max_size=6))
def test_what_requests_need_does_not_depend_on_the_portions(portions: list[int]) -> None:
    request = {"cpu": "lognormal(1s,2s)", "io": "normal(1s,2s)"}
    cut = feed({"poisson": {"rps": 1}}, request=request)
    parts = [cut.demands(count) for count in portions]
    whole = feed({"poisson": {"rps": 1}}, request=request).demands(sum(portions))
    for column in range(3):
        joined = [each for part in parts for each in part[column].tolist()]
        assert joined == whole[column].tolist()
