"""Columns of times behave as lists of them where it matters."""

from __future__ import annotations

import pickle

import pytest

from kubestage.measure.columns import Nanoseconds
from kubestage.measure.transitions import Transition, TransitionTimes

TIMES = [3, 0, (1 << 62) + 1]


def test_a_column_equals_a_list_of_the_same_numbers() -> None:
    column = Nanoseconds(TIMES)
    assert column == TIMES
    assert column == TIMES
    assert column == Nanoseconds(TIMES)
    assert column != [3, 0]
    assert column != 3
    assert sorted(column) == sorted(TIMES)
    with pytest.raises(TypeError, match="unhashable"):
        hash(column)


def test_a_column_goes_to_other_processes() -> None:
    sent = pickle.loads(pickle.dumps(Nanoseconds(TIMES)))
    assert type(sent) is Nanoseconds
    assert sent == TIMES


def test_objects_that_skip_a_phase_leave_no_time_behind() -> None:
    times = TransitionTimes()
    for row, name in enumerate("abcde"):
        times.set_first(name, "begin", row)
    times.set_first("e", "end", 9)
    times.set("b", "end", 7)
    times.set_first("b", "end", 5)
    times.set_first("f", "end", 1)
    observed = times.observed(Transition("begin", "end"))
    assert (observed.keys, observed.began_ns, observed.took_ns) == (["b", "e"], [1, 4], [6, 5])
    assert [times.get(name, "end") for name in "acef"] == [None, None, 9, 1]
    assert (times.count("begin"), times.count("end"), times.count("never")) == (5, 3, 0)
    backwards = times.observed(Transition("end", "begin"))
    assert backwards.keys == ["e", "b"], "in the order in which they were observed"
    assert backwards.took_ns == [0, 0]


def test_times_before_1970_are_times() -> None:
    times = TransitionTimes()
    times.set("a", "begin", -5)
    times.set_first("a", "begin", 1)
    assert times.get("a", "begin") == -5
