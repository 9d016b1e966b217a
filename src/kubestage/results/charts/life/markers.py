"""The moments that every chart of a living run marks: failures, rollouts, rescales, actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.charts.life import mark_labels, times
from kubestage.results.life import marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.charts.life.mark_labels import MarkLabel
    from kubestage.results.life.life import Life

MOST: Final = 40
"""So many moments are marked in one chart, the most severe ones; the table has all."""

COLORS: Final = {
    marks.FAILURE: style.VERMILION,
    marks.EVICTION: style.ORANGE,
    marks.PREEMPTION: style.PURPLE,
    marks.ACTION: style.BLACK,
    marks.STEP: style.BLACK,
    marks.ROLLOUT: style.BLUE,
    marks.RECOVERY: style.GREEN,
    marks.DISRUPTION: style.BROWN,
    marks.PURCHASE: style.SKY,
    marks.RESCALE: style.GREY,
}
"""The colour of each kind of mark, the most severe first."""
_TEXTS: Final = 3
# What is closer together than this share of the run would be one line on a screen.
_PLACES: Final = 100
_LEGEND_PIXELS: Final = 18
_SHORT: Final = 14


def finished(
    life: Life, chart: ChartType, title: str, subtitle: str = "", *, about: str | None = None
) -> ChartType:
    """A chart with its marks, its titles and the common style.

    With `about`, a workload, what happened to other workloads is not marked.
    """
    shown = drawn_marks(life, about)
    if not shown:
        return style.finished(chart, title, subtitle)
    labels = mark_labels.placed(shown, life.seconds)
    layers = [_lines(life, shown, labels), _labels(life, labels)]
    levels = 1 + max((each.level for each in labels), default=-1)
    # A legend goes above the labels.
    offset = max(_LEGEND_PIXELS, 8 + levels * mark_labels.LEVEL_PIXELS)
    return style.finished(alt.layer(chart, *layers), title, subtitle, legend_offset=offset)


def drawn_marks(life: Life, about: str | None = None) -> list[Json]:
    """The marks of a chart: those of one kind at nearly one moment together, the worst first."""
    width = life.seconds / _PLACES
    groups: dict[str, list[list[Json]]] = {}
    for row in life.rows("marks"):
        if about is not None and not _concerns(row, about):
            continue
        of_kind = groups.setdefault(row["mark"], [])
        if of_kind and row["atSeconds"] - of_kind[-1][0]["atSeconds"] <= width:
            of_kind[-1].append(row)
        else:
            of_kind.append([row])
    found = [
        {
            "atSeconds": rows[0]["atSeconds"],
            "mark": mark,
            "label": _label(rows[0]),
            "number": _number(rows),
            "text": _text(rows),
        }
        for mark, of_kind in groups.items()
        for rows in of_kind
    ]
    severity = list(COLORS)
    found.sort(key=lambda row: (severity.index(row["mark"]), row["atSeconds"]))
    return found[:MOST]


def _concerns(row: Json, workload: str) -> bool:
    """Whether a mark is about this workload, or about none."""
    return row["subject"] == workload or row["mark"] not in _OF_WORKLOADS or _is_node(row)


_OF_WORKLOADS: Final = (
    marks.FAILURE, marks.ROLLOUT, marks.RESCALE, marks.EVICTION, marks.PREEMPTION,
)  # fmt: skip


def _is_node(row: Json) -> bool:
    return str(row["subject"]).startswith("node/")


def _label(row: Json) -> str:
    """The kind of a mark; of an action, what was done, as far as that is short."""
    text = str(row["text"])
    return text if row["mark"] == marks.ACTION and len(text) <= _SHORT else str(row["mark"])


def _number(rows: Sequence[Json]) -> int:
    """How many subjects marks are about: a node may be cordoned and drained at one moment."""
    return len({row["subject"] for row in rows})


def _text(rows: Sequence[Json]) -> str:
    texts = [f"{row['subject']}: {row['text']}" for row in rows[:_TEXTS]]
    more = len(rows) - len(texts)
    return "; ".join(texts) + (f" and {more:,} more" if more else "")


def _lines(life: Life, shown: Sequence[Json], labels: Sequence[MarkLabel]) -> alt.Chart:
    """A dashed line for each mark, which goes up to its label."""
    axis = times.Times(life.seconds)
    tops = {id(each.row): each.level + 1 for each in labels}
    rows = [
        {
            **row,
            "color": COLORS[row["mark"]],
            "top": -mark_labels.LEVEL_PIXELS * tops.get(id(row), 0),
        }
        for row in shown
    ]
    chart: alt.Chart = (
        alt.Chart(style.data(axis.of(rows)))
        .mark_rule(strokeDash=[2, 3], strokeWidth=1.25)
        .encode(
            x=axis.axis(),
            y=alt.Y("top:Q", scale=None, axis=None),
            y2=alt.value("height"),
            color=alt.Color("color:N", scale=None),
            tooltip=[axis.tip(), alt.Tooltip("mark:N"), alt.Tooltip("text:N")],
        )
    )
    return chart


def _labels(life: Life, labels: Sequence[MarkLabel]) -> alt.Chart:
    """The kind of each mark, and how many they are."""
    axis = times.Times(life.seconds)
    rows = [
        {
            "atSeconds": each.row["atSeconds"],
            "label": each.text,
            "color": COLORS[each.row["mark"]],
            "bottom": -mark_labels.LEVEL_PIXELS * each.level - 1,
            "isLeft": each.is_left,
        }
        for each in labels
    ]
    chart: alt.Chart = (
        alt.Chart(style.data(axis.of(rows)))
        .mark_text(
            align=alt.expr("datum.isLeft ? 'right' : 'left'"),
            dx=alt.expr("datum.isLeft ? -3 : 3"),
            baseline="bottom",
            fontSize=10,
        )
        .encode(
            x=axis.axis(),
            y=alt.Y("bottom:Q", scale=None, axis=None),
            color=alt.Color("color:N", scale=None),
            text="label:N",
        )
    )
    return chart
