"""The page as a whole."""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import string
from typing import TYPE_CHECKING, Final

from kubestage.files import writing
from kubestage.results import analysis
from kubestage.results.report import (
    cost_section,
    drawings,
    figures,
    fit,
    heading,
    markup,
    reasons,
    rows,
    steps,
    timings_page,
)
from kubestage.results.report.markup import Html, count, element

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.results.analysis import Digest, Summary
    from kubestage.results.repeat import Repeat
    from kubestage.results.report.drawings import Drawing
    from kubestage.results.report.fit import FitParagraph
    from kubestage.results.timings import RecordedTimings


_DATA: Final = importlib.resources.files("kubestage.results.report") / "data"
_NO_CHARTS: Final = "pip install 'kubestage[charts]'"


def write(
    path: str | pathlib.Path,
    scenario: Json,
    repeat: Repeat | None = None,
    timings: RecordedTimings | None = None,
    advice: Sequence[FitParagraph] = (),
) -> None:
    """Write the report of a run: one file that opens anywhere and loads nothing."""
    scenario = _with_result(scenario)
    digest = analysis.digest(scenario)
    text = _render(scenario, digest, repeat, drawings.draw(digest), timings, advice)
    writing.write(path, text)


def render(
    scenario: Json, repeat: Repeat | None = None, drawn: Sequence[Drawing] | None = None
) -> str:
    """The page as text, with charts that are drawn already, or with how to get any."""
    scenario = _with_result(scenario)
    return _render(scenario, analysis.digest(scenario), repeat, drawn)


def _with_result(scenario: Json) -> Json:
    """A scenario that failed before its first step has no result; the page needs an empty one."""
    status = scenario.get("status") or {}
    if status.get("scenarioResult"):
        return scenario
    return {**scenario, "status": {**status, "scenarioResult": {"timeline": {}}}}


def _render(
    scenario: Json,
    run: Digest,
    repeat: Repeat | None,
    drawn: Sequence[Drawing] | None,
    timings: RecordedTimings | None = None,
    advice: Sequence[FitParagraph] = (),
) -> str:
    summary = analysis.summary(run)
    texts = rows.PageTexts()
    happened = steps.happened(scenario, texts)
    sections = _sections(summary, run, happened, drawn, advice)
    if timings is not None:
        sections.append(("timings", "Timings", Html(""), timings_page.section(timings)))
    script = (_DATA / "script.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    name = summary.name or "Scenario"
    return string.Template((_DATA / "page.html").read_text("utf-8")).substitute(
        generator=markup.text(f"kubestage {repeat.version}" if repeat else "kubestage"),
        title=markup.text(f"{name} · scenario report"),
        style=(_DATA / "style.css").read_text("utf-8"),
        heading=heading.heading(scenario, summary, repeat, run.pods),
        places=markup.join(
            element("a", title, href=f"#{identity}") for identity, title, _, _ in sections
        ),
        sections=markup.join(
            (
                element("section", element("h2", title), lead, body, id=identity)
                for identity, title, lead, body in sections
            ),
            "\n",
        ),
        footer=_footer(),
        data=markup.script_data(rows.data(run, texts, happened)),
        script=script,
        script_hash=f"sha256-{digest}",
    )


def _sections(
    summary: Summary,
    run: Digest,
    happened: list[Json],
    drawn: Sequence[Drawing] | None,
    advice: Sequence[FitParagraph],
) -> list[tuple[str, str, Html, Html]]:
    """Anchor, title, a sentence and the body of each part of the page."""
    pods = f"{count(summary.pods, 'pod')} in the order in which the timeline first has them."
    nodes = f"What the pods on {count(summary.nodes, 'node')} request, at the end of the run."
    waiting = summary.pending + summary.gated
    pending = f"{count(waiting, 'pod')} without a node at the end, by reason." if waiting else ""
    return [
        ("overview", "Overview", _described("At the end of the run."), figures.figures(summary)),
        ("charts", "Charts", Html(""), _charts(drawn)),
        (
            "pending",
            "Pending pods",
            _described(pending),
            Html(reasons.reasons(run.pods) + fit.section(advice)),
        ),
        *cost_section.sections(run),
        ("timeline", "Timeline", _described("Open a step to see it."), steps.outline(happened)),
        (
            "pods",
            "Pods",
            _described(pods),
            _table("pods", "Search by pod, node, reason", choice=True),
        ),
        ("nodes", "Nodes", _described(nodes), _table("nodes", "Search by name")),
    ]


def _described(sentence: str) -> Html:
    return element("p", sentence, class_="soft small") if sentence else Html("")


def _charts(drawn: Sequence[Drawing] | None) -> Html:
    if drawn is None:
        how = element("code", _NO_CHARTS)
        hint = element("p", "Charts are drawn if their libraries are installed: ", how)
        return element("div", hint, class_="fine card")
    return drawings.figures(drawn)


def _table(name: str, hint: str, *, choice: bool = False) -> Html:
    """An empty table with its tools; the script fills it."""
    search = Html(
        f'<input type="search" placeholder="{markup.text(hint)}" aria-label="{markup.text(hint)}">'
    )
    status = element("select", aria_label="Status") if choice else ""
    shown = element("span", class_="shown")
    tools = element("div", search, status, shown, class_="tools")
    needs = element("noscript", element("p", "This table needs JavaScript.", class_="empty"))
    body = element("div", needs, element("table"), class_="rows card", tabindex=0)
    return element("div", tools, body, class_="listing", data_rows=name)


def _footer() -> Html:
    return element(
        "p",
        "Requests are counted as kube-scheduler counts them. The same Scenario, seed and version "
        "give the same run, byte for byte.",
    )
