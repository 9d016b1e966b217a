"""What a load was held to: each value as a share of its threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.load.reading import VerdictRow

MOST: Final = 30
"""So many verdicts are drawn: those that failed first, then those that were closest."""

_PASSED: Final = "met"
_FAILED: Final = "missed"
_COLORS: Final = {_PASSED: style.GREEN, _FAILED: style.VERMILION}
_ROW: Final = 24
_LABEL: Final = 260
_FARTHEST: Final = 3.0


def verdicts(rows: Sequence[VerdictRow]) -> ChartType | None:
    """A bar for each value that has a threshold; None if none has."""
    judged = [_bar(row) for row in rows if row.threshold and row.value is not None]
    if not judged:
        return None
    judged.sort(key=lambda each: (each["verdict"] == _PASSED, -each["ratio"]))
    shown = judged[:MOST]
    names = list(dict.fromkeys(each["name"] for each in shown))
    farthest = max(1.1, max(each["share"] for each in shown) * 1.04)
    colors = alt.Scale(domain=list(_COLORS), range=list(_COLORS.values()))
    x = alt.X(
        "share:Q",
        title="share of the threshold",
        axis=alt.Axis(format="%"),
        scale=alt.Scale(domain=[0, farthest], nice=False),
    )
    height = max(_ROW * len(names), 3 * _ROW)
    bars = (
        alt.Chart(style.data(shown))
        .mark_bar(height=_ROW // 2)
        .encode(
            x=x,
            y=alt.Y("name:N", title=None, sort=names, axis=alt.Axis(labelLimit=_LABEL)),
            color=alt.Color("verdict:N", scale=colors),
            tooltip=["name:N", "value:N", "threshold:N", "samples:N", "verdict:N"],
        )
    )
    line = alt.Chart(style.data([{"share": 1}])).mark_rule(strokeDash=[4, 3]).encode(x=x)
    missed = sum(each["verdict"] == _FAILED for each in judged)
    more = f"; {len(shown)} are drawn" if len(judged) > len(shown) else ""
    subtitle = f"{missed} of {style.counted(len(judged), 'threshold')} missed{more}"
    chart = alt.layer(bars, line, width=style.WIDTH, height=height)
    return style.wide(style.finished(chart, "SLO verdicts", subtitle))


def _bar(row: VerdictRow) -> Json:
    assert row.value is not None
    assert row.threshold
    ratio = row.value / row.threshold
    return {
        "name": f"{row.identifier or row.method}: {row.name}",
        "ratio": ratio,
        "share": min(ratio, _FARTHEST),
        "value": f"{row.value:,.4g} {row.unit}",
        "threshold": f"{row.threshold:,.4g} {row.unit}",
        "samples": "" if row.samples is None else f"{row.samples:,}",
        "verdict": _PASSED if row.passed else _FAILED,
    }
