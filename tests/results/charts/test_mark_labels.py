"""Labels of marks are where they can be read."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from kubestage.results.charts.life import mark_labels

if TYPE_CHECKING:
    from kubestage.results.charts.life.mark_labels import MarkLabel

PLOT = 450
CHARACTER = 5.4
KINDS = ("failure", "eviction", "falls silent", "rescale")


def _row(at: float, label: str = "failure", number: int = 1) -> dict[str, Any]:
    return {"atSeconds": at, "mark": label, "label": label, "number": number}


def _place(each: MarkLabel, seconds: float) -> float:
    return PLOT * float(each.row["atSeconds"]) / seconds


def _span(each: MarkLabel, seconds: float) -> tuple[float, float]:
    at, width = _place(each, seconds), CHARACTER * len(each.text)
    return (at - width, at) if each.is_left else (at, at + width)


def test_marks_of_one_moment_are_one_above_the_other() -> None:
    found = mark_labels.placed([_row(50, "eviction"), _row(50, "recovery")], 100)
    assert sorted(each.level for each in found) == [0, 1]


def test_a_later_mark_is_lower_so_that_its_line_crosses_no_label() -> None:
    found = mark_labels.placed([_row(10, "eviction"), _row(12, "recovery")], 100)
    levels = {each.row["atSeconds"]: each.level for each in found}
    assert levels == {12: 0, 10: 1}


def test_a_label_that_would_leave_the_plot_is_at_the_left_of_its_line() -> None:
    first, last = mark_labels.placed([_row(99), _row(1)], 100)
    assert (first.is_left, last.is_left) == (True, False)


def test_several_marks_are_counted() -> None:
    (found,) = mark_labels.placed([_row(1, "eviction", 12)], 100)
    assert found.text == "12× eviction"


def test_marks_of_a_kind_close_together_share_a_label() -> None:
    rows = [_row(at, "eviction") for at in (10, 12, 14, 60)]
    found = mark_labels.placed(rows, 100)
    assert {each.row["atSeconds"]: each.text for each in found} == {
        10: "3× eviction",
        60: "eviction",
    }


@given(st.lists(st.tuples(st.floats(0, 1000), st.sampled_from(KINDS)), max_size=20))
def test_no_label_overlaps_another_or_is_crossed_by_a_line(marks: list[tuple[float, str]]) -> None:
    found = mark_labels.placed([_row(at, label) for at, label in marks], 1000)
    for one, other in itertools.permutations(found, 2):
        begin, end = _span(one, 1000)
        if one.level == other.level:
            other_begin, other_end = _span(other, 1000)
            assert end <= other_begin or other_end <= begin
        if other.level > one.level:
            assert not begin < _place(other, 1000) < end
