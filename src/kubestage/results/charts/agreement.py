"""The number of nodes in a recording, and in a replay of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.charts import style
from kubestage.results.charts.life import lines, times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.agreement import NodeCounts


def nodes(counts: NodeCounts, seconds: float) -> ChartType:
    """Both over time; the recorded ones dashed, so that equal lines are both seen."""
    axis = times.Times(seconds)
    kinds = {"replayed": style.BLUE, "recorded": style.BLACK}
    replayed = axis.of(_rows(counts.replayed, seconds, "replayed"))
    recorded = axis.of(_rows(counts.recorded, seconds, "recorded"))
    most = max((row["value"] for row in (*replayed, *recorded)), default=0)
    y = style.count_axis("value", "nodes", most)
    chart = lines.layered(
        lines.drawn(replayed, axis, y, kinds, steps=True, width=3),
        lines.drawn(recorded, axis, y, kinds, steps=True, dashed=True),
    )
    return style.finished(chart, "Nodes", f"{most:,} at most")


def _rows(counts: Sequence[tuple[float, int]], seconds: float, series: str) -> list[Json]:
    rows = [{"atSeconds": at, "value": count, "series": series} for at, count in counts]
    return [*rows, {**rows[-1], "atSeconds": seconds}] if rows else []
