"""The two steps of an attempt with the cached scores of a template, in plain NumPy.

`refresh` computes rows again, `choose` takes the best node. The compiled kernels, which do all that
and more for many pods at once, are loaded when there is enough work for that to pay, if Numba is
installed.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kubestage import lazy
from kubestage.scheduler import sampling, selection

with lazy.imports():
    from kubestage.scheduler.quick import compiled

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.scheduler.arrays import Ints, Mask
    from kubestage.scheduler.resource_table import ResourceTable, Table

LEAST_ALLOCATED: Final = 0
MOST_ALLOCATED: Final = 1
_PAYS_AFTER: Final = 20_000
ORDINARY: Final = 10
"""As how many quick attempts an ordinary one counts: it takes so much longer."""

MAX_SCORE: Final = 100


class Amounts(NamedTuple):
    """What a template requests, as lines of the resource table and numbers for them.

    `least` must be free; `scored` and `balanced` are what the two scores add to what is taken.
    """

    lines: Ints
    least: Ints
    score_lines: Ints
    scored: Ints
    weights: Ints
    balance_lines: Ints
    balanced: Ints
    strategy: int
    fit_weight: int
    balance_weight: int


class NodeScores(NamedTuple):
    """What is cached for each node: whether it is open at all, a score that never changes, and the
    two that depend on the pods on it.
    """

    is_open: Mask
    fixed: Ints
    feasible: Mask
    totals: Ints


class Choice(NamedTuple):
    """The row that is taken (-1 for none), and how many nodes were evaluated and feasible."""

    row: int
    evaluated: int
    feasible: int


def refresh(rows: Ints, table: ResourceTable, amounts: Amounts, node_scores: NodeScores) -> None:
    """Compute some rows again."""
    free = table.free[amounts.lines[:, None], rows]
    node_scores.feasible[rows] = node_scores.is_open[rows] & (free >= amounts.least[:, None]).all(
        axis=0
    )
    scores = node_scores.fixed[rows]
    if amounts.fit_weight:
        scores = scores + _fit(rows, table, amounts) * amounts.fit_weight
    if amounts.balance_weight:
        scores = scores + _balance(rows, table, amounts) * amounts.balance_weight
    node_scores.totals[rows] = scores


def _fit(rows: Ints, table: ResourceTable, amounts: Amounts) -> Ints:
    at = amounts.score_lines[:, None]
    allocatable, taken = table.allocatable[at, rows], table.nonzero[at, rows]
    requested = taken + amounts.scored[:, None]
    if amounts.strategy == MOST_ALLOCATED:
        part = np.minimum(requested, allocatable)
    else:
        part = np.maximum(allocatable - requested, 0)
    shares: Table = part * MAX_SCORE // allocatable
    total: Ints = (shares * amounts.weights[:, None]).sum(axis=0)
    return total // max(int(amounts.weights.sum()), 1)


def _balance(rows: Ints, table: ResourceTable, amounts: Amounts) -> Ints:
    at = amounts.balance_lines[:, None]
    allocatable, taken = table.allocatable[at, rows], table.requested[at, rows]
    after = _evenness(taken + amounts.balanced[:, None], allocatable)
    half = MAX_SCORE // 2
    change: Ints = ((after - _evenness(taken, allocatable) + half) >> 1) + half
    return change


def _evenness(taken: Table, allocatable: Table) -> Ints:
    fractions = np.minimum(taken / allocatable, 1.0)
    even: Ints = ((1 - np.abs(fractions[0] - fractions[1]) / 2) * MAX_SCORE).astype(np.int64)
    return even


def work_out(
    row: int,
    free: Table,
    allocatable: Table,
    nonzero: Table,
    requested: Table,
    lines: Ints,
    least: Ints,
    scoring: Table,
    balancing: Table,
    weights: Ints,
    is_open: Mask,
    fixed: Ints,
    feasible: Mask,
    totals: Ints,
) -> None:
    """The same as `refresh` for a single row.

    `scoring` has the lines, amounts and weights of the fit score, `balancing` the two lines and
    amounts of the other; `weights` are those of both scores, and the strategy.

    NOTE: for one row it takes a fifth of the time that `refresh` does; from five rows on it is the
    slower one (6 us a row, 30 us for any few).
    """
    fits = is_open[row]
    for at in range(len(lines)):
        if free[lines[at], row] < least[at]:
            fits = False
    feasible[row] = fits
    score = fixed[row]
    if weights[0]:
        total, parts = 0, 0
        for at in range(scoring.shape[1]):
            offered = allocatable[scoring[0, at], row]
            taken = nonzero[scoring[0, at], row] + scoring[1, at]
            part = min(taken, offered) if weights[2] else max(offered - taken, 0)
            total += part * 100 // offered * scoring[2, at]
            parts += scoring[2, at]
        score += total // max(parts, 1) * weights[0]
    if weights[1]:
        one, two = balancing[0, 0], balancing[0, 1]
        one_has, two_has = allocatable[one, row], allocatable[two, row]
        one_took, two_took = requested[one, row], requested[two, row]
        apart = abs(min(one_took / one_has, 1.0) - min(two_took / two_has, 1.0)) / 2
        before = int((1 - apart) * 100)
        one_takes, two_takes = one_took + balancing[1, 0], two_took + balancing[1, 1]
        apart = abs(min(one_takes / one_has, 1.0) - min(two_takes / two_has, 1.0)) / 2
        after = int((1 - apart) * 100)
        score += (((after - before + 50) >> 1) + 50) * weights[1]
    totals[row] = score


def choose(node_scores: NodeScores, start: int, needed: int) -> Choice:
    """The best of the first so many feasible nodes, searched from a row on and around."""
    count = len(node_scores.feasible)
    order = sampling.all_rotated(start, count)
    passing = node_scores.feasible[order].nonzero()[0]
    evaluated = count
    if len(passing) > needed:
        evaluated = int(passing[needed])
        passing = passing[:needed]
    if not len(passing):
        return Choice(-1, evaluated, 0)
    rows = order[passing]
    totals = node_scores.totals[rows]
    best = (totals == totals.max()).nonzero()[0]
    at = best[0] if len(best) == 1 else selection.first_in_heap_order(best)
    return Choice(int(rows[at]), evaluated, len(passing))


def at_once(work: Callable[[], object]) -> object:
    """Do it now."""
    return work()


class Compiled:
    """The compiled kernels, loaded when that pays; one for all schedulers.

    It does after so many quick attempts without them, or before as many. `run` loads them: at
    once by default, or later, for callers that cannot wait; until then there are none.

    NOTE: to load them takes half a second, and to compile them, once on a machine, ten. A pod takes
    35 us less with them if its template is plain (15, not 50), and else 200 us less.
    """

    def __init__(self, pays_after: int = _PAYS_AFTER) -> None:
        self._left = pays_after
        self._is_requested = False
        self._is_tried = False
        self._module: Any = None
        self.on_load: Callable[[Any], None] | None = None
        self.run: Callable[[Callable[[], object]], object] = at_once

    def get(self, pods: int) -> Any:
        """The kernels if they are loaded, or if so many pods are reason enough; else None."""
        if not self._is_requested and pods >= self._left:
            self._is_requested = True
            self.run(self.load)
        return self._module

    def count(self, attempts: int) -> None:
        """So many attempts were made without."""
        self._left -= attempts

    def load(self) -> bool:
        """Have the kernels at hand from now on; whether there are any on this machine."""
        if not self._is_tried and importlib.util.find_spec("numba") is not None:
            if self.on_load is not None:
                self.on_load(compiled)
            compiled.get_ready()
            self._module = compiled
        self._is_requested = self._is_tried = True
        return self._module is not None


COMPILED: Final = Compiled()
