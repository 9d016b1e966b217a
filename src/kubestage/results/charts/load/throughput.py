"""What went on over time: calls, pods, and whatever measurements have sampled."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from kubestage.results.charts import look
from kubestage.results.charts.life import lines, times
from kubestage.results.load import wording

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from altair.typing import ChartType

Json = dict[str, Any]

_BARS: Final = 150
_POINTS: Final = 300
_LINES: Final = 6
_FAILED: Final = "failed"
_VERBS: Final = {
    "create": look.BLUE,
    "patch": look.ORANGE,
    "update": look.ORANGE,
    "get": look.SKY,
    "list": look.PURPLE,
    "delete": look.GREEN,
}
_STAGES: Final = {"created": look.SKY, "scheduled": look.ORANGE, "running": look.BLUE}
_COLORS: Final = (look.BLUE, look.ORANGE, look.GREEN, look.PURPLE, look.SKY, look.VERMILION)


def calls(rows: Sequence[Json], *, seconds: float | None = None) -> ChartType | None:
    """Calls a second by verb; `rows` have ``second``, ``verb``, ``calls`` and ``failed``.

    Those are the rows of the view ``calls_per_second``.
    """
    if not rows:
        return None
    last = max(row["second"] for row in rows) + 1
    axis = times.Times(max(seconds or 0, last))
    size = max(1, -(-int(axis.seconds) // _BARS))
    sums: collections.Counter[tuple[int, str]] = collections.Counter()
    for row in rows:
        failed = row.get("failed") or 0
        sums[row["second"] // size, row["verb"]] += row["calls"] - failed
        sums[row["second"] // size, _FAILED] += failed
    unit = axis.unit[1]
    told: list[Json] = [
        {
            "time": round(place * size / unit, 6),
            "end": round((place + 1) * size / unit, 6),
            "series": verb,
            "value": number / size,
        }
        for (place, verb), number in sorted(sums.items())
        if number
    ]
    found = {row["series"] for row in told}
    kinds = {verb: color for verb, color in _VERBS.items() if verb in found}
    kinds |= dict.fromkeys(sorted(found - {*_VERBS, _FAILED}), look.BLACK)
    if _FAILED in found:
        kinds[_FAILED] = look.VERMILION
    heights: collections.Counter[float] = collections.Counter()
    for row in told:
        heights[row["time"]] += row["value"]
    chart = (
        alt.Chart(look.data(told), width=look.WIDTH, height=look.HEIGHT)
        .mark_bar(clip=True)
        .encode(
            x=axis.axis(),
            x2="end",
            y=lines.value_axis("calls a second", max(heights.values())).stack("zero"),
            color=_squares(kinds),
            order=alt.Order("series:N"),
            tooltip=["series:N", axis.tip(), alt.Tooltip("value:Q", format=",.4~g")],
        )
    )
    return look.finished(chart, "API calls of the load", _calls_subtitle(rows, size, heights))


def _calls_subtitle(rows: Sequence[Json], size: int, heights: collections.Counter[float]) -> str:
    total = sum(row["calls"] for row in rows)
    failed = sum(row.get("failed") or 0 for row in rows)
    told = f"{look.counted(total, 'call')}, at most {max(heights.values()):,.4g} a second"
    if size > 1:
        told += f" (mean over {size} s)"
    return f"{told}; {failed:,} failed" if failed else told


def pods(moments: Mapping[str, Sequence[int]], seconds: float) -> ChartType | None:
    """Pods so far: ``created``, ``scheduled`` and ``running``, each a list of times."""
    if not any(moments.values()):
        return None
    axis = times.Times(seconds)
    kinds = {name: color for name, color in _STAGES.items() if moments.get(name)}
    told: list[Json] = []
    for name in kinds:
        ordered = sorted(moments[name])
        points = [
            {"atSeconds": at_ns / wording.SECOND_NS, "value": number, "series": name}
            for number, at_ns in enumerate(ordered, 1)
        ]
        told += [{"atSeconds": 0.0, "value": 0, "series": name}, *times.thinned(points, _POINTS)]
        told.append({"atSeconds": seconds, "value": len(ordered), "series": name})
    most = max(row["value"] for row in told)
    y = look.count_axis("value", "pods", most)
    chart = lines.layered(lines.drawn(axis.of(told), axis, y, kinds, steps=True))
    running = len(moments.get("running", ()))
    subtitle = f"{look.counted(running, 'pod')} ran; each line counts up, also where pods go again"
    return look.finished(chart, "Pods so far", subtitle)


def pod_rates(moments: Mapping[str, Sequence[int]], seconds: float) -> ChartType | None:
    """How many pods a second were ``created``, ``scheduled`` and began ``running``."""
    kinds = {name: color for name, color in _STAGES.items() if moments.get(name)}
    if not kinds:
        return None
    axis = times.Times(seconds)
    size = max(1, -(-int(seconds) // _BARS))
    told: list[Json] = []
    peaks = {}
    for name in kinds:
        counts = collections.Counter(at_ns // wording.SECOND_NS // size for at_ns in moments[name])
        peaks[name] = max(counts.values()) / size
        told += [
            {"atSeconds": place * size, "value": counts.get(place, 0) / size, "series": name}
            for place in range(int(seconds) // size + 1)
        ]
    y = lines.value_axis("pods a second", max(peaks.values()))
    chart = lines.layered(lines.drawn(axis.of(told), axis, y, kinds, steps=True, width=1.5))
    most = ", ".join(f"{name} {peak:,.4g}" for name, peak in peaks.items())
    subtitle = f"At most {most} a second" + (f" (mean over {size} s)" if size > 1 else "")
    return look.finished(chart, "Pods a second", subtitle)


def series(
    named: Mapping[str, Sequence[tuple[int, float]]], title: str, unit: str, seconds: float
) -> ChartType | None:
    """Values over time, the highest few of them; each a list of times and values."""
    filled = {name: points for name, points in named.items() if points}
    if not filled:
        return None
    axis = times.Times(seconds)
    peaks = {name: max(value for _, value in points) for name, points in filled.items()}
    shown = sorted(filled, key=lambda name: (-peaks[name], name))[:_LINES]
    factor = 1.0
    if unit == "bytes":
        unit, size = wording.binary_unit(max(peaks.values()))
        factor = 1 / size
    told = [
        row
        for name in shown
        for row in times.thinned(
            [
                {"atSeconds": at_ns / wording.SECOND_NS, "value": value * factor, "series": name}
                for at_ns, value in filled[name]
            ],
            _POINTS,
        )
    ]
    kinds = {name: _COLORS[place % len(_COLORS)] for place, name in enumerate(shown)}
    y = lines.value_axis(unit, max(peaks.values()) * factor)
    chart = lines.layered(lines.drawn(axis.of(told), axis, y, kinds))
    highest = f"At most {max(peaks.values()) * factor:,.4g} {unit}"
    if len(filled) > len(shown):
        highest += f"; the {len(shown)} highest of {len(filled)} are shown"
    return look.finished(chart, title, highest)


def _squares(kinds: Mapping[str, str]) -> alt.Color:
    scale = alt.Scale(domain=list(kinds), range=list(kinds.values()))
    return alt.Color("series:N", scale=scale, legend=alt.Legend(columns=7, symbolType="square"))
