"""Samples over a time: which of a series' samples fall into each window, and rates over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from kubestage.promql.frames import Flags, Floats, Times
    from kubestage.promql.series import Labels

_NEAR: Final = 1.1
"""A gap at a window's edge of up to this many mean gaps counts as a usual one."""

_FEW: Final = 10_000


class Window:
    """Samples, and for each of several windows where they begin and end.

    They are those of one series; or of several that have their times in common, with a row of
    values for each.
    """

    __slots__ = ("ends_ms", "first", "labels", "last", "range_ms", "times", "values")

    def __init__(
        self,
        labels: Labels,
        times: Times,
        values: Floats,
        ends_ms: Times,
        range_ms: int,
        edge_ms: int = 0,
    ) -> None:
        self.labels = labels
        self.times = times
        self.values = values
        self.ends_ms = ends_ms
        self.range_ms = range_ms
        # A window is open to the left: a sample just at its beginning is not in it, unless the
        # window is made to begin a little earlier.
        self.first = np.searchsorted(times, ends_ms - range_ms - edge_ms, "right")
        self.last = np.searchsorted(times, ends_ms, "right") - 1

    @property
    def counts(self) -> Times:
        """How many samples each window has."""
        return self.last - self.first + 1

    def samples_read(self) -> int:
        """How many samples all windows have together, or a few more.

        NOTE: a sum takes 4 us, and most queries have one short window for each of many series.
        """
        most = len(self.times) * len(self.first)
        return most if most <= _FEW else int(self.counts.sum())


def extrapolated(window: Window, *, is_counter: bool, is_rate: bool) -> tuple[Floats, Flags]:
    """The increase over each window, as if its samples reached from edge to edge.

    Where samples begin or end well within the window, the series is taken to begin or end half a
    gap before or after them; and a counter never to have been below zero. The values may have
    a row for each of several series; so has the result then.
    """
    present = window.counts >= 2
    times, values = window.times, window.values
    result = np.zeros((*values.shape[:-1], len(present)))
    if not present.any():
        return result, present
    first, last = window.first[present], window.last[present]
    ends_ms = window.ends_ms[present]
    start = values[..., first]
    rise = values[..., last] - start
    if is_counter:
        rise = rise + _lost_at_resets(values, first, last)
    to_start = (times[first] - (ends_ms - window.range_ms)) / 1000
    to_end = (ends_ms - times[last]) / 1000
    sampled = (times[last] - times[first]) / 1000
    gap = sampled / (last - first)
    to_start = np.where(to_start >= gap * _NEAR, gap / 2, to_start)
    if is_counter:
        with np.errstate(divide="ignore", invalid="ignore"):
            to_zero = sampled * (start / rise)
        falls_short = (rise > 0) & (start >= 0) & (to_zero < to_start)
        to_start = np.where(falls_short, to_zero, to_start)
    to_end = np.where(to_end >= gap * _NEAR, gap / 2, to_end)
    factor = (sampled + to_start + to_end) / sampled
    if is_rate:
        factor = factor / (window.range_ms / 1000)
    with np.errstate(invalid="ignore", over="ignore"):
        result[..., present] = rise * factor
    return result, present


def _lost_at_resets(values: Floats, first: Times, last: Times) -> Floats:
    """The values that a counter had before its resets, summed per window."""
    with np.errstate(invalid="ignore"):
        falls = values[..., 1:] < values[..., :-1]
    lost = np.zeros((*values.shape[:-1], len(first)))
    if not falls.any():
        return lost
    rows = zip(*(each.reshape(-1, each.shape[-1]) for each in (values, falls, lost)), strict=True)
    for row, fallen, sums in rows:
        fell = np.flatnonzero(fallen)
        total = np.concatenate(([0.0], np.cumsum(row[fell])))
        sums[:] = total[np.searchsorted(fell, last)] - total[np.searchsorted(fell, first)]
    return lost


def instantaneous(window: Window, *, is_rate: bool) -> tuple[Floats, Flags]:
    """The difference between the last two samples of each window, per second for a rate.

    The values may have a row for each of several series; so has the result then.
    """
    present = window.counts >= 2
    result = np.zeros((*window.values.shape[:-1], len(present)))
    last = window.last[present]
    end, before = window.values[..., last], window.values[..., last - 1]
    with np.errstate(invalid="ignore"):
        if is_rate:
            rise = np.where(end < before, end, end - before)
            seconds = (window.times[last] - window.times[last - 1]) / 1000
            result[..., present] = rise / seconds
        else:
            result[..., present] = end - before
    return result, present
