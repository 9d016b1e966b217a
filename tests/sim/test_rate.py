"""Tokens: a burst at once, then a steady rate, and debts that are worked off."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubestage.sim.rate import Rate
from kubestage.units import SECOND_NS


def test_the_first_burst_goes_at_once_and_then_one_each_interval() -> None:
    rate = Rate(10.0, 3)
    sent = [rate.take(5 * SECOND_NS) for _ in range(6)]
    tenth = SECOND_NS // 10
    assert [round((at - 5 * SECOND_NS) / tenth, 3) for at in sent] == [0, 0, 0, 1, 2, 3]


def test_tokens_come_back_up_to_the_burst_and_no_further() -> None:
    rate = Rate(10.0, 3)
    rate.take(0, 3)
    assert rate.at_hand(0) == 0
    assert rate.at_hand(SECOND_NS // 10) == 1
    assert rate.at_hand(SECOND_NS * 100) == 3


def test_what_is_owed_comes_back_first() -> None:
    rate = Rate(10.0, 2)
    rate.take(0, 12)
    assert rate.at_hand(SECOND_NS // 2) == 0
    assert rate.next_ns(SECOND_NS // 2) == 11 * SECOND_NS // 10
    assert rate.next_ns(SECOND_NS // 2, 2) == 12 * SECOND_NS // 10


@given(
    st.floats(0.1, 5000.0),
    st.integers(1, 500),
    st.lists(st.integers(0, SECOND_NS), min_size=1, max_size=80),
)
def test_never_more_than_the_burst_and_the_rate_allow(
    qps: float, burst: int, gaps: list[int]
) -> None:
    rate = Rate(qps, burst)
    now_ns, sent = 0, []
    for gap in gaps:
        now_ns += gap
        sent.append(rate.take(now_ns))
    assert sent == sorted(sent)
    for first in range(len(sent)):
        for last in range(first, len(sent)):
            allowed = burst + (sent[last] - sent[first]) * qps / SECOND_NS
            assert last - first + 1 <= allowed + 0.01


@given(st.floats(0.1, 5000.0), st.integers(1, 500), st.integers(1, 40))
def test_at_the_time_that_is_told_there_are_as_many(qps: float, burst: int, wanted: int) -> None:
    rate = Rate(qps, burst)
    rate.take(SECOND_NS, burst + 7)
    at_ns = rate.next_ns(SECOND_NS, min(wanted, burst))
    assert rate.at_hand(at_ns) >= min(wanted, burst)
