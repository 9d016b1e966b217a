"""The report of a load: verdict, charts, steps and problems on one page that loads nothing."""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import string
from typing import TYPE_CHECKING, Final

from kubestage.results.load import page_charts, page_cost, page_heading, page_problems, page_tables
from kubestage.results.report import drawings, markup
from kubestage.results.report.markup import Html, element, join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.clusterloader.result import LoadResult
    from kubestage.results.load.about import About
    from kubestage.results.report.drawings import Drawing

Section = tuple[str, str, str, Html]

CHARTED: Final = 8
"""Of so many tests there are charts; of the others, tables and rows."""

_FRAME: Final = importlib.resources.files("kubestage.results.report") / "data"
_OWN: Final = importlib.resources.files("kubestage.results.load") / "data"
_NO_CHARTS: Final = "pip install 'kubestage[charts]'"
_NO_ROWS: Final[Json] = {"resources": [], "asked": [], "texts": [], "steps": []}


def render(results: Sequence[LoadResult], about: About) -> str:
    """The page as text, with every chart that there is something to show in."""
    drawn = [page_charts.drawn(each, at) for at, each in enumerate(results[:CHARTED], 1)]
    return rendered(results, about, drawn)


def rendered(
    results: Sequence[LoadResult], about: About, drawn: Sequence[Sequence[Drawing] | None]
) -> str:
    """The same with charts that are drawn already, for each test; None where nothing can draw."""
    sections = _sections(results, drawn, about)
    parts = [
        element("section", element("h2", title), _described(lead), body, id=identity)
        for identity, title, lead, body in sections
    ]
    return framed(
        f"{page_heading.title(results)} · load report",
        page_heading.heading(results, about),
        [(identity, title) for identity, title, _, _ in sections],
        parts,
        about,
        "Every call, latency and verdict is a row in load.sqlite beside this page.",
    )


def framed(
    title: str,
    head: Html,
    places: Sequence[tuple[str, str]],
    parts: Sequence[Html],
    about: About,
    beside: str,
) -> str:
    """A page in the common layout around these parts; `beside` is where more is to be found."""
    script = (_FRAME / "script.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    styles = ((_FRAME / "style.css").read_text("utf-8"), (_OWN / "style.css").read_text("utf-8"))
    return string.Template((_FRAME / "page.html").read_text("utf-8")).substitute(
        generator=markup.text(f"kubestage {about.version}"),
        title=markup.text(title),
        style="".join(styles),
        heading=head,
        places=join(element("a", name, href=f"#{identity}") for identity, name in places),
        sections=join(parts, "\n"),
        footer=element("p", _footer(about, beside)),
        data=markup.script_data(_NO_ROWS),
        script=script,
        script_hash=f"sha256-{digest}",
    )


def _footer(about: About, beside: str) -> str:
    if not about.is_stage:
        return beside
    return (
        "Time is virtual, and the control plane is modelled. The same configuration, seed and "
        f"version give the same report, byte for byte. {beside}"
    )


def _sections(
    results: Sequence[LoadResult], drawn: Sequence[Sequence[Drawing] | None], about: About
) -> list[Section]:
    """Anchor, title, a sentence and body of each part that there is something to say in."""
    found: list[Section] = [
        ("overview", "Overview", "", page_heading.figures(results)),
        ("tests", "Tests", "In the order in which they ran.", page_tables.tests(results)),
        (
            "verdicts",
            "Verdicts",
            "What was to hold. “No samples”: nothing was measured.",
            page_tables.verdicts(results),
        ),
        *page_cost.sections(about.cost),
        ("problems", "Errors and warnings", "", page_problems.problems(results)),
        ("charts", "Charts", "", _charts(results, drawn)),
        (
            "latencies",
            "Latencies",
            "Percentiles by nearest rank, as ClusterLoader2 has them.",
            page_tables.latencies(results),
        ),
        (
            "slowest",
            "Slowest objects",
            "Which to look at first; load.sqlite has all of them.",
            page_tables.slowest(results),
        ),
        (
            "skipped",
            "Skipped measurements",
            "What they measure is not there, so they report nothing.",
            page_tables.skipped(results),
        ),
        ("steps", "Steps", "Measurements of a step run at once.", page_tables.steps(results)),
    ]
    return [each for each in found if each[3]]


def _described(sentence: str) -> Html:
    return element("p", sentence, class_="soft small") if sentence else Html("")


def drawn_or_how(drawn: Sequence[Drawing] | None) -> Html:
    """Charts, or how to get any."""
    if drawn is None:
        how = element("code", _NO_CHARTS)
        hint = element("p", "Charts are drawn if their libraries are installed: ", how)
        return element("div", hint, class_="fine card")
    return drawings.figures(drawn)


def _charts(results: Sequence[LoadResult], drawn: Sequence[Sequence[Drawing] | None]) -> Html:
    if any(each is None for each in drawn):
        return drawn_or_how(None)
    parts = []
    for result, each in zip(results, drawn, strict=False):
        if each:
            parts += [element("h3", result.test_name)] if len(results) > 1 else []
            parts.append(drawings.figures(each))
    if len(results) > len(drawn):
        more = f"{len(results) - len(drawn):,} more tests are not drawn."
        parts.append(element("p", more, class_="soft small"))
    return join(parts, "\n")
