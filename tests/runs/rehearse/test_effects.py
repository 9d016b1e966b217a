"""What a rehearsal did to workloads."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kubestage.runs.rehearse import effects
from kubestage.runs.rehearse.effects import WorkloadEffect

_MOMENTS = st.integers(0, 8).map(float)
_WINDOWS = st.lists(st.tuples(_MOMENTS, _MOMENTS).map(lambda pair: tuple(sorted(pair))), max_size=4)


def _row(
    name: str,
    windows: list[tuple[float, float]],
    lowest_at: float | None = None,
    lowest: int = 0,
    desired: int = 3,
) -> WorkloadEffect:
    return WorkloadEffect(name, desired, lowest, lowest_at, 0.0, 0.0, 3, windows, 3)


def test_nothing_is_worst_where_all_was_well() -> None:
    assert effects.worst_of([_row("a", [])]) is None


def test_the_worst_of_has_the_most_workloads_below_desired() -> None:
    rows = [_row("a", [(1.0, 4.0)]), _row("b", [(3.0, 6.0)]), _row("c", [(4.0, 5.0)])]
    found = effects.worst_of(rows)
    assert found is not None
    assert (found.at_seconds, found.workloads) == (3.0, ["a", "b"])


def test_of_several_worst_ofs_that_of_the_lowest_points_counts() -> None:
    rows = [
        _row("a", [(1.0, 6.0)], lowest_at=2.0, lowest=2),
        _row("b", [(1.0, 6.0)], lowest_at=5.0, lowest=0),
    ]
    found = effects.worst_of(rows)
    assert found is not None
    assert (found.at_seconds, found.workloads) == (5.0, ["a", "b"])


@st.composite
def _rows(draw: Any) -> list[WorkloadEffect]:
    return [
        _row(
            f"w{number}",
            draw(_WINDOWS),
            draw(st.none() | _MOMENTS),
            draw(st.integers(0, 3)),
            draw(st.integers(3, 5)),
        )
        for number in range(draw(st.integers(0, 5)))
    ]


def _below(row: WorkloadEffect, at: float) -> bool:
    return any(begin <= at < end for begin, end in row.windows)


@given(_rows())
def test_it_is_the_same_as_by_a_look_at_every_moment(rows: list[WorkloadEffect]) -> None:
    best: tuple[int, int] = (0, 0)
    expected: tuple[float, list[str]] | None = None
    lowest_points = {each.ready_lowest_at_seconds for each in rows if each.windows} - {None}
    begins = {begin for each in rows for begin, _ in each.windows}
    for at in sorted(begins | {each for each in lowest_points if each is not None}):
        below = [each for each in rows if _below(each, at)]
        missing = [
            each.desired - each.ready_lowest for each in below if each.ready_lowest_at_seconds == at
        ]
        if (len(below), sum(missing)) > best:
            best = (len(below), sum(missing))
            expected = (at, [each.workload for each in below])
    found = effects.worst_of(rows)
    assert (None if found is None else (found.at_seconds, found.workloads)) == expected
