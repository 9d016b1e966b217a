"""What autoscalers decided: a row for each of them, a mark with its reason for each decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.charts.life import times
from kubestage.results.life import autoscalers

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

MOST: Final = 20
"""Of so many autoscalers and groups there are rows, those that decided most."""

_UP: Final = "more"
_DOWN: Final = "fewer"
_OTHER: Final = "other"
_COLORS: Final = {_UP: style.VERMILION, _DOWN: style.GREEN, _OTHER: style.PURPLE}
_SHAPES: Final = {_UP: "triangle-up", _DOWN: "triangle-down", _OTHER: "diamond"}
_GROUP_WAYS: Final = {"ScaledUpGroup": _UP, "ScaleDown": _DOWN, "ScaleDownEmpty": _DOWN}
_ROW: Final = 28
_LABEL: Final = 180


def decisions(life: Life) -> ChartType | None:
    """When each autoscaler or node group changed something, and why; None if none did."""
    found = [_mark(row) for row in life.rows("decisions")]
    if not found:
        return None
    counts: dict[str, int] = {}
    for each in found:
        counts[each["by"]] = counts.get(each["by"], 0) + 1
    names = sorted(counts, key=lambda name: -counts[name])[:MOST]
    axis = times.Times(life.seconds)
    rows = axis.of(each for each in found if each["by"] in names)
    ways = [way for way in _COLORS if any(each["way"] == way for each in rows)]
    chart = (
        alt.Chart(style.data(rows), width=style.WIDTH, height=max(_ROW * len(names), 3 * _ROW))
        .mark_point(size=90, filled=True, opacity=0.9, clip=True)
        .encode(
            x=axis.axis(),
            y=alt.Y("by:N", title=None, sort=names, axis=_labels()),
            shape=alt.Shape(
                "way:N", scale=alt.Scale(domain=ways, range=[_SHAPES[each] for each in ways])
            ),
            color=alt.Color(
                "way:N", scale=alt.Scale(domain=ways, range=[_COLORS[each] for each in ways])
            ),
            tooltip=[axis.tip(), "decision:N", "subject:N", "change:N", "reason:N"],
        )
    )
    total = style.counted(len(found), "decision")
    more = f"; the {MOST} that decided most are drawn" if len(counts) > MOST else ""
    subtitle = f"{total} of {style.counted(len(counts), 'autoscaler or group')}{more}"
    subtitle = subtitle.replace("autoscaler or groups", "autoscalers and groups")
    return style.wide(style.finished(chart, "What autoscalers decided, and why", subtitle))


def _labels() -> alt.Axis:
    return alt.Axis(labelLimit=_LABEL, grid=True, ticks=False, domain=False)


def _mark(row: Json) -> Json:
    """A decision as a mark: who, which way, from how many to how many, and why."""
    before, after = row["before"], row["after"]
    known = before is not None and after is not None
    return {
        "atSeconds": row["atSeconds"],
        "by": _title(row),
        "way": _way(row, before, after) if known else _GROUP_WAYS.get(row["decision"], _OTHER),
        "decision": row["decision"],
        "subject": row["subject"],
        "change": f"{before} to {after}" if known else "",
        "reason": row["reason"],
    }


def _way(row: Json, before: int, after: int) -> str:
    if row["decision"] not in (
        autoscalers.RESCALE,
        autoscalers.NODE_ADDED,
        autoscalers.NODE_REMOVED,
    ):
        return _OTHER
    return _UP if after > before else _DOWN


def _title(row: Json) -> str:
    """Who decided, with the sort of it in front."""
    if row["decision"] == autoscalers.RESCALE:
        return f"HPA {row['by']}"
    if row["decision"] in (autoscalers.EVICTION, autoscalers.RESIZE):
        return f"VPA {row['by']}"
    return f"nodes {row['by']}"
