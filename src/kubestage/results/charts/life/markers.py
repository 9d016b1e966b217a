"""The moments that every chart of a living run marks: failures, rollouts, rescales, actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.charts.life import times
from kubestage.results.life import marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
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
_NAMED: Final = 10
_TEXTS: Final = 3
# What is closer together than this share of the run would be one line on a screen.
_PLACES: Final = 200


def finished(
    life: Life, chart: ChartType, title: str, subtitle: str = "", *, about: str | None = None
) -> ChartType:
    """A chart with its marks, its titles and the common style.

    With `about`, a workload, what happened to other workloads is not marked.
    """
    layers = _layers(life, drawn_marks(life, about))
    return style.finished(alt.layer(chart, *layers) if layers else chart, title, subtitle)


def drawn_marks(life: Life, about: str | None = None) -> list[Json]:
    """The marks of a chart: those of one kind at nearly one moment together, the worst first."""
    width = life.seconds / _PLACES or 1
    places: dict[tuple[str, int], list[Json]] = {}
    for row in life.rows("marks"):
        if about is None or _concerns(row, about):
            places.setdefault((row["mark"], round(row["atSeconds"] / width)), []).append(row)
    found = [
        {"atSeconds": rows[0]["atSeconds"], "mark": mark, "text": _text(rows)}
        for (mark, _), rows in places.items()
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


def _text(rows: Sequence[Json]) -> str:
    texts = [f"{row['subject']}: {row['text']}" for row in rows[:_TEXTS]]
    more = len(rows) - len(texts)
    return "; ".join(texts) + (f" and {more:,} more" if more else "")


def _layers(life: Life, shown: Sequence[Json]) -> list[alt.Chart]:
    """A dashed line for each mark, with its kind as long as there are few."""
    axis = times.Times(life.seconds)
    layers = []
    for mark, color in COLORS.items():
        rows = axis.of([row for row in shown if row["mark"] == mark])
        if not rows:
            continue
        tips = [axis.tip(), alt.Tooltip("mark:N"), alt.Tooltip("text:N")]
        base = alt.Chart(style.data(rows)).encode(x=axis.axis())
        layers.append(
            base.mark_rule(color=color, strokeDash=[2, 3], strokeWidth=1.25, clip=True).encode(
                tooltip=tips
            )
        )
        # There may be many rescales, and the lines of replicas show what they are.
        if len(shown) <= _NAMED and mark != marks.RESCALE:
            text = base.mark_text(
                text=mark, color=color, angle=270, align="right", baseline="bottom", fontSize=10,
                dy=-2, clip=True,
            )  # fmt: skip
            layers.append(text.encode(y=alt.value(2)))
    return layers
