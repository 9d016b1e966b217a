"""The kernels of `kernels`, compiled: a row at a time, with the same numbers to the last digit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba

from kubestage.scheduler.quick import kernels

if TYPE_CHECKING:
    from kubestage.scheduler.columns import Ints

_LONGEST_PATH = 32
_DEPTH_BITS = 6

_work_out = numba.njit(cache=True)(kernels.work_out)


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
def attempt(rows: Ints, start: int, needed: int, *arrays: Any) -> tuple[int, int, int]:
    """Work out the rows that changed, then take the best node.

    `arrays` are those of `kernels.work_out`, the last two of which say what fits and how it scores.
    """
    for at in range(len(rows)):
        _work_out(int(rows[at]), *arrays)
    feasible, totals = arrays[-2], arrays[-1]
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
