"""How long things took: the share of objects that was done within a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import altair as alt
import msgspec

from kubestage.aliases import Json
from kubestage.measure.percentiles import nearest_rank
from kubestage.results.charts import style
from kubestage.results.charts.load import colors
from kubestage.results.load import wording
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from altair.typing import ChartType


PERCENTS: Final = (50, 90, 99)
_MOST: Final = 6
_POINTS: Final = 200
# A log axis has no zero: what took no time at all is drawn here.
_LEAST: Final = 1e-4
_MARGIN: Final = 1.15
# A threshold that is so many times the longest is named and not drawn: there is nothing near it.
_FAR: Final = 20
_FAR_RIGHT: Final = 0.75
# Over so small a range, round numbers on a plain scale are easier to read.
_NARROW: Final = 8
_LABEL: Final = (
    "datum.value == 0 ? '0' : datum.value >= 1 ? format(datum.value, '~g') + ' s' : "
    "datum.value >= 0.001 ? format(datum.value * 1000, '~g') + ' ms' : "
    "format(datum.value * 1000000, '~g') + ' µs'"
)


class Threshold(msgspec.Struct, frozen=True):
    """What a percentile may be at most."""

    seconds: float
    name: str = "threshold"


def latencies(
    took_ns: Mapping[str, Sequence[int]],
    title: str = "Latencies",
    threshold: Threshold | None = None,
    main: str = "",
) -> ChartType | None:
    """Of each metric, the share that was done within a time; dots are the percentiles.

    `main` is the metric that the others are parts of, if there is one.
    """
    ordered = {name: sorted(values) for name, values in took_ns.items() if values}
    if not ordered:
        return None
    shown = {
        name: [max(value / SECOND_NS, _LEAST) for value in values]
        for name, values in list(ordered.items())[:_MOST]
    }
    lowest = min(values[0] for values in shown.values())
    highest = max(values[-1] for values in shown.values())
    is_near = threshold is not None and _LEAST <= threshold.seconds <= _FAR * highest
    if threshold is not None and is_near:
        lowest, highest = min(lowest, threshold.seconds), max(highest, threshold.seconds)
    x = _axis(lowest, highest)
    kinds = colors.of(shown)
    chart = _layers(shown, x, kinds)
    if threshold is not None and is_near:
        part = math.log(threshold.seconds / lowest) / math.log(highest / lowest * _MARGIN)
        chart += _rule(threshold, x, is_right=part > _FAR_RIGHT)
    drawn = alt.layer(*chart, width=style.WIDTH, height=style.HEIGHT)
    return style.finished(drawn, title, _subtitle(ordered, main, threshold))


def _layers(
    shown: Mapping[str, Sequence[float]], x: alt.X, kinds: Mapping[str, str]
) -> list[alt.Chart]:
    rows = [row for name, values in shown.items() for row in _shares(name, values)]
    dots = [
        {
            "series": name,
            "seconds": nearest_rank(values, percent),
            "share": percent / 100,
            "which": f"p{percent}: {wording.seconds(nearest_rank(values, percent))}",
        }
        for name, values in shown.items()
        for percent in PERCENTS
    ]
    axis = alt.Axis(format=".0%", values=[0, 0.25, 0.5, 0.75, 0.9, 0.99])
    scale = alt.Scale(domain=[0, 1.02], nice=False)
    y = alt.Y("share:Q", title="share done within", axis=axis, scale=scale)
    color = colors.legend(kinds)
    line = alt.Chart(style.data(rows)).mark_line(interpolate="step-after", strokeWidth=2, clip=True)
    dot = alt.Chart(style.data(dots)).mark_point(filled=True, size=46, opacity=1)
    return [
        line.encode(x=x, y=y, color=color),
        dot.encode(x=x, y=y, color=color, tooltip=["series:N", "which:N"]),
    ]


def _shares(name: str, ordered: Sequence[float]) -> Iterator[Json]:
    """The curve at so many even ranks, and more finely where few are left."""
    number = len(ordered)
    ranks = {round(place * number / _POINTS) for place in range(1, _POINTS + 1)}
    ranks |= {number - round(number * place / 2000) for place in range(20)} | {1}
    yield {"series": name, "seconds": round(ordered[0], 6), "share": 0}
    for rank in sorted(rank for rank in ranks if 1 <= rank <= number):
        share = round(rank / number, 5)
        yield {"series": name, "seconds": round(ordered[rank - 1], 6), "share": share}


def _axis(lowest: float, highest: float) -> alt.X:
    """A log axis over a wide range, in the unit that suits it."""
    if highest / lowest < _NARROW:
        narrow = alt.Scale(domain=[0, highest * 1.05], nice=False)
        plain = alt.Axis(tickCount=8, grid=False, labelExpr=_LABEL)
        return alt.X("seconds:Q", title="time", scale=narrow, axis=plain)
    scale = alt.Scale(type="log", domain=[lowest / _MARGIN, highest * _MARGIN], nice=False)
    eases = (1, 2, 5) if math.log10(highest / lowest) <= 3.5 else (1,)
    ticks = [ease * 10.0**power for power in range(-4, 7) for ease in eases]
    values = [tick for tick in ticks if lowest / _MARGIN <= tick <= highest * _MARGIN]
    axis = alt.Axis(values=values, grid=False, labelExpr=_LABEL, labelOverlap=True)
    return alt.X("seconds:Q", title="time", scale=scale, axis=axis)


def _rule(threshold: Threshold, x: alt.X, *, is_right: bool) -> list[alt.Chart]:
    """A line, with its name where there is room: right of it, or along it if it is at the end.

    A name to the left of the line is over the curves.
    """
    caption = f"{threshold.name} {wording.seconds(threshold.seconds)}"
    base = alt.Chart(style.data([{"seconds": threshold.seconds, "text": caption}])).encode(x=x)
    rule = base.mark_rule(color=style.VERMILION, strokeDash=[5, 4], strokeWidth=1.5)
    text: Json = {"baseline": "bottom", "color": style.VERMILION, "fontSize": 12}
    if is_right:
        label = base.mark_text(align="left", angle=270, dy=-4, **text)
    else:
        label = base.mark_text(align="left", dx=5, **text)
    return [rule, label.encode(y=alt.value(style.HEIGHT - 6), text="text:N")]


def _subtitle(ordered: Mapping[str, Sequence[int]], main: str, threshold: Threshold | None) -> str:
    """All percentiles of the one metric that matters, or one of all metrics."""
    if len(ordered) == 1:
        main = next(iter(ordered))
    if main in ordered:
        found = ", ".join(f"p{percent} {_rank(ordered[main], percent)}" for percent in PERCENTS)
        subtitle = f"{main}: {found} of {style.counted(len(ordered[main]), 'sample')}"
    else:
        subtitle = "p99: " + ", ".join(f"{name} {_rank(ordered[name], 99)}" for name in ordered)
    if threshold is not None:
        subtitle += f"; {threshold.name} {wording.seconds(threshold.seconds)}"
    return subtitle


def _rank(ordered: Sequence[int], percent: int) -> str:
    return wording.duration(nearest_rank(ordered, percent))
