"""Charts of single nodes or, where there are too many to name, of how many are how full."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from kubestage.objects.pod_resources import PODS
from kubestage.results import analysis
from kubestage.results.charts import style, thinning

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.results.analysis.digest import Run

NAMED: Final = 40
"""As many nodes are drawn one by one."""

_PANELS: Final = 4
_CELLS_WITH_TEXT: Final = 150
_STEPS_WITH_TEXT: Final = 4
_BIN: Final = 0.05
_BARS: Final = 40
_ROW: Final = 20
_WIDEST_CELL: Final = 70


def node_utilization(run: Run) -> ChartType:
    """How full nodes are over steps, a panel per resource.

    A cell is a node at the end of a step; with many nodes, it is those that are about as full.
    """
    digest = thinning.states(analysis.digest(run))
    shown = digest.resources[:_PANELS]
    many = max((len(end.nodes) for end in digest.steps), default=0) > NAMED
    rows = [
        row
        for row in analysis.table(digest, "nodes").records()
        if row["resource"] in shown and row["rate"] is not None
    ]
    room = (style.WIDTH + style.GAP) // max(len(shown), 1) - style.GAP
    steps = [end.step for end in digest.steps]
    width = min(room, _WIDEST_CELL * max(len(steps), 1))
    panel = (_counted_cells if many else _named_cells)(rows, steps, width)
    chart = panel.facet(column=alt.Column("resource:N", sort=list(shown), title=None))
    if many:
        return style.finished(
            chart, "How full nodes are", "Number of nodes by the share of them that is requested"
        )
    return style.finished(chart, "How full each node is", "Share that pods request, at step ends")


def placements(run: Run) -> ChartType:
    """How many pods are on each node at the end; with many nodes, how many nodes have how many."""
    digest = analysis.digest(run)
    nodes = digest.steps[-1].nodes if digest.steps else ()
    counts = {node.name: node.requested.get(PODS, 0) for node in nodes}
    empty = sum(1 for count in counts.values() if not count)
    pods = style.counted(sum(counts.values()), "pod")
    subtitle = f"{pods} on {style.counted(len(counts), 'node')}, {empty or 'none'} of them empty"
    if len(counts) <= NAMED:
        return style.finished(_bars(counts), "Pods on each node at the end", subtitle)
    return style.finished(_histogram(counts), "Nodes by number of pods at the end", subtitle)


def _named_cells(
    rows: list[dict[str, Any]], steps: list[int], width: int
) -> alt.LayerChart | alt.FacetChart:
    names = sorted({row["node"] for row in rows})
    height = _ROW * max(len(names), 1)
    # Dark is full; what is over the brim is no darker.
    color = alt.Color(
        "rate:Q",
        scale=alt.Scale(range=list(style.SHADES), domain=[0, 1], clamp=True),
        legend=alt.Legend(title="requested", format="%"),
    )
    place = alt.Y("node:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False))
    base = alt.Chart(style.data(rows)).encode(x=style.step_bands(steps, width), y=place)
    cells = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=color,
        tooltip=["node:N", "step:O", "resource:N", alt.Tooltip("rate:Q", format=".1%")],
    )
    if len(rows) > _CELLS_WITH_TEXT or len(steps) > _STEPS_WITH_TEXT:
        return alt.layer(cells, width=width, height=height)
    ink = alt.condition("datum.rate > 0.55", alt.value("white"), alt.value(style.BLACK))
    text = base.mark_text(fontSize=11).encode(text=alt.Text("rate:Q", format=".0%"), color=ink)
    return alt.layer(cells, text, width=width, height=height)


def _counted_cells(
    rows: list[dict[str, Any]], steps: list[int], width: int
) -> alt.LayerChart | alt.FacetChart:
    last = max((_bin(row["rate"]) for row in rows), default=0)
    counts = collections.Counter((row["step"], row["resource"], _bin(row["rate"])) for row in rows)
    cells = [
        {
            "step": step,
            "resource": resource,
            "nodes": nodes,
            "from": at * _BIN,
            "to": at * _BIN + _BIN,
        }
        for (step, resource, at), nodes in counts.items()
    ]
    color = alt.Color(
        "nodes:Q",
        scale=alt.Scale(
            type="sqrt", range=list(style.SHADES), domain=[0, max(counts.values(), default=1)]
        ),
        legend=alt.Legend(title="nodes", format=",d"),
    )
    height = style.share_axis("from", "share of the node that is requested", (last + 1) * _BIN)
    chart = (
        alt.Chart(style.data(cells))
        .mark_rect()
        .encode(
            x=style.step_bands(steps, width),
            y=height,
            y2="to:Q",
            color=color,
            tooltip=[
                "step:O",
                alt.Tooltip("nodes:Q", format=","),
                alt.Tooltip("from:Q", format=".0%"),
                alt.Tooltip("to:Q", format=".0%"),
            ],
        )
    )
    return alt.layer(chart, width=width, height=style.HEIGHT)


def _bin(rate: float) -> int:
    """The number of the bin; a node that is just full is in the one below."""
    at = int(rate / _BIN)
    return at - 1 if at and at * _BIN == rate else at


def _bars(counts: dict[str, int]) -> alt.Chart:
    rows = [{"node": name, "pods": count} for name, count in counts.items()]
    most = max(counts.values(), default=0)
    axis = alt.Axis(format=",d", values=style.whole_ticks(0, most))
    scale = alt.Scale(domain=[0, max(most, 1)], nice=False)
    chart: alt.Chart = (
        alt.Chart(style.data(rows), width=style.WIDTH, height=_ROW * max(len(rows), 1))
        .mark_bar(color=style.BLUE)
        .encode(
            x=alt.X("pods:Q", title="pods", axis=axis, scale=scale),
            y=alt.Y("node:N", sort=sorted(counts), title=None),
            tooltip=["node:N", "pods:Q"],
        )
    )
    return chart


def _histogram(counts: dict[str, int]) -> alt.Chart:
    size = max(counts.values()) // _BARS + 1
    nodes = collections.Counter(count // size * size for count in counts.values())
    places = range(0, max(nodes) + 1, size)
    rows = [
        {"pods": str(at) if size == 1 else f"{at}–{at + size - 1}", "nodes": nodes[at]}
        for at in places
    ]
    axis = alt.Axis(labelAngle=0, labelOverlap=True, grid=False)
    chart: alt.Chart = (
        alt.Chart(style.data(rows), width=style.WIDTH, height=style.HEIGHT)
        .mark_bar(color=style.BLUE, width=style.bar_width(len(rows)))
        .encode(
            x=alt.X("pods:O", title="pods on a node", sort=None, axis=axis),
            y=style.count_axis("nodes", "nodes", max(nodes.values())),
            tooltip=["pods:O", alt.Tooltip("nodes:Q", format=",")],
        )
    )
    return chart
