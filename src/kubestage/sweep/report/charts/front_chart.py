"""Two measures against each other: the settings that no other beats, and those that are beaten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.sweep.report import amounts, axis_names
from kubestage.sweep.report.charts import measure_axis
from kubestage.sweep.statistics import pareto

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.statistics.intervals import Estimate
    from kubestage.sweep.report.charts.measure_axis import MeasureAxis
    from kubestage.sweep.report.sweep_report import SweepReport

_COLORS: Final = {
    pareto.FRONT: style.BLUE,
    pareto.UNCLEAR: style.ORANGE,
    pareto.DOMINATED: style.GREY,
}
_NAMED: Final = 12
_MIDDLE: Final = 0.4


def front(report: SweepReport) -> ChartType | None:
    """A dot for each setting, with the intervals of both means; a line joins the front."""
    if len(report.front) < 2 or len(report.front_of) < 2:
        return None
    rows = [_row(report, each.setting, each.estimates, each.status) for each in report.front]
    first, second = report.front_of[:2]
    x, y = (
        measure_axis.fitted(
            name,
            report.source.measures[name].unit,
            [row[f"{place}{end}"] for row in rows for end in ("Low", "High")],
        )
        for name, place in ((first, "x"), (second, "y"))
    )
    there = [each for each in _COLORS if any(row["standing"] == each for row in rows)]
    scale = alt.Scale(domain=there, range=[_COLORS[each] for each in there])
    color = alt.Color("standing:N", scale=scale, legend=alt.Legend(symbolOpacity=1))
    tips = ["setting:N", "xShown:N", "yShown:N", "standing:N"]
    base = alt.Chart(style.data(rows)).encode(color=color, tooltip=tips)
    layers = [
        *_line(rows, report, x, y),
        base.mark_rule(strokeWidth=1.5, opacity=0.4).encode(
            x=x.x("xLow"), x2="xHigh:Q", y=y.y("y")
        ),
        base.mark_rule(strokeWidth=1.5, opacity=0.4).encode(
            x=x.x("x"), y=y.y("yLow"), y2="yHigh:Q"
        ),
        base.mark_point(filled=True, size=70, opacity=0.95).encode(x=x.x("x"), y=y.y("y")),
        *_names(rows, report, x, y),
    ]
    chart = alt.layer(*layers, width=style.WIDTH, height=style.HEIGHT + 60)
    level = f"{report.options.level:g}%"
    sides = ", ".join(f"{report.source.measures[each].better} {each}" for each in (first, second))
    subtitle = f"Better is {sides}; lines are intervals of {level}"
    if len(report.front_of) > 2:
        subtitle += f"; the front is of {', '.join(report.front_of)}"
    return style.wide(style.finished(chart, f"{first} against {second}", subtitle))


def _row(report: SweepReport, at: int, estimates: tuple[Estimate, ...], status: str) -> Json:
    row: Json = {
        "setting": axis_names.label(report.settings[at], report.source.axes),
        "standing": status,
    }
    for place, found, name in zip("xy", estimates, report.front_of, strict=False):
        row[place] = found.mean
        row[f"{place}Low"] = found.mean if found.low is None else found.low
        row[f"{place}High"] = found.mean if found.high is None else found.high
        row[f"{place}Shown"] = amounts.mean(found, report.source.measures[name].unit)
    return row


def _line(rows: list[Json], report: SweepReport, x: MeasureAxis, y: MeasureAxis) -> list[alt.Chart]:
    """The front as a line, of two measures; of more it would cross itself."""
    if len(report.front_of) > 2:
        return []
    ends = [row for row in rows if row["standing"] == pareto.FRONT]
    # Between two settings of the front there is nothing: a step, not a slope.
    is_less = report.source.measures[report.front_of[0]].better == "less"
    line = alt.Chart(style.data(ends)).mark_line(
        color=style.BLUE,
        strokeWidth=1.5,
        opacity=0.6,
        interpolate="step-after" if is_less else "step-before",
    )
    return [line.encode(x=x.x("x"), y=y.y("y"), order="x:Q")]


def _names(
    rows: list[Json], report: SweepReport, x: MeasureAxis, y: MeasureAxis
) -> list[alt.Chart]:
    """The settings of the front by name, if there are few, where no other setting is."""
    ends = [row for row in rows if row["standing"] == pareto.FRONT]
    if len(ends) > _NAMED:
        return []
    sides = [report.source.measures[each].better for each in report.front_of[:2]]
    up = 1 if sides[1] == "less" else -1
    middle = x.low + _MIDDLE * (x.high - x.low)
    layers = []
    for is_left in (True, False):
        part = [row for row in ends if (row["x"] < middle) == is_left]
        # On the good side of the front there is room; else above it, where dots are few.
        is_free = is_left == (sides[0] == "more")
        text = alt.Chart(style.data(part)).mark_text(
            align="left" if is_left else "right",
            baseline="middle",
            dx=8 if is_left else -8,
            dy=up * (11 if is_free else -11),
            fontSize=11,
            color=style.BLACK,
        )
        layers.append(text.encode(x=x.x("x"), y=y.y("y"), text="setting:N"))
    return layers
