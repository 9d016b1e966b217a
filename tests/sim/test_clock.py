from __future__ import annotations

import datetime as dt
import pickle

from kubestage.sim import Clock


def test_time_begins_at_zero_of_a_calendar_that_begins_in_2026() -> None:
    clock = Clock()
    assert clock.now_ns == 0
    start = dt.datetime.fromtimestamp(clock.unix_ns // 10**9, tz=dt.UTC)
    assert start.isoformat() == "2026-01-01T00:00:00+00:00"


def test_unix_time_is_the_epoch_plus_the_time_since() -> None:
    clock = Clock(epoch_ns=10**18)
    clock.now_ns += 1
    assert clock.unix_ns == 10**18 + 1


def test_a_clock_pickles() -> None:
    clock = pickle.loads(pickle.dumps(Clock(epoch_ns=5, now_ns=7)))
    assert (clock.epoch_ns, clock.now_ns) == (5, 7)


def test_a_clock_that_restarts_counts_from_zero_and_the_calendar_from_where_it_is_told() -> None:
    clock = Clock(epoch_ns=1000, now_ns=30)
    clock.restart(1100)
    assert (clock.now_ns, clock.unix_ns, clock.elapsed_ns) == (0, 1100, 100)
    clock.now_ns += 5
    assert (clock.unix_ns, clock.elapsed_ns) == (1105, 105)
