"""The compiled kernels and their plain twins give the same numbers."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.scheduler import selection
from kubestage.scheduler.plugins import normalize, spread_scoring
from kubestage.scheduler.quick import compiled, compiling, kernels, layout
from kubestage.scheduler.quick.kernels import Amounts, NodeScores
from kubestage.scheduler.quick.layout import Nodes
from kubestage.scheduler.quick.plan_table import PlanTable, TemplateRequest
from kubestage.scheduler.quick.row_log import RowLog
from kubestage.scheduler.resource_table import ResourceTable

if TYPE_CHECKING:
    import pytest


def _table(draw: np.random.Generator, count: int) -> ResourceTable:
    table = ResourceTable(count)
    table.allocatable[:] = draw.integers(1, 2000, table.allocatable.shape)
    table.requested[:] = draw.integers(0, 2000, table.requested.shape)
    table.nonzero[:] = draw.integers(0, 2000, table.nonzero.shape)
    table.free[:] = table.allocatable - table.requested
    return table


def _asked(draw: np.random.Generator, count: int, strategy: int) -> TemplateRequest:
    lines = np.array([1, 2])
    amounts = Amounts(
        np.array([0, 1, 2]),
        draw.integers(0, 500, 3),
        lines,
        draw.integers(0, 500, 2),
        draw.integers(1, 5, 2),
        lines,
        draw.integers(0, 500, 2),
        strategy,
        int(draw.integers(0, 4)),
        int(draw.integers(0, 4)),
    )
    is_open, fixed = draw.random(count) < 0.8, draw.integers(0, 3, count)
    return TemplateRequest(amounts, is_open, fixed, None, None, (0, 0), {0: (1, 0), 1: (5, 5)})


def _nodes(table: ResourceTable, log: RowLog) -> Nodes:
    tables = table.free, table.allocatable, table.nonzero, table.requested
    return Nodes(*tables, log.ring, log.logged, np.zeros((0, 0), np.int32), np.zeros(0, np.int32))


def _copied(table_scores: NodeScores) -> NodeScores:
    copies: Any = (each.copy() for each in table_scores)
    return NodeScores(*copies)


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 1 << 32),
    count=st.integers(1, 300),
    strategy=st.sampled_from([kernels.LEAST_ALLOCATED, kernels.MOST_ALLOCATED]),
)
def test_all_three_work_out_the_same(seed: int, count: int, strategy: int) -> None:
    draw = np.random.default_rng(seed)
    table, asked = _table(draw, count), _asked(draw, count, strategy)
    plans = PlanTable(count, 4)
    number = plans.add(asked)
    at_once, single = _copied(plans.scores(number)), _copied(plans.scores(number))
    kernels.refresh(np.arange(count), table, asked.amounts, at_once)
    for row in range(count):
        kernels.work_out(
            row,
            *_nodes(table, RowLog(count))[:4],
            asked.amounts.lines,
            asked.amounts.least,
            np.array([asked.amounts.score_lines, asked.amounts.scored, asked.amounts.weights]),
            np.array([asked.amounts.balance_lines, asked.amounts.balanced]),
            np.array([asked.amounts.fit_weight, asked.amounts.balance_weight, strategy]),
            *single,
        )
    compiled.catch_up(number, _nodes(table, RowLog(count)), plans.arrays)
    for one, other, another in zip(at_once, single, plans.scores(number), strict=True):
        assert (one == other).all()
        assert (one == another).all()


def test_only_what_changed_is_worked_out_anew() -> None:
    draw = np.random.default_rng(1)
    table, log, plans = _table(draw, 50), RowLog(50), PlanTable(50, 4)
    number = plans.add(_asked(draw, 50, 0)._replace(is_open=np.ones(50, np.bool_)))
    table.free[:] = 1000
    compiled.catch_up(number, _nodes(table, log), plans.arrays)
    table.free[:] = 0
    log.note(7)
    compiled.catch_up(number, _nodes(table, log), plans.arrays)
    assert np.flatnonzero(~plans.arrays.feasible[number]).tolist() == [7]


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=200))
def test_the_winner_is_the_same(totals: list[int]) -> None:
    scores, order = np.array(totals), selection.pre_order_keys(len(totals))
    table_scores = NodeScores(*(np.ones(len(totals), np.bool_),) * 3, scores)  # type: ignore[arg-type]
    chosen = kernels.choose(table_scores, 0, len(totals))
    rows = np.arange(len(totals))
    assert compiled.best(scores, rows, order, False, len(totals)) == chosen.row
    assert compiled.best(scores, rows, rows[::-1].copy(), True, len(totals)) == max(
        place for place, total in enumerate(totals) if total == max(totals)
    )


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60), st.integers(1, 5), st.booleans())
def test_relative_scores_differ_alike(raw: list[int], weight: int, reverse: bool) -> None:
    totals, rows = np.zeros(len(raw), np.int64), np.arange(len(raw))
    compiled.add_scaled(np.array(raw), -weight if reverse else weight, rows, len(raw), totals)
    wanted = normalize.scaled(np.array(raw), reverse=reverse) * weight
    assert (totals - totals[0]).tolist() == (wanted - wanted[0]).tolist()


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60), st.integers(1, 5))
def test_spread_is_turned_over_alike(worth: list[float], weight: int) -> None:
    count = len(worth)
    totals, raw = np.zeros(count, np.int64), np.zeros(count, np.int64)
    ignored = np.zeros(count, np.bool_)
    compiled.add_turned(np.array(worth), weight, count, ignored, raw, totals)
    wanted = spread_scoring._turned_over(spread_scoring.rounded(np.array(worth)))
    assert totals.tolist() == (wanted * weight).tolist()


def test_compiled_kernels_are_loaded_when_enough_was_done_without() -> None:
    work = kernels.Compiled(1000)
    told: list[Any] = []
    work.on_load = told.append
    assert work.get(600) is None
    work.count(500)
    assert not told
    assert work.get(600) is compiled
    assert work.get(1) is compiled
    assert told == [compiled]


def test_attempts_that_were_made_without_them_are_reason_enough_in_the_end() -> None:
    work = kernels.Compiled(1000)
    work.count(kernels.ORDINARY * 150)
    assert work.get(1) is compiled


def test_where_there_is_no_numba_there_are_no_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    work = kernels.Compiled(10)
    assert not work.load()
    assert work.get(1000) is None


def test_kernels_of_another_layout_are_compiled_again() -> None:
    class Kernel:
        made = 0

        def __call__(self, *args: Any) -> int:
            return layout.STAMP if self.made else layout.STAMP + 1

        def recompile(self) -> None:
            self.made += 1

    found = [Kernel() for _ in range(3)]
    for _ in range(2):
        compiling.get_ready(*found)
    assert [each.made for each in found] == [1, 1, 1]
    assert compiled.stamp() == layout.STAMP


def test_the_log_tells_what_changed_since_or_all_if_that_is_too_long_ago() -> None:
    log = RowLog(3)
    assert log.since(-1).tolist() == [0, 1, 2]
    log.note(2)
    seen = log.count
    log.note(1)
    log.note(2)
    assert log.since(seen).tolist() == [1, 2]
    for _ in range(2000):
        log.note(0)
    assert log.since(seen).tolist() == [0, 1, 2]
    assert log.since(2001).tolist() == [0, 0]


def test_equal_plans_share_a_number_and_others_keep_theirs_as_the_table_grows() -> None:
    draw = np.random.default_rng(3)
    plans, asked = PlanTable(20, 4), [_asked(draw, 20, 0) for _ in range(9)]
    numbers = [plans.add(each) for each in asked]
    assert numbers == list(range(9))
    assert [plans.add(each) for each in asked] == numbers
    for number, each in zip(numbers, asked, strict=True):
        assert (plans.scores(number).is_open == each.is_open).all()
        assert plans.arrays.least[number, :3].tolist() == each.amounts.least.tolist()
