"""Pods over time, by how far they are: those without a node first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.charts.life import lines, markers, times

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

_STATES: Final = {
    "active": style.BLUE,
    "launching": style.ORANGE,
    "terminating": style.GREY,
    "pending": style.VERMILION,
}


def pods(life: Life) -> ChartType | None:
    """How many pods are active, launching, terminating, and without a node; on top of each other.

    None if there was no pod.
    """
    rows = life.rows("cluster")
    if not any(row[state] for row in rows for state in _STATES):
        return None
    axis = times.Times(life.seconds)
    shown = times.changes(axis.of(rows), tuple(_STATES))
    there = [state for state in _STATES if any(row[state] for row in shown)]
    values: list[Json] = []
    for row in shown:
        height = 0
        for state in there:
            part = {"time": row["time"], "series": state, "value": row[state]}
            values.append({**part, "low": height, "high": height + row[state]})
            height += row[state]
    highest = max(sum(row[state] for state in there) for row in shown)
    scale = alt.Scale(domain=there, range=[_STATES[state] for state in there])
    chart = (
        alt.Chart(style.data(values))
        .mark_area(interpolate="step-after", opacity=0.75, clip=True)
        .encode(
            x=axis.axis(),
            y=style.count_axis("low", "pods", highest),
            y2="high:Q",
            color=alt.Color("series:N", scale=scale, legend=alt.Legend(columns=4)),
            tooltip=["series:N", axis.tip(), alt.Tooltip("value:Q", title="pods")],
        )
    )
    most = max(row["pending"] for row in rows)
    waiting = f"{style.counted(most, 'pod')} without a node at most" if most else "all have nodes"
    subtitle = f"{waiting}; {rows[-1]['pending']} at the end"
    return markers.finished(life, lines.layered(chart), "Pods by state", subtitle)
