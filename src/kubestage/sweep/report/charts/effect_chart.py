"""The effect of one axis on one measure, the other axes averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.sweep.report import amounts, axis_names
from kubestage.sweep.report.charts import measure_axis

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.sweep.report.charts.measure_axis import MeasureAxis
    from kubestage.sweep.report.sweep_report import SweepReport
    from kubestage.sweep.statistics.effects import MainEffect

# From so many times the smallest value on, small ones would lie on top of one another.
_WIDE: Final = 12


def effect(report: SweepReport, measure: str, found: MainEffect) -> ChartType:
    """A line with a band over numbers, dots with lines over words."""
    unit = report.source.measures[measure].unit
    rows = [
        {
            "label": each.level.label,
            "value": each.level.value,
            "mean": each.estimate.mean,
            "low": each.estimate.mean if each.estimate.low is None else each.estimate.low,
            "high": each.estimate.mean if each.estimate.high is None else each.estimate.high,
            "shown": amounts.mean(each.estimate, unit),
            "settings": each.settings,
        }
        for each in found.levels
    ]
    ends = [row[each] for row in rows for each in ("low", "high")]
    axis = measure_axis.fitted(measure, unit, [each for each in ends if isinstance(each, float)])
    short = dict(zip(report.source.axes, axis_names.short(report.source.axes), strict=True))
    name = short[found.axis]
    numbers = [row["value"] for row in rows if _is_number(row["value"])]
    draw = _numeric if len(numbers) == len(rows) else _words
    chart = alt.layer(*draw(rows, name, axis), width=style.WIDTH, height=style.HEIGHT)
    level = f"{report.options.level:g}%"
    share = "" if found.share is None else f"explains {amounts.part(found.share)} of the variance; "
    subtitle = f"{share}intervals of {level} over seeds"
    if len(report.source.axes) > 1:
        subtitle += ", the other axes averaged"
    return style.finished(chart, f"{measure} by {name}", subtitle[0].upper() + subtitle[1:])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numeric(rows: list[Json], name: str, axis: MeasureAxis) -> list[alt.Chart]:
    values = sorted(float(row["value"]) for row in rows)
    is_log = values[0] > 0 and values[-1] / values[0] > _WIDE
    scale = alt.Scale(
        type="log" if is_log else "linear", zero=False, nice=False, padding=12,
        domain=[values[0], values[-1]],
    )  # fmt: skip
    ticks = alt.Axis(
        grid=False, values=values, labelOverlap=True, labelExpr="format(datum.value, ',.4~r')"
    )
    x = alt.X("value:Q", title=name, scale=scale, axis=ticks)
    tips = ["label:N", "shown:N", "settings:Q"]
    base = alt.Chart(style.data(rows)).encode(x=x, tooltip=tips)
    return [
        base.mark_area(opacity=0.18, color=style.BLUE).encode(y=axis.y("low"), y2="high:Q"),
        base.mark_line(color=style.BLUE, strokeWidth=2).encode(y=axis.y("mean")),
        base.mark_point(color=style.BLUE, filled=True, size=50, opacity=1).encode(y=axis.y("mean")),
    ]


def _words(rows: list[Json], name: str, axis: MeasureAxis) -> list[alt.Chart]:
    labels = [row["label"] for row in rows]
    ticks = alt.Axis(grid=False, labelAngle=0, labelOverlap=True, labelLimit=160)
    x = alt.X("label:N", title=name, sort=labels, axis=ticks)
    tips = ["label:N", "shown:N", "settings:Q"]
    base = alt.Chart(style.data(rows)).encode(x=x, tooltip=tips)
    return [
        base.mark_rule(strokeWidth=3, opacity=0.45, color=style.BLUE).encode(
            y=axis.y("low"), y2="high:Q"
        ),
        base.mark_point(color=style.BLUE, filled=True, size=70, opacity=1).encode(y=axis.y("mean")),
    ]
