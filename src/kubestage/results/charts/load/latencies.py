"""How long things took: the share of objects that was done within a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt
import msgspec

from kubestage.measure.percentiles import nearest_rank
from kubestage.results.charts import look
from kubestage.results.charts.life import lines
from kubestage.results.load import wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from altair.typing import ChartType

Json = dict[str, Any]

PERCENTS: Final = (50, 90, 99)
_COLORS: Final = (look.BLUE, look.ORANGE, look.GREEN, look.PURPLE, look.SKY, look.BLACK)
_POINTS: Final = 200
# A log axis has no zero: what took no time at all is drawn here.
_LEAST: Final = 1e-4
_MARGIN: Final = 1.15
# A threshold that is so many times the longest is told and not drawn: there is nothing near it.
_FAR: Final = 20
# Over so small a range, round numbers on a plain scale tell more.
_NARROW: Final = 8


class Threshold(msgspec.Struct, frozen=True):
    """What a percentile may be at most."""

    seconds: float
    name: str = "threshold"


def latencies(
    took_ns: Mapping[str, Sequence[int]],
    title: str = "Latencies",
    threshold: Threshold | None = None,
) -> ChartType | None:
    """Of each metric, the share that was done within a time; dots are the percentiles."""
    ordered = {name: sorted(values) for name, values in took_ns.items() if values}
    if not ordered:
        return None
    shown = {
        name: [max(value / wording.SECOND_NS, _LEAST) for value in values]
        for name, values in list(ordered.items())[: len(_COLORS)]
    }
    lowest = min(values[0] for values in shown.values())
    highest = max(values[-1] for values in shown.values())
    is_near = threshold is not None and _LEAST <= threshold.seconds <= _FAR * highest
    if threshold is not None and is_near:
        lowest, highest = min(lowest, threshold.seconds), max(highest, threshold.seconds)
    x = _axis(lowest, highest)
    kinds = {name: _COLORS[place] for place, name in enumerate(shown)}
    chart = _layers(shown, x, kinds)
    if threshold is not None and is_near:
        chart += _rule(threshold, x)
    drawn = alt.layer(*chart, width=look.WIDTH, height=look.HEIGHT)
    return look.finished(drawn, title, _subtitle(ordered, threshold))


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
    color = lines.colors(kinds)
    line = alt.Chart(look.data(rows)).mark_line(interpolate="step-after", strokeWidth=2, clip=True)
    dot = alt.Chart(look.data(dots)).mark_point(filled=True, size=46, opacity=1)
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
    label = (
        "datum.value >= 1 ? format(datum.value, '~g') + ' s' : datum.value >= 0.001 ? "
        "format(datum.value * 1000, '~g') + ' ms' : format(datum.value * 1000000, '~g') + ' µs'"
    )
    if highest / lowest < _NARROW:
        narrow = alt.Scale(domain=[0, highest * 1.05], nice=False)
        plain = alt.Axis(tickCount=8, grid=False, labelExpr=label)
        return alt.X("seconds:Q", title="time", scale=narrow, axis=plain)
    scale = alt.Scale(type="log", domain=[lowest / _MARGIN, highest * _MARGIN], nice=False)
    eases = (1, 2, 5) if math.log10(highest / lowest) <= 3.5 else (1,)
    ticks = [ease * 10.0**power for power in range(-4, 7) for ease in eases]
    values = [tick for tick in ticks if lowest / _MARGIN <= tick <= highest * _MARGIN]
    axis = alt.Axis(values=values, grid=False, labelExpr=label, labelOverlap=True)
    return alt.X("seconds:Q", title="time", scale=scale, axis=axis)


def _rule(threshold: Threshold, x: alt.X) -> list[alt.Chart]:
    row = {
        "seconds": threshold.seconds,
        "text": f"{threshold.name} {wording.seconds(threshold.seconds)}",
    }
    base = alt.Chart(look.data([row]))
    rule = base.mark_rule(color=look.VERMILION, strokeDash=[5, 4], strokeWidth=1.5).encode(x=x)
    text = base.mark_text(
        align="right", baseline="bottom", dx=-5, color=look.VERMILION, fontSize=12
    ).encode(x=x, y=alt.value(look.HEIGHT - 6), text="text:N")
    return [rule, text]


def _subtitle(ordered: Mapping[str, Sequence[int]], threshold: Threshold | None) -> str:
    """The percentiles of the metric that the others are parts of: the one with the longest."""
    name = max(ordered, key=lambda each: (sum(ordered[each]) / len(ordered[each]), each))
    values = ordered[name]
    told = ", ".join(
        f"p{percent} {wording.seconds(nearest_rank(values, percent) / wording.SECOND_NS)}"
        for percent in PERCENTS
    )
    told = f"{name}: {told} of {look.counted(len(values), 'sample')}"
    if threshold is not None:
        told += f"; {threshold.name} {wording.seconds(threshold.seconds)}"
    return told
