"""A search in one picture: every trial, and the best so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.sweep.report import amounts, axis_names
from kubestage.sweep.report.charts import measure_axis
from kubestage.sweep.rows import Setting

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.sweep.optimise.result import OptimiseResult

_ALL: Final = "all seeds"
_ENDED: Final = "ended early"
_OUT: Final = "beyond a limit"
_COLORS: Final = {_ALL: style.BLUE, _ENDED: style.GREY, _OUT: style.VERMILION}


def history(result: OptimiseResult, at: int = 0) -> ChartType | None:
    """The means of an objective trial by trial; a line has the best that meets all limits."""
    objective = result.aims.objectives[at]
    unit = result.rows.measures[objective.measure].unit
    rows: list[Json] = []
    best: float | None = None
    steps: list[Json] = []
    for trial in result.trials:
        if trial.values is None:
            continue
        value = trial.values[at]
        kind = _OUT if not trial.is_feasible else _ENDED if trial.ended else _ALL
        setting = axis_names.label(Setting(trial.parameters, ()), result.rows.axes)
        shown = amounts.amount(value, unit)
        rows.append(
            {"trial": trial.number, "value": value, "kind": kind, "setting": setting,
             "shown": shown, "seeds": trial.seeds}
        )  # fmt: skip
        if trial.is_feasible:
            pick = min if objective.better == "less" else max
            best = value if best is None else pick(best, value)
        if best is not None:
            steps.append({"trial": trial.number, "best": best})
    if len(rows) < 2:
        return None
    axis = measure_axis.fitted(objective.measure, unit, [row["value"] for row in rows])
    domain = alt.Scale(domain=[0.5, len(result.trials) + 0.5], nice=False)
    ticks = alt.Axis(grid=False, values=style.whole_ticks(1, len(result.trials)), format="d")
    x = alt.X("trial:Q", title="trial", scale=domain, axis=ticks)
    there = [kind for kind in _COLORS if any(row["kind"] == kind for row in rows)]
    color = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=there, range=[_COLORS[kind] for kind in there]),
        legend=alt.Legend(symbolOpacity=1),
    )
    line = alt.Chart(style.data(steps)).mark_line(
        interpolate="step-after", color=style.GREEN, strokeWidth=2
    )
    dots = alt.Chart(style.data(rows)).mark_point(filled=True, size=55, opacity=0.8)
    chart = alt.layer(
        line.encode(x=x, y=axis.y("best")),
        dots.encode(
            x=x,
            y=axis.y("value"),
            color=color,
            tooltip=["trial:Q", "setting:N", "shown:N", "seeds:Q", "kind:N"],
        ),
        width=style.WIDTH,
        height=style.HEIGHT,
    )
    limits = " and ".join(each.text for each in result.aims.constraints)
    within = f" within {limits}" if limits else ""
    subtitle = f"Dot: mean over the seeds of a trial; line: the best mean so far{within}"
    return style.wide(style.finished(chart, f"Search for the {objective}", subtitle))
