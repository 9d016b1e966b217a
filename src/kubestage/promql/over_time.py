"""Functions of the samples of one series in one window."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.promql import quantiles, sums, windows

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.promql.frames import Flags, Floats, Times
    from kubestage.promql.windows import Window

    Single = Callable[[Times, Floats], float | None]


def apply(
    name: str, window: Window, parameters: list[Floats], moments: Times
) -> tuple[Floats, Flags]:
    """A function over each window of a series; parameters have a value per window.

    `moments` are the times of the query; with ``offset`` and ``@`` windows end elsewhere.
    """
    if name in RATES:
        return RATES[name](window)
    width = len(window.ends_ms)
    values, present = np.zeros(width), np.zeros(width, np.bool_)
    for index in range(width):
        begin, end = int(window.first[index]), int(window.last[index]) + 1
        if end <= begin:
            continue
        times, inside = window.times[begin:end], window.values[begin:end]
        single = _SINGLE.get(name)
        if single is not None:
            value = single(times, inside)
        else:
            numbers = [float(each[index]) for each in parameters]
            value = _PARAMETRIC[name](times, inside, int(moments[index]), numbers)
        if value is not None:
            values[index], present[index] = value, True
    return values, present


def _rate(window: Window) -> tuple[Floats, Flags]:
    return windows.extrapolated(window, is_counter=True, is_rate=True)


def _increase(window: Window) -> tuple[Floats, Flags]:
    return windows.extrapolated(window, is_counter=True, is_rate=False)


def _delta(window: Window) -> tuple[Floats, Flags]:
    return windows.extrapolated(window, is_counter=False, is_rate=False)


def _irate(window: Window) -> tuple[Floats, Flags]:
    return windows.instantaneous(window, is_rate=True)


def _idelta(window: Window) -> tuple[Floats, Flags]:
    return windows.instantaneous(window, is_rate=False)


def _avg(_: Times, values: Floats) -> float:
    return sums.mean(values)


def _sum(_: Times, values: Floats) -> float:
    return sums.total(values)


def _count(_: Times, values: Floats) -> float:
    return float(len(values))


def _first(_: Times, values: Floats) -> float:
    return float(values[0])


def _last(_: Times, values: Floats) -> float:
    return float(values[-1])


def _present(_: Times, values: Floats) -> float:
    del values
    return 1.0


def _max(_: Times, values: Floats) -> float:
    """NaN only where there is nothing else."""
    return float(np.fmax.reduce(values))


def _min(_: Times, values: Floats) -> float:
    return float(np.fmin.reduce(values))


def _variance(_: Times, values: Floats) -> float:
    return sums.variance(values)


def _deviation(_: Times, values: Floats) -> float:
    return math.sqrt(sums.variance(values))


def _changes(_: Times, values: Floats) -> float:
    before, after = values[:-1], values[1:]
    both_nan = np.isnan(before) & np.isnan(after)
    return float(np.count_nonzero((before != after) & ~both_nan))


def _resets(_: Times, values: Floats) -> float:
    return float(np.count_nonzero(values[1:] < values[:-1]))


def _mad(_: Times, values: Floats) -> float:
    """The median distance from the median; NaN makes it unknown."""
    if np.isnan(values).any():
        return math.nan
    middle = quantiles.of_values(0.5, values.tolist())
    return quantiles.of_values(0.5, np.abs(values - middle).tolist())


def _first_time(times: Times, _: Floats) -> float:
    return float(times[0]) / 1000


def _last_time(times: Times, _: Floats) -> float:
    return float(times[-1]) / 1000


def _max_time(times: Times, values: Floats) -> float:
    """The last time at which the value was the highest."""
    best = len(values) - 1 - int(np.argmax(np.nan_to_num(values[::-1], nan=-math.inf)))
    return float(times[best]) / 1000


def _min_time(times: Times, values: Floats) -> float:
    best = len(values) - 1 - int(np.argmin(np.nan_to_num(values[::-1], nan=math.inf)))
    return float(times[best]) / 1000


def _deriv(times: Times, values: Floats) -> float | None:
    """Per second, by the line of least squares."""
    if len(values) < 2:
        return None
    return _line(times, values, int(times[0]))[0]


def _line(times: Times, values: Floats, origin_ms: int) -> tuple[float, float]:
    """Slope per second and height at a time, of the line of least squares."""
    if np.all(values == values[0]):
        return (math.nan, math.nan) if math.isinf(values[0]) else (0.0, float(values[0]))
    x = (times - origin_ms) / 1000
    count = len(values)
    sum_x, sum_y = sums.total(x), sums.total(values)
    covariance = sums.total(x * values) - sum_x * sum_y / count
    variance = sums.total(x * x) - sum_x * sum_x / count
    slope = covariance / variance
    return slope, sum_y / count - slope * sum_x / count


def _predict(times: Times, values: Floats, now_ms: int, numbers: list[float]) -> float | None:
    if len(values) < 2:
        return None
    slope, height = _line(times, values, now_ms)
    return slope * numbers[0] + height


def _quantile(_: Times, values: Floats, now_ms: int, numbers: list[float]) -> float:
    del now_ms
    return quantiles.of_values(numbers[0], values.tolist())


def _smoothed(_: Times, values: Floats, now_ms: int, numbers: list[float]) -> float | None:
    """Holt's double exponential smoothing: of the level and of the trend."""
    del now_ms
    if len(values) < 2:
        return None
    smoothing, trending = numbers
    level, trend = float(values[0]), float(values[1] - values[0])
    before = 0.0
    for index in range(1, len(values)):
        if index > 1:
            trend = trending * (level - before) + (1 - trending) * trend
        before, level = level, smoothing * float(values[index]) + (1 - smoothing) * (level + trend)
    return level


RATES: Final = {
    "rate": _rate,
    "increase": _increase,
    "delta": _delta,
    "irate": _irate,
    "idelta": _idelta,
}
"""Functions that may be given several series at once, with a row of values for each."""

_SINGLE: Final[dict[str, Single]] = {
    "avg_over_time": _avg,
    "changes": _changes,
    "count_over_time": _count,
    "deriv": _deriv,
    "first_over_time": _first,
    "last_over_time": _last,
    "mad_over_time": _mad,
    "max_over_time": _max,
    "min_over_time": _min,
    "present_over_time": _present,
    "resets": _resets,
    "stddev_over_time": _deviation,
    "stdvar_over_time": _variance,
    "sum_over_time": _sum,
    "ts_of_first_over_time": _first_time,
    "ts_of_last_over_time": _last_time,
    "ts_of_max_over_time": _max_time,
    "ts_of_min_over_time": _min_time,
}
_PARAMETRIC: Final = {
    "double_exponential_smoothing": _smoothed,
    "predict_linear": _predict,
    "quantile_over_time": _quantile,
}
KEEP_NAME: Final = frozenset({"first_over_time", "last_over_time"})
