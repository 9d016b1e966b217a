"""What autoscalers go by and what they make of it."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.charts.life import bounds, lines, markers, times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.charts.life.times import Times
    from kubestage.results.life.life import Life


_SCALES: Final = {
    "%": (0.01, "share of what is requested"),
    "cores": (1, "cores"),
    "bytes": (2**-20, "MiB"),
}
_UP: Final = "more replicas"
_DOWN: Final = "fewer replicas"


def metric(life: Life, hpa: str, name: str) -> ChartType | None:
    """A metric of an HPA beside its target, with a mark wherever the HPA has rescaled."""
    rows = [row for row in life.rows("metrics") if (row["hpa"], row["metric"]) == (hpa, name)]
    if not any(row["current"] is not None for row in rows):
        return None
    axis = times.Times(life.seconds)
    unit = rows[0]["unit"]
    factor, title = _SCALES.get(unit, (1, name))
    scaled = [
        {**row, "current": _times(row["current"], factor), "target": _times(row["target"], factor)}
        for row in rows
    ]
    marks = _marks(life, hpa, scaled)
    kinds = {"measured": style.BLUE, "target": style.BLACK}
    shown = axis.of(times.with_gaps(scaled, life.observation_times(), "current", "target"))
    current = lines.melted(shown, {"current": "measured"}, steps=True)
    aimed = lines.melted(times.changes(shown, ("target",)), {"target": "target"}, steps=True)
    y = lines.value_axis(title, lines.highest(current, aimed), unit=unit)
    layers = [
        lines.drawn(current, axis, y, kinds, steps=True),
        lines.drawn(aimed, axis, y, kinds, steps=True, dashed=True, width=1.5),
    ]
    if marks:
        layers.append(_decisions(axis, axis.of(marks)))
    up = sum(each["way"] == _UP for each in marks)
    subtitle = f"Rescaled {style.counted(len(marks), 'time')}: {up} up, {len(marks) - up} down"
    if not marks:
        subtitle = "Never rescaled"
    chart = lines.layered(*layers).resolve_scale(shape="independent", fill="independent")
    return markers.finished(life, chart, f"HPA {hpa}: {name}", subtitle)


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _marks(life: Life, hpa: str, rows: Sequence[Json]) -> list[Json]:
    """The rescales of an HPA, at the height of what was measured then."""
    moments = [row["atSeconds"] for row in rows]
    marks = []
    for each in life.rows("decisions"):
        if (each["decision"], each["by"]) != ("rescale", hpa):
            continue
        at = max(bisect.bisect_right(moments, each["atSeconds"]) - 1, 0)
        value = rows[at]["current"]
        way = _UP if (each["after"] or 0) > (each["before"] or 0) else _DOWN
        marks.append(
            {
                "atSeconds": each["atSeconds"],
                "value": rows[at]["target"] if value is None else value,
                "way": way,
                "replicas": f"{each['before']} to {each['after']}",
                "reason": each["reason"],
            }
        )
    return marks


def _decisions(axis: Times, marks: Sequence[Json]) -> alt.Chart:
    ways = [_UP, _DOWN]
    shapes = alt.Scale(domain=ways, range=["triangle-up", "triangle-down"])
    fills = alt.Scale(domain=ways, range=[style.VERMILION, style.GREEN])
    legend = alt.Legend(symbolSize=90, symbolStrokeWidth=0)
    chart: alt.Chart = (
        alt.Chart(style.data(marks))
        .mark_point(size=90, filled=True, opacity=1, stroke="white", strokeWidth=0.5)
        .encode(
            x=axis.axis(),
            y="value:Q",
            shape=alt.Shape("way:N", scale=shapes, legend=legend),
            fill=alt.Fill("way:N", scale=fills, legend=legend),
            tooltip=[axis.tip(), "replicas:N", "reason:N"],
        )
    )
    return chart


def recommendation(life: Life, vpa: str, container: str, resource: str) -> ChartType | None:
    """The bounds and the target that a VPA recommends, beside what is requested."""
    subject = (vpa, container, resource)
    rows = [
        row
        for row in life.rows("recommendations")
        if (row["vpa"], row["container"], row["resource"]) == subject
    ]
    if not rows:
        return None
    axis = times.Times(life.seconds)
    fields = ("lower", "target", "upper", "request")
    changes = times.changes(
        axis.of(times.with_gaps(rows, life.observation_times(), *fields)), fields
    )
    kinds = {"target": style.BLUE, "request": style.BLACK}
    chart, is_cut = bounds.bounded(axis, changes, resource, kinds)
    subtitle = "Shade: from the lower to the upper bound"
    if is_cut:
        subtitle += ", which goes beyond the chart"
    return markers.finished(life, chart, f"VPA {vpa}: {resource} of {container}", subtitle)
