"""Living runs side by side.

Nodes and money are drawn as in the charts of one run, on shared axes; pods that wait, and those
that were evicted, are a line for each run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.charts.life import costs, lifetimes, lines, times

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from altair.typing import ChartType

    from kubestage.results.life.life import Life

MOST: Final = 6
"""So many runs are drawn, the first ones."""

_COLORS: Final = (
    style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.SKY, style.VERMILION,
)  # fmt: skip
_PANEL_HEIGHT: Final = 180
_WIDTHS: Final = (4.5, 1.75)


def side_by_side(
    names: Sequence[str], lives: Sequence[Life], remark: str = ""
) -> dict[str, ChartType]:
    """The charts of these runs, by name; `remark` is a text below each title."""
    found = _charts(list(zip(names, lives, strict=True))[:MOST])
    more = len(lives) - MOST
    remarks = [remark, f"{style.counted(more, 'more run')} not drawn" if more > 0 else ""]
    return {
        name: style.finished(chart, title, ". ".join(each for each in (detail, *remarks) if each))
        for name, chart, title, detail in found
    }


def _charts(runs: Sequence[tuple[str, Life]]) -> Iterator[tuple[str, ChartType, str, str]]:
    """Each chart with its name, its title, and what else stands below that."""
    lives = [life for _, life in runs]
    if any(life.rows("lifetimes") for life in lives):
        scale = lifetimes.scale_of(lives)
        height = min(lifetimes.height(scale), _PANEL_HEIGHT * 3 // 2)
        chart = _panels(runs, height, lambda life: lifetimes.panel(life, scale), lifetimes.subtitle)
        yield "lifetimes", chart, "Nodes as they live", ""
    paid = [(name, life) for name, life in runs if life.rows("cost")]
    if paid:
        seconds = max(life.seconds for life in lives)
        most = max(costs.highest(life) for _, life in paid)
        chart = _panels(
            paid, _PANEL_HEIGHT, lambda life: costs.panel(life, seconds, most), costs.subtitle
        )
        yield "cost", chart, "What nodes cost", ""
    yield "pending", _overlaid(runs, "pending", "pods"), "Pods without a node", ""
    if all("evicted" in row for life in lives for row in life.rows("cluster")[:1]):
        detail = "In sum since the beginning, those that were preempted among them"
        yield "evictions", _overlaid(runs, "evicted", "pods"), "Pods that were evicted", detail


def _panels(
    runs: Sequence[tuple[str, Life]],
    height: int,
    draw: Callable[[Life], alt.Chart],
    describe: Callable[[Life], str],
) -> ChartType:
    """A panel for each run, below each other, with one legend."""
    panels = [
        draw(life).properties(
            width=style.WIDTH, height=height, title=_heading(name, describe(life))
        )
        for name, life in runs
    ]
    return style.wide(alt.vconcat(*panels, spacing=style.GAP))


def _heading(name: str, subtitle: str) -> alt.TitleParams:
    return alt.TitleParams(
        name, subtitle=subtitle, anchor="start", fontSize=14, subtitleFontSize=12, offset=8
    )


def _overlaid(runs: Sequence[tuple[str, Life]], field: str, title: str) -> ChartType:
    """A line for each run; the first is wide, so that it is seen behind others."""
    axis = times.Times(max(life.seconds for _, life in runs))
    kinds = {name: _COLORS[place] for place, (name, _) in enumerate(runs)}
    lines_of = [
        [
            {"time": row["time"], "series": name, "value": row[field]}
            for row in times.changes(axis.of(life.rows("cluster")), (field,))
        ]
        for name, life in runs
    ]
    most = int(lines.highest(*lines_of))
    y = lines.value_axis(title, most, ticks=style.whole_ticks(0, most, 6))
    layers = [
        lines.drawn(rows, axis, y, kinds, steps=True, width=_WIDTHS[place > 0])
        for place, rows in enumerate(lines_of)
    ]
    return lines.layered(*layers)
