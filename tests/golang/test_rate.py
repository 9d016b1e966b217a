"""Tokens: a burst at once, then a steady rate, and debts that are worked off."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from kubestage.golang.rate import Limiter
from kubestage.units import SECOND_NS


def test_the_first_burst_goes_at_once_and_then_one_each_interval() -> None:
    limiter = Limiter(10.0, 3)
    sent = [limiter.charge(5 * SECOND_NS) for _ in range(6)]
    tenth = SECOND_NS // 10
    assert [round((at - 5 * SECOND_NS) / tenth, 3) for at in sent] == [0, 0, 0, 1, 2, 3]


def test_tokens_come_back_up_to_the_burst_and_no_further() -> None:
    limiter = Limiter(10.0, 3)
    limiter.charge(0, 3)
    assert limiter.available(0) == 0
    assert limiter.available(SECOND_NS // 10) == 1
    assert limiter.available(SECOND_NS * 100) == 3


def test_what_is_owed_comes_back_first() -> None:
    limiter = Limiter(10.0, 2)
    limiter.charge(0, 12)
    assert limiter.available(SECOND_NS // 2) == 0
    assert limiter.ready_ns(SECOND_NS // 2) == 11 * SECOND_NS // 10
    assert limiter.ready_ns(SECOND_NS // 2, 2) == 12 * SECOND_NS // 10


@given(
    st.floats(0.1, 5000.0),
    st.integers(1, 500),
    st.lists(st.integers(0, SECOND_NS), min_size=1, max_size=80),
)
def test_never_more_than_the_burst_and_the_rate_allow(
    qps: float, burst: int, gaps: list[int]
) -> None:
    limiter = Limiter(qps, burst)
    now_ns, sent = 0, []
    for gap in gaps:
        now_ns += gap
        sent.append(limiter.charge(now_ns))
    assert sent == sorted(sent)
    for first in range(len(sent)):
        for last in range(first, len(sent)):
            allowed = burst + (sent[last] - sent[first]) * qps / SECOND_NS
            assert last - first + 1 <= allowed + 0.01


@given(st.floats(0.1, 5000.0), st.integers(1, 500), st.integers(1, 40))
def test_at_the_time_that_is_returned_there_are_as_many(
    qps: float, burst: int, wanted: int
) -> None:
    limiter = Limiter(qps, burst)
    limiter.charge(SECOND_NS, burst + 7)
    at_ns = limiter.ready_ns(SECOND_NS, min(wanted, burst))
    assert limiter.available(at_ns) >= min(wanted, burst)


def test_a_full_bucket_lets_a_burst_go_and_then_one_each_period() -> None:
    limiter = Limiter(10, 3)
    assert [limiter.reserve(0) for _ in range(6)] == [
        0, 0, 0, SECOND_NS // 10, SECOND_NS // 5, 3 * SECOND_NS // 10,
    ]  # fmt: skip


def test_a_reservation_comes_back_up_to_a_burst() -> None:
    limiter = Limiter(10, 2)
    assert [limiter.reserve(0) for _ in range(2)] == [0, 0]
    later = 1000 * SECOND_NS
    assert [limiter.reserve(later) - later for _ in range(3)] == [0, 0, SECOND_NS // 10]


def test_half_a_token_is_half_a_wait() -> None:
    limiter = Limiter(1, 1)
    assert limiter.reserve(0) == 0
    assert limiter.reserve(SECOND_NS // 2) == SECOND_NS


def test_several_tokens_are_taken_at_once() -> None:
    limiter = Limiter(2, 4)
    assert limiter.reserve(0, 3) == 0
    assert limiter.reserve(0, 3) == SECOND_NS


@given(
    st.floats(0.5, 1000),
    st.integers(1, 20),
    st.lists(st.integers(0, SECOND_NS), min_size=1, max_size=60),
)
def test_who_asks_first_goes_first_and_never_faster_than_allowed(
    qps: float, burst: int, pauses_ns: list[int]
) -> None:
    limiter, now_ns, gone_ns = Limiter(qps, burst), 0, []
    for pause_ns in pauses_ns:
        now_ns += pause_ns
        gone_ns.append(limiter.reserve(now_ns))
        assert gone_ns[-1] >= now_ns
    # Rounding down to a nanosecond may put two neighbours one nanosecond out of line.
    assert all(later >= earlier - 1 for earlier, later in itertools.pairwise(gone_ns))
    for first in range(len(gone_ns)):
        for last in range(first + burst, len(gone_ns)):
            least_ns = (last - first + 1 - burst) / qps * SECOND_NS
            assert gone_ns[last] - gone_ns[first] >= least_ns - 1000


def test_a_token_is_allowed_when_it_is_there_and_taken_only_then() -> None:
    limiter = Limiter(1 / 300, 2)
    assert [limiter.allow(SECOND_NS) for _ in range(3)] == [True, True, False]
    assert not limiter.allow(300 * SECOND_NS)
    assert limiter.allow(301 * SECOND_NS)
    assert not limiter.allow(301 * SECOND_NS)
