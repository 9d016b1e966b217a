"""The report of a living run: what came of traffic, autoscalers and nodes, on one page."""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import string
from typing import TYPE_CHECKING, Final

from kubestage.files import writing
from kubestage.results import charts
from kubestage.results.report import (
    agreement_section,
    drawings,
    fit,
    life_charts,
    life_cost,
    life_figures,
    life_health,
    life_tables,
    markup,
    node_decisions,
    timings_page,
)
from kubestage.results.report.markup import Html, element

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.results.agreement import ReplayAgreement
    from kubestage.results.life.life import Life
    from kubestage.results.repeat import LifeRepeat
    from kubestage.results.report.drawings import Drawing
    from kubestage.results.report.fit import FitParagraph
    from kubestage.results.timings import RecordedTimings


_DATA: Final = importlib.resources.files("kubestage.results.report") / "data"
_NO_ROWS: Final[Json] = {"resources": [], "asked": [], "texts": [], "steps": []}


def write(
    path: str | pathlib.Path,
    life: Life,
    repeat: LifeRepeat | None = None,
    timings: RecordedTimings | None = None,
    advice: Sequence[FitParagraph] = (),
    agreed: ReplayAgreement | None = None,
) -> None:
    """Write the report of a living run: one file that opens anywhere and loads nothing."""
    text = render(life, repeat, drawn_charts(life), timings, advice, agreed)
    writing.write(path, text)


def render(
    life: Life,
    repeat: LifeRepeat | None = None,
    drawn: Sequence[Drawing] | None = None,
    timings: RecordedTimings | None = None,
    advice: Sequence[FitParagraph] = (),
    agreed: ReplayAgreement | None = None,
) -> str:
    """The page as text, with charts that are drawn already, or with how to get any."""
    found = sections(life, drawn)
    if agreed is not None:
        body = agreement_section.section(agreed, life.seconds)
        found.insert(0, ("agreement", "Agreement with the recording", body))
    if advice:
        found.append(("fit", "Pending pods: what would make them fit", fit.section(advice)))
    if timings is not None:
        found.append(("timings", "Timings", timings_page.section(timings)))
    return page(
        f"{life_figures.title(life, agreed)} · run report",
        life.version,
        life_figures.heading(life, repeat, agreed),
        found,
    )


def page(title: str, version: str, heading: Html, sections: Sequence[tuple[str, str, Html]]) -> str:
    """A page of these parts, each with its anchor, its title and its body."""
    script = (_DATA / "script.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return string.Template((_DATA / "page.html").read_text("utf-8")).substitute(
        generator=markup.text(f"kubestage {version}"),
        title=markup.text(title),
        style=(_DATA / "style.css").read_text("utf-8"),
        heading=heading,
        places=markup.join(
            element("a", title, href=f"#{identity}") for identity, title, _ in sections
        ),
        sections=markup.join(
            (
                element("section", element("h2", title), body, id=identity)
                for identity, title, body in sections
            ),
            "\n",
        ),
        footer=element(
            "p",
            "Time is virtual. The same manifests, seed and version give the same run, byte for "
            "byte.",
        ),
        data=markup.script_data(_NO_ROWS),
        script=script,
        script_hash=f"sha256-{digest}",
    )


def drawn_charts(life: Life) -> list[Drawing] | None:
    """Every chart of a run; None if what draws them is not installed."""
    if not drawings.can_draw():
        return None
    return drawings.drawn(charts.of_life(life))


def sections(life: Life, drawn: Sequence[Drawing] | None) -> list[tuple[str, str, Html]]:
    """Anchor, title and body of each part of the page."""
    found = [
        ("overview", "Overview", life_figures.figures(life.summary)),
        ("charts", "Charts", life_charts.section(life, drawn)),
    ]
    found.insert(1, ("health", "Health", life_health.health(life)))
    found += life_tables.sections(life)
    found.append(("node-decisions", "Nodes: every decision", node_decisions.section(life)))
    found.append(("cost", "Cost and packing", life_cost.section(life)))
    found.append(("events", "Events", life_health.events(life)))
    return [each for each in found if each[2]]
