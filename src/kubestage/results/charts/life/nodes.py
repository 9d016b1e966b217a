"""Nodes over time, by group, and how much of them is requested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.charts.life import lines, markers, times

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life


_PROVISIONING: Final = "on their way"
_NOT_READY: Final = "NotReady"
_TICKS: Final = 6
_FAINT: Final = "#bbbbbb"
_NO_GROUP: Final = "no group"
_READY: Final = "Ready"
_COLORS: Final = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.SKY, style.VERMILION)


def nodes(life: Life) -> ChartType | None:
    """How many Ready nodes each group has, the others on top; None if that never changes."""
    rows = life.rows("nodes")
    if not is_moving(rows):
        return None
    axis = times.Times(life.seconds)
    groups = list(dict.fromkeys(row["group"] for row in rows if row["total"]))
    unnamed = _NO_GROUP if len(groups) > 1 else _READY
    kinds = {name or unnamed: _COLORS[place % len(_COLORS)] for place, name in enumerate(groups)}
    values, tops = _stacked(axis.of(rows), groups, unnamed)
    there = {row["series"] for row in values}
    more = {_NOT_READY: style.BLACK, _PROVISIONING: _FAINT}
    kinds |= {name: color for name, color in more.items() if name in there}
    scale = alt.Scale(domain=list(kinds), range=list(kinds.values()))
    color = alt.Color("series:N", scale=scale, legend=alt.Legend(columns=6))
    chart = (
        alt.Chart(style.data(values))
        .mark_area(interpolate="step-after", opacity=0.75)
        .encode(
            x=axis.axis(),
            y=style.count_axis("low", "nodes", max(tops)),
            y2="high:Q",
            color=color,
            tooltip=["series:N", axis.tip(), alt.Tooltip("value:Q", title="nodes")],
        )
    )
    end = tops[-1]
    subtitle = f"{style.counted(max(tops), 'node')} at most, {end} at the end"
    title = "Nodes" if groups == [""] else "Nodes by group"
    return markers.finished(life, lines.layered(chart), title, subtitle)


def is_moving(rows: list[Json]) -> bool:
    """Whether the number of nodes, or of Ready ones, ever changes."""
    counts: dict[str, set[int]] = {}
    for row in rows:
        counts.setdefault(row["group"], set()).update(
            (row["ready"], row["total"], row["total"] + row["provisioning"])
        )
    return len(counts) > 1 or any(len(each) > 1 for each in counts.values())


def _stacked(rows: list[Json], groups: list[str], unnamed: str) -> tuple[list[Json], list[int]]:
    """Areas on top of each other, and how high they are together at each moment."""
    moments: dict[float, dict[str, Json]] = {}
    for row in rows:
        moments.setdefault(row["time"], {})[row["group"]] = row
    is_waiting = any(row["provisioning"] for row in rows)
    is_failing = any(row["ready"] < row["total"] for row in rows)
    values: list[Json] = []
    tops = []
    for time, there in moments.items():
        height = 0
        for name in groups:
            count = there[name]["ready"] if name in there else 0
            values.append(_area(time, name or unnamed, height, count))
            height += count
        if is_failing:
            failed = sum(row["total"] - row["ready"] for row in there.values())
            values.append(_area(time, _NOT_READY, height, failed))
            height += failed
        waiting = sum(row["provisioning"] for row in there.values())
        if is_waiting:
            values.append(_area(time, _PROVISIONING, height, waiting))
        tops.append(height)
    return values, tops


def _area(time: float, series: str, low: int, value: int) -> Json:
    return {"time": time, "series": series, "low": low, "high": low + value, "value": value}


def capacity(life: Life) -> ChartType | None:
    """How much CPU pods request of what nodes offer, and how many pods have no node."""
    rows = life.rows("cluster")
    if not any(row["allocatableCpu"] for row in rows):
        return None
    axis = times.Times(life.seconds)
    shown = [
        {**row, "requested": row["requestedCpu"] / 1000, "offered": row["allocatableCpu"] / 1000}
        for row in axis.of(rows)
    ]
    kinds = {"offered": style.BLACK, "requested": style.BLUE}
    fields = ("offered", "requested")
    values = lines.melted(times.changes(shown, fields), {name: name for name in kinds})
    used = life.rows("usage")
    if used:
        # Only the record of a served cluster has what pods use.
        kinds["used"] = style.GREEN
        values += lines.melted(axis.of(times.thinned(used)), {"usedCpu": "used"})
    y = lines.value_axis("cores", max(row["value"] for row in values))
    layers = [lines.drawn(values, axis, y, kinds, steps=True)]
    most = max(row["pending"] for row in rows)
    if most:
        kinds["pods without a node"] = style.VERMILION
        waiting = lines.melted(
            times.changes(shown, ("pending",)), {"pending": "pods without a node"}
        )
        ticks = style.whole_ticks(0, most, _TICKS)
        right = lines.value_axis("pods without a node", most, right=True, ticks=ticks)
        layers = [
            lines.drawn(values, axis, y, kinds, steps=True),
            lines.drawn(waiting, axis, right, kinds, steps=True, dashed=True, width=1.5),
        ]
    last = shown[-1]
    subtitle = "At the end no node is Ready"
    if last["offered"]:
        share = style.percent(last["requested"] / last["offered"])
        subtitle = f"At the end {share} of the CPU of Ready nodes is requested"
    chart = lines.layered(*layers, axes=len(layers))
    return markers.finished(life, chart, "What pods request of the nodes", subtitle)
