"""What went on over time: calls, pods, and whatever measurements have sampled."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.charts.life import lines, times
from kubestage.results.charts.load import colors
from kubestage.results.load import wording
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json


_BARS: Final = 150
_POINTS: Final = 300
_LINES: Final = 6
_STAGES: Final = {"created": style.SKY, "scheduled": style.ORANGE, "running": style.BLUE}


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
        sums[row["second"] // size, colors.FAILED] += failed
    bars_drawn, highest = _stacked(sums, size, axis.unit[1])
    kinds = colors.of(colors.verbs_first(row["series"] for row in bars_drawn))
    tips = ["series:N", axis.tip(), alt.Tooltip("calls:Q", format=",.4~g", title="calls a second")]
    chart = (
        alt.Chart(style.data(bars_drawn), width=style.WIDTH, height=style.HEIGHT)
        .mark_rect(clip=True, strokeWidth=0.6)
        .encode(
            x=axis.axis(),
            x2="end",
            y=lines.value_axis("calls a second", highest),
            y2="top",
            color=colors.legend(kinds, squares=True),
            # Otherwise a hair of the page is seen between two bars.
            stroke=alt.Stroke("series:N", scale=colors.scale(kinds), legend=None),
            tooltip=tips,
        )
    )
    return style.finished(chart, "API calls of the load", _calls_subtitle(rows, size, highest))


def _stacked(
    sums: Mapping[tuple[int, str], int], size: int, unit: float
) -> tuple[list[Json], float]:
    """Bars on top of one another, as seconds of one `size` have them, and the highest."""
    verbs = colors.verbs_first(verb for (_, verb), number in sums.items() if number)
    tops: collections.Counter[int] = collections.Counter()
    bars: list[Json] = []
    for place in sorted({place for place, _ in sums}):
        for verb in verbs:
            rate = sums.get((place, verb), 0) / size
            if rate:
                bars.append(
                    {
                        "time": round(place * size / unit, 6),
                        "end": round((place + 1) * size / unit, 6),
                        "series": verb,
                        "calls": rate,
                        "value": tops[place] / size,
                        "top": tops[place] / size + rate,
                    }
                )
                tops[place] += sums[place, verb]
    return bars, max(tops.values(), default=0) / size


def _calls_subtitle(rows: Sequence[Json], size: int, highest: float) -> str:
    total = sum(row["calls"] for row in rows)
    failed = sum(row.get("failed") or 0 for row in rows)
    subtitle = f"{style.counted(total, 'call')}, at most {highest:,.4g} a second"
    if size > 1:
        subtitle += f" (mean over {size} s)"
    return f"{subtitle}; {failed:,} failed" if failed else subtitle


def pods(moments: Mapping[str, Sequence[int]], seconds: float) -> ChartType | None:
    """Pods so far: ``created``, ``scheduled`` and ``running``, each a list of times."""
    if not any(moments.values()):
        return None
    axis = times.Times(seconds)
    kinds = {name: color for name, color in _STAGES.items() if moments.get(name)}
    drawn: list[Json] = []
    for name in kinds:
        ordered = sorted(moments[name])
        points = [
            {"atSeconds": at_ns / SECOND_NS, "value": number, "series": name}
            for number, at_ns in enumerate(ordered, 1)
        ]
        drawn += [{"atSeconds": 0.0, "value": 0, "series": name}, *times.thinned(points, _POINTS)]
        drawn.append({"atSeconds": seconds, "value": len(ordered), "series": name})
    most = max(row["value"] for row in drawn)
    y = style.count_axis("value", "pods", most)
    chart = lines.layered(lines.drawn(axis.of(drawn), axis, y, kinds, steps=True))
    running = len(moments.get("running", ()))
    subtitle = f"{style.counted(running, 'pod')} ran; each line counts up, also where pods go again"
    return style.finished(chart, "Pods so far", subtitle)


def pod_rates(moments: Mapping[str, Sequence[int]], seconds: float) -> ChartType | None:
    """How many pods a second were ``created``, ``scheduled`` and began ``running``."""
    kinds = {name: color for name, color in _STAGES.items() if moments.get(name)}
    if not kinds:
        return None
    axis = times.Times(seconds)
    size = max(1, -(-int(seconds) // _BARS))
    drawn: list[Json] = []
    peaks = {}
    for name in kinds:
        counts = collections.Counter(at_ns // SECOND_NS // size for at_ns in moments[name])
        peaks[name] = max(counts.values()) / size
        drawn += [
            {"atSeconds": place * size, "value": counts.get(place, 0) / size, "series": name}
            for place in range(int(seconds) // size + 1)
        ]
    y = lines.value_axis("pods a second", max(peaks.values()))
    chart = lines.layered(lines.drawn(axis.of(drawn), axis, y, kinds, steps=True, width=1.5))
    most = ", ".join(f"{name} {peak:,.4g}" for name, peak in peaks.items())
    subtitle = f"At most {most} a second" + (f" (mean over {size} s)" if size > 1 else "")
    return style.finished(chart, "Pods a second", subtitle)


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
    rows_drawn = [
        row
        for name in shown
        for row in times.thinned(
            [
                {"atSeconds": at_ns / SECOND_NS, "value": value * factor, "series": name}
                for at_ns, value in filled[name]
            ],
            _POINTS,
        )
    ]
    kinds = colors.of(shown)
    y = lines.value_axis(unit, max(peaks.values()) * factor)
    drawn = lines.drawn(axis.of(rows_drawn), axis, y, kinds).encode(color=colors.legend(kinds))
    chart = lines.layered(drawn)
    highest = f"At most {max(peaks.values()) * factor:,.4g} {unit}"
    if len(filled) > len(shown):
        highest += f"; the {len(shown)} highest of {len(filled)} are shown"
    return style.finished(chart, title, highest)
