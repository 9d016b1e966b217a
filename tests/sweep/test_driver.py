from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.sweep.axes import Axis
from kubestage.sweep.base_run import Base
from kubestage.sweep.design import Design
from kubestage.sweep.driver import Driver
from kubestage.sweep.engines.local import InProcessPool, LocalEngine
from kubestage.sweep.store import RowStore
from tests.sweep import inputs

if TYPE_CHECKING:
    import pathlib

    from kubestage.sweep.engines.engine import Pool, Work
    from kubestage.sweep.rows import Row


@pytest.fixture
def base(tmp_path: pathlib.Path) -> Base:
    return Base.read(["run", inputs.cluster(tmp_path)])


class Backwards:
    """An engine whose rows come in the opposite order."""

    def open(self, work: Work) -> Pool:
        return _BackwardsPool(work)


class _BackwardsPool(InProcessPool):
    slots = 100

    def next(self) -> Row:
        self._tasks.reverse()
        row = super().next()
        self._tasks.reverse()
        return row


def _design(*values: int, seeds: tuple[int, ...] = (1, 2)) -> Design:
    return Design((Axis(inputs.CPU, values),), seeds)


def test_rows_are_in_the_order_of_the_design_whatever_comes_first(base: Base) -> None:
    forwards = Driver(base, _design(1, 5), LocalEngine(1)).run()
    backwards = Driver(base, _design(1, 5), Backwards()).run()
    assert forwards == backwards
    assert [row.index for row in forwards.rows] == [0, 1, 2, 3]
    assert [each.parameters for each in forwards.settings()] == [{inputs.CPU: 1}, {inputs.CPU: 5}]
    assert forwards.settings()[1].values("pending") == {1: 1, 2: 1}
    assert forwards.measures["pending"].better == "less"


def test_equal_runs_are_computed_once(base: Base) -> None:
    driver = Driver(base, Design((Axis(inputs.CPU, (1, 1, 1)),), (1,)), LocalEngine(1))
    table = driver.run()
    assert driver.computed == 1
    assert len(table.rows) == 3
    assert len({row.key for row in table.rows}) == 1


def test_more_seeds_compute_only_what_is_missing(base: Base) -> None:
    driver = Driver(base, _design(1, 5), LocalEngine(1))
    first = driver.run()
    assert driver.computed == 4
    more = driver.more_seeds(2)
    assert driver.computed == 8
    assert more.rows[:4] == first.rows
    assert [row.seed for row in more.rows] == [1, 1, 2, 2, 3, 3, 4, 4]


def test_known_rows_are_not_computed_again(base: Base, tmp_path: pathlib.Path) -> None:
    def run(design: Design) -> tuple[int, list[Row]]:
        store = RowStore(tmp_path / "s.sqlite")
        store.start({})
        driver = Driver(base, design, LocalEngine(1), store)
        table = driver.run()
        store.finish(table, {})
        return driver.computed, list(table.rows)

    computed, rows = run(_design(1, 5))
    assert computed == 4
    computed, again = run(_design(1, 5))
    assert computed == 0
    assert again == rows
    # Other designs share the runs that they have in common.
    assert run(_design(2, 5))[0] == 2
    assert run(_design(1, 2, 5))[0] == 0


def test_a_failed_run_is_a_row_among_others(base: Base) -> None:
    design = Design((Axis(inputs.CPU, ("1", "-1", "2")),), (1,))
    table = Driver(base, design, LocalEngine(1)).run()
    assert [row.error is None for row in table.rows] == [True, False, True]
    assert table.errors == [table.rows[1]]
