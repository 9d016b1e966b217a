"""How long scheduling took, as a part of the report or as a page of its own."""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import string
from typing import TYPE_CHECKING, Any, Final

from kubestage.files import writing
from kubestage.results import charts, timings
from kubestage.results.report import drawings, life_tables, markup
from kubestage.results.report.markup import Html, element

if TYPE_CHECKING:
    import pathlib

    from kubestage.results.timings import RecordedTimings, TimingRow

_DATA: Final = importlib.resources.files("kubestage.results.report") / "data"
_HEAD: Final = (
    "Profile", "Part", "Extension point", "Plugin", "Count", "Total", "Mean", "p50", "p90", "p99",
    "Max",
)  # fmt: skip
_WORDS: Final = 4
_NS: Final = 1e-9
_LEADS: Final = {
    timings.MEASURED: "Wall time on the machine of the run: it differs from run to run.",
    timings.MODELLED: "From the control-plane profile, in virtual time: the same in every run.",
}
_NO_ROWS: Final[dict[str, Any]] = {"resources": [], "asked": [], "texts": [], "steps": []}


def section(recorded: RecordedTimings) -> Html:
    """A sentence, the chart if it can be drawn, and the table."""
    lead = element("p", _LEADS.get(recorded.source, ""), class_="soft small")
    rows = life_tables.table(_HEAD, map(_cells, recorded.rows), words=range(_WORDS))
    return Html(lead + _chart(recorded) + rows)


def write(path: str | pathlib.Path, recorded: RecordedTimings, name: str) -> None:
    """Write a page of its own, which opens anywhere and loads nothing."""
    script = (_DATA / "script.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    text = string.Template((_DATA / "page.html").read_text("utf-8")).substitute(
        generator="kubestage",
        title=markup.text(f"{name} · timings"),
        style=(_DATA / "style.css").read_text("utf-8"),
        heading=element("h1", f"{name}: how long scheduling took"),
        places="",
        sections=element("section", element("h2", "Timings"), section(recorded), id="timings"),
        footer=element("p", "Measured times are in no other file of the run."),
        data=markup.script_data(_NO_ROWS),
        script=script,
        script_hash=f"sha256-{digest}",
    )
    writing.write(path, text)


def _chart(recorded: RecordedTimings) -> Html:
    is_empty = not any(row.part == timings.PLUGIN and row.total for row in recorded.rows)
    if is_empty or not drawings.can_draw():
        return Html("")
    return drawings.figures(drawings.drawn({"timings": charts.timings(recorded)}))


def _cells(row: TimingRow) -> tuple[str, ...]:
    part = f"{row.part}, {row.result}" if row.result else row.part
    durations = (row.total, row.mean, row.p50, row.p90, row.p99, row.max)
    return (
        row.profile,
        part,
        row.extension_point or "–",
        row.plugin or "–",
        f"{row.count:,}",
        *(timings.shown(each * _NS) for each in durations),
    )
