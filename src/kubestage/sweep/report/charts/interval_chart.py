"""Every setting with the interval of its mean, coloured by its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.statistics import verdicts
from kubestage.sweep.report import amounts, axis_names, settings_table
from kubestage.sweep.report.charts import measure_axis

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.sweep.report.sweep_report import SweepReport

_ROW: Final = 24
_MOST: Final = 30
_REFERENCE: Final = "reference"
COLORS: Final = {
    _REFERENCE: style.BLACK,
    verdicts.BETTER: style.BLUE,
    verdicts.LOWER: style.SKY,
    verdicts.SAME: style.GREY,
    verdicts.UNDECIDED: style.ORANGE,
    verdicts.HIGHER: style.PURPLE,
    verdicts.WORSE: style.VERMILION,
}
"""The colour of each verdict."""


def intervals(report: SweepReport, measure: str) -> ChartType | None:
    """A row for each setting: its mean as a dot, its interval as a line."""
    rows = _rows(report, measure)
    if len(rows) < 2:
        return None
    unit = report.source.measures[measure].unit
    ends = [row[each] for row in rows for each in ("mean", "low", "high")]
    axis = measure_axis.fitted(measure, unit, [each for each in ends if isinstance(each, float)])
    names = [str(row["setting"]) for row in rows]
    y = alt.Y(
        "setting:N",
        sort=names,
        title=None,
        axis=alt.Axis(ticks=False, domain=False, labelLimit=330, labelPadding=8),
    )
    there = [word for word in COLORS if any(row["verdict"] == word for row in rows)]
    scale = alt.Scale(domain=there, range=[COLORS[word] for word in there])
    color = alt.Color("verdict:N", scale=scale, legend=alt.Legend(orient="top", symbolOpacity=1))
    tips = ["setting:N", "shown:N", "difference:N", "verdict:N", "seeds:Q"]
    base = alt.Chart(style.data(rows)).encode(y=y, color=color, tooltip=tips)
    layers = [
        *_reference_line(rows, axis),
        base.mark_rule(strokeWidth=3, opacity=0.55, strokeCap="round").encode(
            x=axis.x("low"), x2="high:Q"
        ),
        base.mark_point(filled=True, size=70, opacity=1).encode(x=axis.x("mean")),
    ]
    chart = alt.layer(*layers, width=style.WIDTH, height=_ROW * len(rows))
    level = f"{report.options.level:g}%"
    left = len(report.settings) - len(rows)
    more = f"; {left} more settings not shown" if left else ""
    subtitle = (
        f"Dot: mean over seeds; line: where the mean is with {level} confidence; colours are of "
        f"differences seed by seed{more}"
    )
    title = f"Settings by {settings_table.title(report, measure)}"
    return style.wide(style.finished(chart, title, subtitle))


def _rows(report: SweepReport, measure: str) -> list[dict[str, str | float | None]]:
    unit = report.source.measures[measure].unit
    rows: list[dict[str, str | float | None]] = []
    for at in settings_table.order(report, measure, _MOST):
        cell = report.cells[measure][at]
        found = cell.estimate
        if found.mean is None:
            continue
        difference = cell.difference
        rows.append(
            {
                "setting": axis_names.label(report.settings[at], report.source.axes),
                "mean": found.mean,
                "low": found.mean if found.low is None else found.low,
                "high": found.mean if found.high is None else found.high,
                "verdict": _REFERENCE if cell.verdict is None else cell.verdict.word,
                "shown": amounts.mean(found, unit),
                "difference": ""
                if difference is None
                else amounts.change(difference.estimate, unit),
                "seeds": found.count,
            }
        )
    return rows


def _reference_line(
    rows: list[dict[str, str | float | None]], axis: measure_axis.MeasureAxis
) -> list[alt.Chart]:
    marked = [{"mean": row["mean"]} for row in rows if row["verdict"] == _REFERENCE]
    line = alt.Chart(style.data(marked)).mark_rule(
        color=style.BLACK, strokeDash=[4, 4], strokeWidth=1, opacity=0.6
    )
    return [line.encode(x=axis.x("mean"))] if marked else []
