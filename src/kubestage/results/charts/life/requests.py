"""Requests over time: where they are, how many come, how long they take."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.charts.life import lines, markers, times

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.charts.life.times import Times
    from kubestage.results.life.life import Life


RPS: Final = "requests per second"
_STOCKS: Final = {"routing": style.SKY, "processing": style.BLUE, "failed so far": style.VERMILION}
_PERCENTILES: Final = {"p50": style.BLUE, "p95": style.ORANGE, "p99": style.VERMILION}
_MOVING: Final = ("routing", "processing")
_POINTS: Final = 150
_LONG: Final = 10
_DOTS: Final = 1500
_SECOND_MS: Final = 1000
# From so many times the smallest on, small ones could not be seen on a plain scale.
_WIDE: Final = 40
# Rows that are further apart than so many of the usual intervals have a gap between them.
_IRREGULAR: Final = 1.5


def rate_line(axis: Times, rows: Sequence[Json], kinds: Mapping[str, str]) -> alt.Chart:
    """Requests a second, dashed, on an axis at the right."""
    moments: dict[float, float] = {}
    for row in rows:
        moments[row["atSeconds"]] = moments.get(row["atSeconds"], 0) + row["rps"]
    rates = [{"atSeconds": at, "rps": rps} for at, rps in sorted(moments.items())]
    size = times.group_size(rates)
    means = []
    for stretch in _streams(rates):
        means += [
            {"atSeconds": group[0]["atSeconds"], RPS: _mean(group, "rps")}
            for group in times.grouped(stretch, size=size)
        ]
        means.append({"atSeconds": stretch[-1]["atSeconds"], RPS: None})
    values = lines.melted(axis.of(means[:-1]), {RPS: RPS})
    y = lines.value_axis(RPS, lines.highest(values), right=True)
    return lines.drawn(values, axis, y, kinds, dashed=True, width=1.5)


def _streams(rows: Sequence[Json]) -> list[list[Json]]:
    """Rows from one time without any traffic to the next: there are rows at regular intervals."""
    moments = [row["atSeconds"] for row in rows]
    steps = [after - before for before, after in itertools.pairwise(moments)]
    regular = _IRREGULAR * min(steps, default=0)
    found = [[rows[0]]] if rows else []
    for step, row in zip(steps, rows[1:], strict=True):
        if step > regular:
            found.append([])
        found[-1].append(row)
    return found


def _mean(rows: Sequence[Json], field: str) -> float:
    total: float = sum(row[field] for row in rows)
    return total / len(rows)


def requests(life: Life, traffic: str) -> ChartType | None:
    """How many requests are in which stock, and how many come a second, dashed."""
    rows = [row for row in life.rows("requests") if row["traffic"] == traffic]
    arrived = sum(row["arrived"] for row in rows)
    if not arrived:
        return None
    axis = times.Times(life.seconds)
    failed, outcomes = 0, []
    for group in times.grouped(rows, _POINTS):
        failed += sum(row["failed"] for row in group)
        means = {name: sum(row[name] for row in group) / len(group) for name in _MOVING}
        outcomes.append({"atSeconds": group[0]["atSeconds"], **means, "failed so far": failed})
    values = lines.melted(axis.of(outcomes), {name: name for name in _STOCKS})
    kinds = {**_STOCKS, RPS: style.PURPLE}
    y = lines.value_axis("requests", lines.highest(values))
    chart = lines.layered(lines.drawn(values, axis, y, kinds), rate_line(axis, rows, kinds), axes=2)
    share = style.percent(failed / arrived)
    fate = f"{failed:,} of them failed ({share})" if failed else "none failed"
    subtitle = f"{style.counted(arrived, 'request')}, {fate}"
    return markers.finished(life, chart, f"Requests of {traffic} in each stock", subtitle)


def response_times(life: Life, traffic: str) -> ChartType | None:
    """How long requests took: a sample of them, and bands between percentiles."""
    rows = [row for row in life.rows("percentiles") if row["traffic"] == traffic]
    if not rows:
        return None
    axis = times.Times(life.seconds)
    dots = [row for row in life.rows("responses") if row["traffic"] == traffic]
    shown = axis.of(times.thinned(dots, _DOTS), "arrivedSeconds")
    seen = [row["responseMs"] for row in shown]
    highest = max((*seen, *(row["p99Ms"] for row in rows)))
    lowest = min((*seen, *(row["p50Ms"] for row in rows)))
    unit, size = ("s", _SECOND_MS) if highest >= _LONG * _SECOND_MS else ("ms", 1)
    y = _response_axis(unit, lowest / size, highest / size)
    percentiles = axis.of(_percentiles(rows, size))
    points = [{"time": row["time"], "value": row["responseMs"] / size} for row in shown]
    values = lines.melted(percentiles, {name: name for name in _PERCENTILES})
    chart = lines.layered(
        alt.Chart(style.data(points))
        .mark_circle(size=9, opacity=0.25, color=style.BLACK, clip=True)
        .encode(x=axis.axis(), y=y),
        _band(axis, percentiles, "p50", "p95"),
        _band(axis, percentiles, "p95", "p99"),
        lines.drawn(values, axis, y, _PERCENTILES),
    )
    subtitle = "Lines: percentiles of what was completed; dots: single requests, by arrival"
    return markers.finished(life, chart, f"Response times of {traffic}", subtitle)


def _percentiles(rows: Sequence[Json], size: float) -> Iterator[Json]:
    """Percentiles, each in the middle of the time that it is about; none between those apart."""
    end = rows[0]["atSeconds"]
    for row in rows:
        if row["atSeconds"] > end:
            yield {"atSeconds": end, **dict.fromkeys(_PERCENTILES)}
        values = {name: row[f"{name}Ms"] / size for name in _PERCENTILES}
        yield {"atSeconds": row["atSeconds"] + row["seconds"] / 2, **values}
        end = row["atSeconds"] + row["seconds"]


def _band(axis: Times, bands: Sequence[Json], low: str, high: str) -> alt.Chart:
    chart: alt.Chart = (
        alt.Chart(style.data(bands))
        .mark_area(opacity=0.16, color=_PERCENTILES[high], clip=True)
        .encode(x=axis.axis(), y=f"{low}:Q", y2=f"{high}:Q")
    )
    return chart


def _response_axis(unit: str, lowest: float, highest: float) -> alt.Y:
    title = f"response time ({unit})"
    if lowest > 0 and highest / lowest > _WIDE:
        scale = alt.Scale(type="log", domain=[lowest * 0.9, highest * 1.1], nice=False)
        ticks = [ease * 10.0**power for power in range(-3, 7) for ease in (1, 2, 5)]
        values = [tick for tick in ticks if lowest * 0.9 <= tick <= highest * 1.1]
        axis = alt.Axis(values=values)
        return alt.Y("value:Q", title=title, axis=axis, scale=scale)
    return lines.value_axis(title, highest)


def utilization(life: Life, traffic: str) -> ChartType | None:
    """How busy replicas are on average, with what an HPA of theirs aims at."""
    rows = [row for row in life.rows("utilization") if row["traffic"] == traffic]
    if not rows:
        return None
    axis = times.Times(life.seconds)
    workloads = {row["workload"] for row in life.rows("requests") if row["traffic"] == traffic}
    aims = [
        {"atSeconds": row["atSeconds"], "target": row["target"] / 100}
        for row in life.rows("metrics")
        if row["workload"] in workloads and row["metric"].startswith("cpu") and row["unit"] == "%"
    ]
    busy = lines.melted(axis.of(_busy(life, rows)), {"utilization": "CPU used"})
    target = lines.melted(
        times.changes(
            axis.of(times.with_gaps(aims, life.observation_times(), "target")), ("target",)
        ),
        {"target": "HPA target"},
        steps=True,
    )
    kinds = {"CPU used": style.BLUE, **({"HPA target": style.BLACK} if aims else {})}
    y = lines.value_axis("share of what replicas may use", lines.highest(busy, target), unit="%")
    layers = [lines.drawn(busy, axis, y, kinds)]
    if aims:
        layers.append(lines.drawn(target, axis, y, kinds, steps=True, dashed=True, width=1.5))
    mean = style.percent(sum(row["utilization"] for row in rows) / len(rows))
    subtitle = f"Mean over active replicas; {mean} over the whole run"
    return markers.finished(
        life, lines.layered(*layers), f"CPU of the replicas of {traffic}", subtitle
    )


def _busy(life: Life, rows: Sequence[Json]) -> list[Json]:
    """Means of neighbouring looks; a look at which no replica was active ends the line."""
    known = times.with_gaps(rows, life.observation_times(), "utilization")
    size = times.group_size(rows, _POINTS)
    shown: list[Json] = []
    for stretch in times.stretches(known, "utilization"):
        shown += [
            {"atSeconds": group[-1]["atSeconds"], "utilization": _mean(group, "utilization")}
            for group in times.grouped(stretch, size=size)
        ]
        shown.append({"atSeconds": stretch[-1]["atSeconds"], "utilization": None})
    return shown[:-1]
