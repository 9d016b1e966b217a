"""The measures of a living run over time, a panel each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.results.analysis.measured import SHARE, text_of
from kubestage.results.charts import measured, style
from kubestage.results.charts.life import times

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.results.life.life import Life


def measures(life: Life) -> ChartType | None:
    """The values of every measure; None without any."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in life.rows("measures"):
        found.setdefault(row["measure"], []).append(row)
    if not found:
        return None
    axis = times.Times(life.seconds)
    shown = list(found.items())[: measured.PANELS]
    drawn = [rows[at] for _, rows in shown for at in measured.thinned(rows)]
    ends = ", ".join(
        f"{name} {text_of(rows[-1]['value'], rows[-1]['unit'])}" for name, rows in shown
    )
    are_shares = all(row["unit"] == SHARE for row in drawn)
    names = [name for name, _ in shown]
    chart = measured.panels(axis.of(drawn), names, axis.axis(), are_shares=are_shares)
    return style.finished(chart, "Measures", f"At the end: {ends}")
