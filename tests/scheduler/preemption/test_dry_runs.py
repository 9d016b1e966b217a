"""The outcomes of dry runs, kept as numbers and told by name."""

from __future__ import annotations

import numpy as np

from kubestage.scheduler.preemption.dry_runs import NO_VICTIMS, DryRun, DryRuns
from kubestage.scheduler.status import error, unschedulable

NAMES = ("a", "b", "c", "d")
FULL = unschedulable("full")


def _runs() -> DryRuns:
    runs = DryRuns(NAMES, np.array([2, 3, 0, 1]))
    runs.note(np.array([1, 3]), DryRun(FULL))
    return runs


def test_who_is_not_noted_has_nobody_to_preempt() -> None:
    told = _runs().by_node()
    assert list(told) == ["c", "d", "a", "b"]
    assert [run.status for run in told.values()] == [NO_VICTIMS, FULL, NO_VICTIMS, FULL]


def test_rows_that_came_to_the_same_are_one_group() -> None:
    runs = _runs()
    runs.note(np.array([0]), DryRun(unschedulable("full")))
    groups = [(sorted(rows.tolist()), status) for rows, status in runs.groups()]
    assert groups == [([0], NO_VICTIMS), ([1, 2, 3], FULL)]


def test_rows_after_the_last_that_counted_are_not_told_of() -> None:
    runs = _runs()
    runs.end_at(1)
    assert (len(runs), list(runs.by_node())) == (2, ["c", "d"])
    assert [rows.tolist() for rows, _ in runs.groups()] == [[2], [3]]


def test_errors_come_in_the_order_of_the_rows() -> None:
    runs = _runs()
    assert runs.errors() == []
    runs.note_each([2, 0], [DryRun(error("late")), DryRun(error("early"))])
    assert runs.errors() == ["early", "late"]
