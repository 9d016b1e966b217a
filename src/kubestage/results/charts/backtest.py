"""Backtests in one picture: replicas and load, metrics and targets; or bounds and requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.charts.life import bounds, lines, times

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.charts.life.times import Times


_COLORS: Final = (style.BLUE, style.ORANGE, style.GREEN, style.VERMILION, style.SKY, style.BLACK)
_LOAD: Final = "load"
_PART: Final = 200
_UNITS: Final = {"%": 0.01, "bytes": 2.0**-20}


def side_by_side(outcomes: Sequence[Json]) -> ChartType:
    """All backtests, those of HPAs first; `outcomes` come from `kubestage.backtesting`."""
    seconds = max((style["seconds"] for each in outcomes for style in each["looks"]), default=1.0)
    axis = times.Times(seconds)
    horizontal = [each for each in outcomes if each["kind"] == "HorizontalPodAutoscaler"]
    parts: list[ChartType] = []
    if horizontal:
        parts.append(_replicas(axis, horizontal))
        parts += [part for each in horizontal for part in _metrics(axis, each)]
    for each in outcomes:
        if each not in horizontal:
            parts += list(_bounds(axis, each))
    chart = alt.vconcat(*parts, spacing=style.GAP).resolve_scale(color="independent")
    names = ", ".join(each["name"] for each in outcomes)
    decided = sum(len(each["decisions"]) for each in outcomes)
    subtitle = f"{names}: {style.counted(decided, 'decision')}; the load is what was measured"
    return style.finished(chart, "What autoscalers would have decided", subtitle)


def _replicas(axis: Times, outcomes: Sequence[Json]) -> ChartType:
    kinds = {each["name"]: _COLORS[at % len(_COLORS)] for at, each in enumerate(outcomes)}
    kinds[_LOAD] = style.PURPLE
    rows = []
    for each in outcomes:
        looks = axis.of(times.changes(each["looks"], ("desired",)), "seconds")
        rows += [
            {"time": row["time"], "series": each["name"], "value": row["desired"]} for row in looks
        ]
    highest = max((row["value"] for row in rows), default=1)
    y = style.count_axis("value", "replicas", highest)
    looks = axis.of(times.thinned(outcomes[0]["looks"]), "seconds")
    load = lines.melted(looks, {"load": _LOAD})
    right = lines.value_axis("load", lines.highest(load) or 1, right=True)
    chart = lines.layered(
        lines.drawn(rows, axis, y, kinds, steps=True),
        lines.drawn(load, axis, right, kinds, dashed=True, width=1.5),
        axes=2,
    )
    return _titled(chart, "Replicas", style.HEIGHT)


def _metrics(axis: Times, outcome: Json) -> Iterator[ChartType]:
    """Each metric of an HPA beside its target."""
    looks = axis.of(times.thinned(outcome["looks"]), "seconds")
    count = max((len(row["metrics"]) for row in looks), default=0)
    for at in range(count):
        known = next(row["metrics"][at] for row in looks if len(row["metrics"]) > at)
        silent = {**known, "current": None, "target": None}
        found = [
            {"time": row["time"], **(row["metrics"][at] if len(row["metrics"]) > at else silent)}
            for row in looks
        ]
        unit = known["unit"]
        factor = _UNITS.get(unit, 1.0)
        for row in found:
            row.update({each: _times(row[each], factor) for each in ("current", "target")})
        kinds = {"measured": style.BLUE, "target": style.BLACK}
        current = lines.melted(found, {"current": "measured"}, steps=True)
        changes = times.changes(found, ("target",))
        aimed = lines.melted(changes, {"target": "target"}, steps=True)
        highest = lines.highest(current, aimed) or 1
        y = lines.value_axis("MiB" if unit == "bytes" else "", highest, unit=unit)
        chart = lines.layered(
            lines.drawn(current, axis, y, kinds, steps=True),
            lines.drawn(aimed, axis, y, kinds, steps=True, dashed=True, width=1.5),
        )
        yield _titled(chart, f"{outcome['name']}: {known['metric']}", _PART)


def _bounds(axis: Times, outcome: Json) -> Iterator[ChartType]:
    """What a VPA recommends for each resource of each container."""
    subjects = dict.fromkeys((row["container"], row["resource"]) for row in outcome["looks"])
    kinds = {"used": style.PURPLE, "target": style.BLUE, "request": style.BLACK}
    for container, resource in subjects:
        rows = [
            row
            for row in axis.of(outcome["looks"], "seconds")
            if (row["container"], row["resource"]) == (container, resource)
        ]
        chart, is_cut = bounds.bounded(axis, times.thinned(rows), resource, kinds)
        cut = "; the upper bound goes beyond the chart" if is_cut else ""
        yield _titled(chart, f"{outcome['name']}: {resource} of {container}{cut}", _PART)


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _titled(chart: ChartType, title: str, height: int) -> ChartType:
    heading = alt.TitleParams(title, anchor="start", fontSize=14, offset=6)
    titled: ChartType = chart.properties(title=heading, height=height)
    return titled
