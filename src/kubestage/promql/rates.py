"""Rates of many series, those that have their times in common at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kubestage.promql import frames, over_time
from kubestage.promql.frames import Frame
from kubestage.promql.series import is_stale
from kubestage.promql.windows import Window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.promql.frames import Times
    from kubestage.promql.limits import Budget
    from kubestage.promql.series import Columns, Series


def of_series(
    name: str,
    found: Sequence[Series],
    ends_ms: Times,
    range_ms: int,
    edge_ms: int,
    budget: Budget,
) -> Frame:
    """What a rate function makes of the windows of series; those without any value are dropped."""
    width = len(ends_ms)
    budget.hold(width * len(found))
    values = np.zeros((len(found), width))
    present = np.zeros((len(found), width), np.bool_)
    for columns, rows in _together(found).items():
        times, samples = columns.samples([found[row].column for row in rows])
        stale = is_stale(samples[0])
        if stale.any():
            times, samples = times[~stale], samples[:, ~stale]
        window = Window((), times, samples, ends_ms, range_ms, edge_ms)
        budget.read(window.samples_read() * len(rows))
        values[rows], present[rows] = over_time.RATES[name](window)
    labels = [frames.without_name(series.labels) for series in found]
    return Frame(labels, values, present).where(present)


def _together(found: Sequence[Series]) -> dict[Columns, list[int]]:
    """The places of the series, by the columns that they are part of."""
    together: dict[Columns, list[int]] = {}
    for row, series in enumerate(found):
        together.setdefault(series.columns, []).append(row)
    return together
