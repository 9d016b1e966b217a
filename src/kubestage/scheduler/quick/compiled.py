"""The kernels of `kernels`, compiled: a row at a time, with the same numbers to the last digit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numba

if TYPE_CHECKING:
    from kubestage.scheduler.columns import Ints, Mask
    from kubestage.scheduler.resource_table import Table

_MAX_SCORE = 100
_HALF = 50
_LONGEST_PATH = 32
_DEPTH_BITS = 6


@numba.njit(cache=True)
def _share(allocatable: int, requested: int, strategy: int) -> int:
    if strategy == 1:
        return min(requested, allocatable) * _MAX_SCORE // allocatable
    return max(allocatable - requested, 0) * _MAX_SCORE // allocatable


@numba.njit(cache=True)
def _evenness(first: float, second: float) -> int:
    apart = abs(min(first, 1.0) - min(second, 1.0)) / 2
    return int((1 - apart) * _MAX_SCORE)


@numba.njit(cache=True)
def _pre_order(position: int) -> int:
    number = position + 1
    depth = 0
    rest = number
    while rest:
        depth += 1
        rest >>= 1
    return (number << (_LONGEST_PATH - depth)) << _DEPTH_BITS | depth


@numba.njit(cache=True)
def attempt(
    rows: Ints,
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
    start: int,
    needed: int,
) -> tuple[int, int, int]:
    """Work out the rows that changed, then take the best node.

    `scoring` has the lines, amounts and weights of the fit score, `balancing` the two lines and
    amounts of the other; `weights` are those of both scores, and the strategy.
    """
    for row in rows:
        fits = is_open[row]
        for at in range(len(lines)):
            if free[lines[at], row] < least[at]:
                fits = False
        feasible[row] = fits
        score = fixed[row]
        if weights[0]:
            total, parts = 0, 0
            for at in range(scoring.shape[1]):
                line = scoring[0, at]
                taken = nonzero[line, row] + scoring[1, at]
                total += _share(allocatable[line, row], taken, weights[2]) * scoring[2, at]
                parts += scoring[2, at]
            score += total // max(parts, 1) * weights[0]
        if weights[1]:
            one, two = balancing[0, 0], balancing[0, 1]
            has_one, has_two = allocatable[one, row], allocatable[two, row]
            took_one, took_two = requested[one, row], requested[two, row]
            before = _evenness(took_one / has_one, took_two / has_two)
            after = _evenness(
                (took_one + balancing[1, 0]) / has_one, (took_two + balancing[1, 1]) / has_two
            )
            score += (((after - before + _HALF) >> 1) + _HALF) * weights[1]
        totals[row] = score
    count = len(feasible)
    chosen, found, evaluated = -1, 0, count
    best, key = 0, 0
    for step in range(count):
        node = start + step
        if node >= count:
            node -= count
        if not feasible[node]:
            continue
        if found == needed:
            evaluated = step
            break
        reached = int(totals[node])
        if chosen < 0 or reached > best:
            chosen, best, key = node, reached, _pre_order(found)
        elif reached == best:
            other = _pre_order(found)
            if other < key:
                chosen, key = node, other
        found += 1
    return chosen, evaluated, found
