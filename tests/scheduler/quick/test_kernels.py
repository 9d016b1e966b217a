"""The compiled kernels and their plain twins give the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.scheduler.quick import compiled, kernels
from kubestage.scheduler.quick.kernels import Amounts, Kept
from kubestage.scheduler.quick.row_log import RowLog
from kubestage.scheduler.resource_table import ResourceTable


def _world(seed: int, count: int, strategy: int) -> tuple[ResourceTable, Amounts, Kept]:
    draw = np.random.default_rng(seed)
    table = ResourceTable(count)
    table.allocatable[:] = draw.integers(1, 2000, table.allocatable.shape)
    table.requested[:] = draw.integers(0, 2000, table.requested.shape)
    table.nonzero[:] = draw.integers(0, 2000, table.nonzero.shape)
    table.free[:] = table.allocatable - table.requested
    lines = np.array([1, 2])
    asked = Amounts(
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
    kept = Kept(
        draw.random(count) < 0.8,
        draw.integers(0, 3, count),
        np.zeros(count, np.bool_),
        np.zeros(count, np.int64),
    )
    return table, asked, kept


def _copied(kept: Kept) -> Kept:
    copies: Any = (each.copy() for each in kept)
    return Kept(*copies)


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 1 << 32),
    count=st.integers(1, 300),
    strategy=st.sampled_from([kernels.LEAST_ALLOCATED, kernels.MOST_ALLOCATED]),
    data=st.data(),
)
def test_both_work_out_the_same_and_choose_the_same(
    seed: int, count: int, strategy: int, data: Any
) -> None:
    table, asked, plain = _world(seed, count, strategy)
    start = data.draw(st.integers(0, count - 1))
    needed = data.draw(st.integers(1, count))
    quick, single = _copied(plain), _copied(plain)
    rows = np.arange(count)
    kernels.refresh(rows, table, asked, plain)
    given = (
        table.free,
        table.allocatable,
        table.nonzero,
        table.requested,
        asked.lines,
        asked.least,
        np.array([asked.score_lines, asked.scored, asked.weights]),
        np.array([asked.balance_lines, asked.balanced]),
        np.array([asked.fit_weight, asked.balance_weight, asked.strategy]),
    )
    for row in rows.tolist():
        kernels.work_out(row, *given, *single)
    chosen = compiled.attempt(rows, start, needed, *given, *quick)
    for one, other, another in zip(plain, quick, single, strict=True):
        assert (one == other).all()
        assert (one == another).all()
    assert chosen == kernels.choose(plain, start, needed)


def test_compiled_kernels_are_loaded_when_enough_was_done_without() -> None:
    work = kernels.Compiled(1000)
    assert work.attempt(600) is None
    assert work.attempt(600) is compiled.attempt
    assert work.attempt(1) is compiled.attempt


def test_the_log_tells_what_changed_since_and_begins_anew_when_it_is_full() -> None:
    log = RowLog(3)
    log.note(2)
    seen = log.count
    log.note(1)
    log.note(2)
    assert log.since(seen).tolist() == [1, 2]
    for _ in range(2000):
        log.note(0)
    assert log.epoch == 1
