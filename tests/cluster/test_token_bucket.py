"""The bucket answers what golang.org/x/time/rate answers."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from kubestage.cluster.token_bucket import TokenBucket
from kubestage.units import SECOND_NS


def test_a_full_bucket_lets_a_burst_go_and_then_one_each_period() -> None:
    bucket = TokenBucket(10, 3)
    assert [bucket.reserve(0) for _ in range(6)] == [
        0, 0, 0, SECOND_NS // 10, SECOND_NS // 5, 3 * SECOND_NS // 10,
    ]  # fmt: skip


def test_tokens_come_back_up_to_a_burst() -> None:
    bucket = TokenBucket(10, 2)
    assert [bucket.reserve(0) for _ in range(2)] == [0, 0]
    later = 1000 * SECOND_NS
    assert [bucket.reserve(later) - later for _ in range(3)] == [0, 0, SECOND_NS // 10]


def test_half_a_token_is_half_a_wait() -> None:
    bucket = TokenBucket(1, 1)
    assert bucket.reserve(0) == 0
    assert bucket.reserve(SECOND_NS // 2) == SECOND_NS


def test_several_tokens_are_taken_at_once() -> None:
    bucket = TokenBucket(2, 4)
    assert bucket.reserve(0, 3) == 0
    assert bucket.reserve(0, 3) == SECOND_NS


@given(
    st.floats(0.5, 1000),
    st.integers(1, 20),
    st.lists(st.integers(0, SECOND_NS), min_size=1, max_size=60),
)
def test_who_asks_first_goes_first_and_never_faster_than_allowed(
    qps: float, burst: int, pauses_ns: list[int]
) -> None:
    bucket, now_ns, gone_ns = TokenBucket(qps, burst), 0, []
    for pause_ns in pauses_ns:
        now_ns += pause_ns
        gone_ns.append(bucket.reserve(now_ns))
        assert gone_ns[-1] >= now_ns
    # Rounding down to a nanosecond may put two neighbours one nanosecond out of line.
    assert all(later >= earlier - 1 for earlier, later in itertools.pairwise(gone_ns))
    for first in range(len(gone_ns)):
        for last in range(first + burst, len(gone_ns)):
            least_ns = (last - first + 1 - burst) / qps * SECOND_NS
            assert gone_ns[last] - gone_ns[first] >= least_ns - 1000
