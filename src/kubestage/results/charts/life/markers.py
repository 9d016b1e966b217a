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
    marks.RESCALE: style.GREY,
}
"""The colour of each kind of mark, the most severe first."""
_TEXTS: Final = 3
# What is closer together than this share of the run would be one line on a screen.
_PLACES: Final = 100
# From so many marks on, rescales have no labels: the lines of replicas show what they are.
_MANY: Final = 10
_LEGEND_PIXELS: Final = 18


def finished(
    life: Life, chart: ChartType, title: str, subtitle: str = "", *, about: str | None = None
) -> ChartType:
    """A chart with its marks, its titles and the common style.

    With `about`, a workload, what happened to other workloads is not marked.
    """
    shown = drawn_marks(life, about)
    if not shown:
        return style.finished(chart, title, subtitle)
    labels = mark_labels.placed(_labelled(shown), life.seconds)
    layers = [*_lines(life, shown, labels), *_labels(life, labels)]
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


def _number(rows: Sequence[Json]) -> int:
    """How many subjects marks are about: a node may be cordoned and drained at one moment."""
    return len({row["subject"] for row in rows})


def _text(rows: Sequence[Json]) -> str:
    texts = [f"{row['subject']}: {row['text']}" for row in rows[:_TEXTS]]
    more = len(rows) - len(texts)
    return "; ".join(texts) + (f" and {more:,} more" if more else "")


def _labelled(shown: Sequence[Json]) -> list[Json]:
    """The marks that have a label, if there is room: the most severe ones."""
    if len(shown) <= _MANY:
        return list(shown)
    return [row for row in shown if row["mark"] != marks.RESCALE][:_MANY]


def _lines(life: Life, shown: Sequence[Json], labels: Sequence[MarkLabel]) -> list[alt.Chart]:
    """A dashed line for each mark, which goes up to its label."""
    axis = times.Times(life.seconds)
    tops = {id(each.row): each.level + 1 for each in labels}
    by_style: dict[tuple[str, int], list[Json]] = {}
    for row in shown:
        by_style.setdefault((row["mark"], tops.get(id(row), 0)), []).append(row)
    tips = [axis.tip(), alt.Tooltip("mark:N"), alt.Tooltip("text:N")]
    return [
        alt.Chart(style.data(axis.of(rows)))
        .mark_rule(color=COLORS[mark], strokeDash=[2, 3], strokeWidth=1.25)
        .encode(
            x=axis.axis(),
            y=alt.value(-top * mark_labels.LEVEL_PIXELS),
            y2=alt.value("height"),
            tooltip=tips,
        )
        for (mark, top), rows in by_style.items()
    ]


def _labels(life: Life, labels: Sequence[MarkLabel]) -> list[alt.Chart]:
    """The kind of each mark, and how many they are."""
    axis = times.Times(life.seconds)
    by_style: dict[tuple[str, int, bool], list[Json]] = {}
    for each in labels:
        row = {"atSeconds": each.row["atSeconds"], "label": each.text}
        by_style.setdefault((each.row["mark"], each.level, each.is_left), []).append(row)
    return [
        alt.Chart(style.data(axis.of(rows)))
        .mark_text(
            color=COLORS[mark],
            align="right" if is_left else "left",
            baseline="bottom",
            dx=-3 if is_left else 3,
            fontSize=10,
        )
        .encode(x=axis.axis(), y=alt.value(-level * mark_labels.LEVEL_PIXELS - 1), text="label:N")
        for (mark, level, is_left), rows in by_style.items()
    ]
