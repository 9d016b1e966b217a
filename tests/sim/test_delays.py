from __future__ import annotations

import pickle
import random
import statistics

import pytest

from kubestage.errors import SimulationError
from kubestage.sim import Constant, Exponential, Streams


def test_a_constant_delay_is_always_the_same() -> None:
    delay = Constant(5)
    assert [delay.draw_ns(), delay.draw_ns()] == [5, 5]


def test_exponential_delays_have_the_mean_and_the_spread_of_their_law() -> None:
    delay = Exponential(Streams(1).stream("delay"), mean_ns=1_000_000)
    sample = [delay.draw_ns() for _ in range(20_000)]
    assert statistics.fmean(sample) == pytest.approx(1_000_000, rel=0.03)
    assert statistics.stdev(sample) == pytest.approx(1_000_000, rel=0.03)


class Unlucky(random.Random):
    def random(self) -> float:
        return 0.0


def test_a_delay_is_whole_nanoseconds_and_never_zero() -> None:
    delay = Exponential(Streams(1).stream("delay"), mean_ns=0.01)
    assert {delay.draw_ns() for _ in range(100)} == {1}
    assert Exponential(Unlucky(), mean_ns=1e9).draw_ns() == 1


def test_delays_pickle_with_their_stream() -> None:
    delay = Exponential(Streams(1).stream("delay"), mean_ns=1e9)
    delay.draw_ns()
    copy = pickle.loads(pickle.dumps(delay))
    assert [copy.draw_ns() for _ in range(5)] == [delay.draw_ns() for _ in range(5)]


def test_a_mean_that_is_not_positive_is_refused() -> None:
    with pytest.raises(SimulationError, match="above 0 ns"):
        Exponential(Streams(1).stream("delay"), mean_ns=0)
