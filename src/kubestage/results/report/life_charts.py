"""The charts of the report of a living run, with what their marks mean and what is not drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.results.life import wording
from kubestage.results.report import drawings, life_tables
from kubestage.results.report.markup import Html, count, element

with lazy.imports():
    from kubestage.results.charts.life import drawing, markers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.life.life import Life
    from kubestage.results.report.drawings import Drawing

_NO_CHARTS: Final = "pip install 'kubestage[charts]'"
_NAMED: Final = 10
_MOMENTS: Final = 100


def section(life: Life, drawn: Sequence[Drawing] | None) -> Html:
    """The charts, or how to get any."""
    if drawn is None:
        how = element("code", _NO_CHARTS)
        hint = element("p", "Charts are drawn if their libraries are installed: ", how)
        return element("div", hint, class_="fine card")
    if not drawn:
        return element("div", "There is nothing to draw.", class_="fine card")
    return Html(_legend(life) + moments(life) + drawings.figures(drawn) + _missing(life))


def moments(life: Life) -> Html:
    """What happened at each moment that is marked, to be opened."""
    rows = life.rows("marks")
    if not rows:
        return Html("")
    shown = life_tables.table(
        ("Time", "Mark", "Of", "What"),
        (
            (wording.span(each["atSeconds"]), each["mark"], each["subject"], each["text"])
            for each in rows[:_MOMENTS]
        ),
        words=(1, 2, 3),
    )
    more = Html("")
    if len(rows) > _MOMENTS:
        text = f"and {len(rows) - _MOMENTS:,} more, in tables/marks.csv"
        more = element("p", text, class_="soft small")
    summary = element("summary", f"What happened at {count(len(rows), 'moment')}")
    return element("details", summary, shown, more, class_="moments")


def _legend(life: Life) -> Html:
    """What the vertical lines mean."""
    rows = life.rows("marks")
    kinds = [kind for kind in markers.COLORS if any(row["mark"] == kind for row in rows)]
    if not kinds:
        return Html("")
    keys = [element("span", kind, class_=f"mark mark-{kind}") for kind in kinds]
    shown = len(markers.drawn_marks(life))
    text = "Dashed lines mark the moments of: "
    more = ""
    if shown == markers.MOST:
        more = f" The {shown} most severe are drawn; tables/marks.csv has all {len(rows):,}."
    return element("p", text, *keys, more, class_="soft marks")


def _missing(life: Life) -> Html:
    """The workloads whose replicas no chart shows."""
    charted = set(drawing.charted_workloads(life))
    known = [each["workload"] for each in life.summary["workloads"]]
    others = [name for name in known if name not in charted]
    if not others:
        return Html("")
    text = (
        f"Replicas are drawn of {len(known) - len(others):,} of {len(known):,} workloads, those "
        "that lost replicas first; the chart of outages has every workload that was below its "
        f"desired replicas. Not drawn: {wording.named(others, _NAMED)}."
    )
    return element("p", text, class_="soft")
