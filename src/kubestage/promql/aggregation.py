"""Aggregations of series by their labels: sum, max, topk and the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.golang import floats
from kubestage.promql import frames, quantiles, query_errors, sums
from kubestage.promql.frames import Frame
from kubestage.promql.matchers import NAME
from kubestage.promql.series import labels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.promql.frames import Flags, Floats
    from kubestage.promql.nodes import Aggregation
    from kubestage.promql.series import Labels


def aggregate(node: Aggregation, frame: Frame, parameter: Floats | str | None) -> Frame:
    """The groups of a frame's series, each as one (or as its best, for topk and bottomk)."""
    groups: dict[Labels, list[int]] = {}
    for row, labels in enumerate(frame.labels):
        groups.setdefault(group_of(labels, node), []).append(row)
    if node.operation in ("topk", "bottomk"):
        assert isinstance(parameter, np.ndarray)
        return _ranked(node.operation, frame, list(groups.values()), parameter)
    if node.operation == "count_values":
        assert isinstance(parameter, str)
        return _count_values(frame, groups, parameter)
    if node.operation == "quantile":
        assert isinstance(parameter, np.ndarray)
        return Frame.of_rows(_quantiles(frame, groups, parameter), frame.width)
    reduce = _REDUCTIONS[node.operation]
    rows = []
    for labels, members in groups.items():
        values, present = frame.values[members], frame.present[members]
        rows.append((labels, reduce(values, present), frames.ever(present)))
    return Frame.of_rows(rows, frame.width)


def group_of(labels: Labels, node: Aggregation) -> Labels:
    """The labels that the group of a series has."""
    if node.is_without:
        return frames.without(labels, (NAME, *node.labels))
    return frames.only(labels, node.labels)


def _mean(values: Floats, present: Flags) -> Floats:
    counts = np.maximum(present.sum(axis=0), 1)
    summed = sums.columns(values, present)
    average: Floats = summed / counts
    # A sum may be too large where the average is not.
    if np.isinf(summed).any():
        parts = sums.columns(values / counts, present)
        finite = (np.isfinite(values) | ~present).all(axis=0)
        average = np.where(np.isinf(summed) & finite, parts, average)
    return average


def _variance(values: Floats, present: Flags) -> Floats:
    """As `sums.variance`, for each column."""
    counts = np.zeros(values.shape[1])
    average, spread = np.zeros_like(counts), np.zeros_like(counts)
    with np.errstate(invalid="ignore"):
        for value, is_there in zip(values, present, strict=True):
            counts += is_there
            distance = np.where(is_there, value - average, 0.0)
            average += distance / np.maximum(counts, 1)
            spread += np.where(is_there, distance * (value - average), 0.0)
    return spread / np.maximum(counts, 1)


def _deviation(values: Floats, present: Flags) -> Floats:
    return np.sqrt(_variance(values, present))


def _largest(values: Floats, present: Flags) -> Floats:
    """NaN only where there is nothing else."""
    largest: Floats = np.fmax.reduce(np.where(present, values, math.nan), axis=0)
    return largest


def _smallest(values: Floats, present: Flags) -> Floats:
    smallest: Floats = np.fmin.reduce(np.where(present, values, math.nan), axis=0)
    return smallest


def _count(_: Floats, present: Flags) -> Floats:
    counts: Floats = present.sum(axis=0).astype(np.float64)
    return counts


def _group(_: Floats, present: Flags) -> Floats:
    return np.ones(present.shape[1])


_REDUCTIONS: Final[dict[str, Callable[[Floats, Flags], Floats]]] = {
    "sum": sums.columns,
    "avg": _mean,
    "min": _smallest,
    "max": _largest,
    "count": _count,
    "group": _group,
    "stddev": _deviation,
    "stdvar": _variance,
}


def _quantiles(
    frame: Frame, groups: dict[Labels, list[int]], q: Floats
) -> Iterator[tuple[Labels, Floats, Flags]]:
    for labels, members in groups.items():
        values, present = frame.values[members], frame.present[members]
        found = [
            quantiles.of_values(float(q[at]), values[present[:, at], at].tolist())
            for at in range(frame.width)
        ]
        yield labels, np.array(found), frames.ever(present)


def _ranked(operation: str, frame: Frame, groups: list[list[int]], most: Floats) -> Frame:
    """The series with the highest or lowest values of each group, the best of the last first."""
    if np.isnan(most).any():
        raise query_errors.QueryError("Parameter value is NaN")
    sign = -1.0 if operation == "topk" else 1.0
    chosen = np.zeros_like(frame.present)
    order: list[int] = []
    for members in groups:
        ranked: list[int] = []
        for at in range(frame.width):
            count = int(min(max(most[at], 0), len(members)))
            candidates = [row for row in members if frame.present[row, at]]
            ranked = sorted(candidates, key=_Rank(frame.values[:, at], sign))[:count]
            chosen[ranked, at] = True
        order += ranked
        order += [row for row in members if row not in ranked and chosen[row].any()]
    if not order:
        return Frame.empty(frame.width)
    return Frame([frame.labels[row] for row in order], frame.values[order], chosen[order])


class _Rank:
    """The order of rows by a value; NaN comes last."""

    def __init__(self, values: Floats, sign: float) -> None:
        self._values = values
        self._sign = sign

    def __call__(self, row: int) -> tuple[bool, float]:
        value = float(self._values[row])
        return (True, 0.0) if math.isnan(value) else (False, self._sign * value)


def _count_values(frame: Frame, groups: dict[Labels, list[int]], label: str) -> Frame:
    """How many series of a group have each value, which becomes a label."""
    counted: dict[Labels, Floats] = {}
    for labels, members in groups.items():
        for row in members:
            for at in np.flatnonzero(frame.present[row]):
                text = floats.format_float(float(frame.values[row, at]), "f", floats.SHORTEST)
                key = labels_of({**dict(labels), label: text})
                counted.setdefault(key, np.zeros(frame.width))[at] += 1
    return Frame.of_rows(((key, row, row > 0) for key, row in counted.items()), frame.width)
