"""How well nodes suit soft spread constraints, in the floating point of the real scheduler."""

from __future__ import annotations

import functools
import itertools
import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kubestage.scheduler.framework import MAX_NODE_SCORE
from kubestage.scheduler.plugins import spread_domains
from kubestage.scheduler.plugins.spread_constraints import HOSTNAME_LABEL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.scheduler.arrays import Codes, Ints, Mask
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.plugins.spread_constraints import Spread
    from kubestage.scheduler.plugins.spread_domains import Domains

Floats = np.ndarray[tuple[int], np.dtype[np.float64]]

_LN2_HIGH: Final = 6.93147180369123816490e-01
_LN2_LOW: Final = 1.90821492927058770002e-10
_ODD: Final = (
    6.666666666666735130e-01, 2.857142874366239149e-01,
    1.818357216161805012e-01, 1.479819860511658591e-01,
)  # fmt: skip
_EVEN: Final = (3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01)


class ScoreState(NamedTuple):
    """For each soft constraint what a node gets in each domain, or None if nodes differ.

    `ignores_some` is True if a feasible row lacks a topology key which it must have.
    """

    spreads: Sequence[Spread]
    weights: Sequence[float]
    tables: Sequence[Floats | None]
    ignores_some: bool


def prepare(
    columns: Columns,
    spreads: Sequence[Spread],
    domains: Sequence[Domains],
    rows: Ints,
    require_all: bool,
) -> ScoreState:
    """Weigh each topology by its domains among the feasible rows, and count pods in each."""
    left, ignores_some = rows, False
    if require_all:
        lacking = _lacking_a_label(columns, spreads, rows)
        ignores_some = bool(lacking.any())
        left = rows[~lacking] if ignores_some else rows
    else:
        spreads, domains = _felt(columns, spreads, domains)
    weights = [topology_weight(_size(columns, each, left)) for each in spreads]
    tables = [
        _table(columns, spread, each, weight)
        for spread, each, weight in zip(spreads, domains, weights, strict=True)
    ]
    return ScoreState(spreads, weights, tables, ignores_some)


def _felt(
    columns: Columns, spreads: Sequence[Spread], domains: Sequence[Domains]
) -> tuple[Sequence[Spread], Sequence[Domains]]:
    """The constraints whose topology some node has; where none has it, all nodes get nothing.

    NOTE: clusters without zones are common, and by default pods are spread over zones.
    """
    felt = [bool(columns.label(each.topology_key).values) for each in spreads]
    if all(felt):
        return spreads, domains
    return list(itertools.compress(spreads, felt)), list(itertools.compress(domains, felt))


def score(state: ScoreState, columns: Columns, rows: Ints) -> Ints:
    """The more pods of a kind there are already, the higher, and the less welcome."""
    total: Floats = np.zeros(len(rows))
    for spread, weight, table in zip(state.spreads, state.weights, state.tables, strict=True):
        domains = columns.label(spread.topology_key).codes[rows]
        if table is not None:
            total += table[domains]
        else:
            here = _worth(_pods_on_nodes(columns, spread, rows), spread, weight)
            here[domains < 0] = 0
            total += here
    scores = rounded(total)
    if state.ignores_some:
        scores[_lacking_a_label(columns, state.spreads, rows)] = 0
    return scores


def normalize(state: ScoreState, scores: Ints, columns: Columns, rows: Ints) -> Ints:
    """Turn the scores over, so that the least counts most; ignored rows get nothing."""
    if not state.ignores_some:
        return _turned_over(scores)
    counted = ~_lacking_a_label(columns, state.spreads, rows)
    normalized: Ints = np.zeros(len(scores), np.int64)
    if counted.any():
        normalized[counted] = _turned_over(scores[counted])
    return normalized


@functools.lru_cache(maxsize=8192)
def topology_weight(size: int) -> float:
    """How much a pod counts in a topology of so many domains: the more domains, the more."""
    return _log(float(size + 2))


def topology_weights(count: int) -> Floats:
    """The weights of the topologies with fewer domains than so many; shared, not to be changed."""
    return _topology_weights(1 << (count - 1).bit_length())[:count]


@functools.lru_cache(maxsize=32)
def _topology_weights(count: int) -> Floats:
    return np.array([topology_weight(size) for size in range(count)])


def rounded(scores: Floats) -> Ints:
    """To the nearest integer, halves up; scores are never negative."""
    whole = np.trunc(scores)
    return (whole + (scores - whole >= 0.5)).astype(np.int64)


def _turned_over(scores: Ints) -> Ints:
    least, most = int(scores.min()), int(scores.max())
    if not most:
        return np.full(len(scores), MAX_NODE_SCORE, np.int64)
    return MAX_NODE_SCORE * (most + least - scores) // most


def _lacking_a_label(columns: Columns, spreads: Sequence[Spread], rows: Ints) -> Mask:
    """The rows that lack any of the topology keys."""
    lacking: list[Mask] = [columns.label(each.topology_key).codes[rows] < 0 for each in spreads]
    return lacking[0] if len(lacking) == 1 else np.logical_or.reduce(lacking)


def _size(columns: Columns, spread: Spread, rows: Ints) -> int:
    """How many domains of a topology the rows are in."""
    if spread.topology_key == HOSTNAME_LABEL:
        return len(rows)
    return spread_domains.count_among(columns, spread.topology_key, rows)


def _table(columns: Columns, spread: Spread, domains: Domains, weight: float) -> Floats | None:
    """What a node gets in each domain; pods per hostname are counted node by node instead."""
    if spread.topology_key == HOSTNAME_LABEL:
        return None
    table = _worth(domains.totals(columns, spread), spread, weight)
    table[-1] = 0
    return table


def _worth(pods: Codes, spread: Spread, weight: float) -> Floats:
    worth: Floats = pods * np.float64(weight) + float(spread.constraint.max_skew - 1)
    return worth


def _pods_on_nodes(columns: Columns, spread: Spread, rows: Ints) -> Codes:
    if spread.by_node is None:
        return np.zeros(len(rows), np.int32)
    return columns.counters.answer(spread.by_node).counts[rows]


def _log(number: float) -> float:
    """The natural logarithm as Go computes it, which differs from C's in the last bit at times."""
    fraction, exponent = math.frexp(number)
    if fraction < math.sqrt(2) / 2:
        fraction, exponent = fraction * 2, exponent - 1
    f = fraction - 1
    s = f / (2 + f)
    s2 = s * s
    s4 = s2 * s2
    t1 = s2 * (_ODD[0] + s4 * (_ODD[1] + s4 * (_ODD[2] + s4 * _ODD[3])))
    t2 = s4 * (_EVEN[0] + s4 * (_EVEN[1] + s4 * _EVEN[2]))
    remainder = t1 + t2
    half_square = 0.5 * f * f
    return exponent * _LN2_HIGH - (
        (half_square - (s * (half_square + remainder) + exponent * _LN2_LOW)) - f
    )
