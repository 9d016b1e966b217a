"""The report of a living run: what came of traffic, autoscalers and nodes, on one page."""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import string
from typing import TYPE_CHECKING, Final

from kubestage.files import writing
from kubestage.results import charts
from kubestage.results.report import drawings, life_figures, life_tables, markup, timings_page
from kubestage.results.report.markup import Html, element

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life
    from kubestage.results.repeat import LifeRepeat
    from kubestage.results.report.drawings import Drawing
    from kubestage.results.timings import RecordedTimings


_DATA: Final = importlib.resources.files("kubestage.results.report") / "data"
_NO_CHARTS: Final = "pip install 'kubestage[charts]'"
_NO_ROWS: Final[Json] = {"resources": [], "asked": [], "texts": [], "steps": []}


def write(
    path: str | pathlib.Path,
    life: Life,
    repeat: LifeRepeat | None = None,
    timings: RecordedTimings | None = None,
) -> None:
    """Write the report of a living run: one file that opens anywhere and loads nothing."""
    text = render(life, repeat, _drawn(life), timings)
    writing.write(path, text)


def render(
    life: Life,
    repeat: LifeRepeat | None = None,
    drawn: Sequence[Drawing] | None = None,
    timings: RecordedTimings | None = None,
) -> str:
    """The page as text, with charts that are drawn already, or with how to get any."""
    sections = _sections(life, drawn)
    if timings is not None:
        sections.append(("timings", "Timings", timings_page.section(timings)))
    script = (_DATA / "script.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return string.Template((_DATA / "page.html").read_text("utf-8")).substitute(
        generator=markup.text(f"kubestage {life.version}"),
        title=markup.text(f"{life_figures.title(life)} · run report"),
        style=(_DATA / "style.css").read_text("utf-8"),
        heading=life_figures.heading(life, repeat),
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


def _drawn(life: Life) -> list[Drawing] | None:
    if not drawings.can_draw():
        return None
    return drawings.drawn(charts.of_life(life))


def _sections(life: Life, drawn: Sequence[Drawing] | None) -> list[tuple[str, str, Html]]:
    """Anchor, title and body of each part of the page."""
    found = [
        ("overview", "Overview", life_figures.figures(life.summary)),
        ("charts", "Charts", _charts(drawn)),
    ]
    return found + [each for each in life_tables.sections(life) if each[2]]


def _charts(drawn: Sequence[Drawing] | None) -> Html:
    if drawn is None:
        how = element("code", _NO_CHARTS)
        hint = element("p", "Charts are drawn if their libraries are installed: ", how)
        return element("div", hint, class_="fine card")
    if not drawn:
        return element("div", "There is nothing to draw.", class_="fine card")
    return drawings.figures(drawn)
