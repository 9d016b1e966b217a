"""The report of a sweep as one page that opens anywhere and loads nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import kubestage
from kubestage import wording
from kubestage.files import writing
from kubestage.results.report import drawings, life_page, life_tables
from kubestage.results.report.markup import Html, element, join
from kubestage.sweep.report import axis_names, documents, settings_table
from kubestage.sweep.report.charts import drawing

if TYPE_CHECKING:
    import pathlib

    from kubestage.sweep.report.settings_table import Section
    from kubestage.sweep.report.sweep_report import SweepReport

_NO_CHARTS: Final = "pip install 'kubestage[charts]'"
_MOST_ROWS: Final = 200
_CHARTED: Final = 8
_WORD: Final = re.compile(r"^[A-Za-z/]| at ")


def write(path: str | pathlib.Path, report: SweepReport, title: str = "Sweep") -> None:
    """Write the page."""
    writing.write(path, render(report, title))


def render(report: SweepReport, title: str = "Sweep") -> str:
    """The page as text, with charts if what draws them is installed."""
    sections: list[tuple[str, str, Html]] = []
    charted = 0
    for each in settings_table.sections(report, _MOST_ROWS):
        body = [_table(each, report)]
        name = each.measure or each.name
        if each.measure is not None:
            charted += 1
            if charted <= _CHARTED:
                body.insert(0, _charts(report, each.measure))
        elif each.name == settings_table.FRONT:
            body.insert(0, _front(report))
        sections.append((drawing.slug(name), name, Html("".join(body))))
    version = kubestage.__version__
    return life_page.page(f"{title} · sweep report", version, _heading(report, title), sections)


def _charts(report: SweepReport, measure: str) -> Html:
    if not drawings.can_draw():
        how = element("code", _NO_CHARTS)
        hint = element("p", "Charts are drawn if their libraries are installed: ", how)
        return element("div", hint, class_="fine card")
    return drawings.figures(drawings.drawn(drawing.of_measure(report, measure)))


def _front(report: SweepReport) -> Html:
    if not drawings.can_draw():
        return Html("")
    return drawings.figures(drawings.drawn(drawing.of_front(report)))


def _table(section: Section, report: SweepReport) -> Html:
    words = [
        at
        for at in range(len(section.head))
        if at == len(section.head) - 1 or _has_words([row[at] for row in section.rows])
    ]
    axes = axis_names.short(report.source.axes)
    head = [each if each in axes else each[:1].upper() + each[1:] for each in section.head]
    shown = life_tables.table(head, section.rows, words)
    more = Html("")
    if section.more:
        more = element("p", f"and {section.more:,} more, in -o csv", class_="soft small")
    lead = Html("") if section.measure else element("p", section.title, class_="soft small")
    return element("div", lead, shown, more, class_="whole")


def _has_words(cells: list[str]) -> bool:
    """Whether a column has anything but amounts, as in ``$1.20 ± 0.10`` or ``-4.8%``."""
    return any(_WORD.search(each) for each in cells)


def _heading(report: SweepReport, title: str) -> Html:
    failed = len(report.failed)
    pills = []
    compared, decided = settings_table.decided(report)
    if compared:
        css = "pill Succeeded" if decided == compared else "pill Pending"
        pills.append(element("span", f"{decided} of {compared} decided", class_=css))
    if failed:
        pills.append(
            element("span", f"{wording.plural(failed, 'run')} failed", class_="pill Failed")
        )
    if report.options.fail_if is not None:
        holds = f"holds in {wording.plural(len(report.failing), 'setting')}"
        verdict = holds if report.failing else "does not hold"
        pills.append(element("span", f"{report.options.fail_if} {verdict}", class_="pill"))
    facts = {
        "Axes": ", ".join(report.source.axes),
        "Reference": axis_names.label(report.settings[report.reference], report.source.axes),
        "Seeds": f"{report.seeds:,}",
        "Runs": f"{len(report.source.rows):,}",
        "Level": f"{report.options.level:g}%",
        "Margin": str(report.comparison.margin),
        "kubestage": kubestage.__version__,
    }
    entries = [
        element("div", element("dt", name), element("dd", value))
        for name, value in facts.items()
        if value
    ]
    parts = [
        element("p", "Sweep report", class_="over"),
        element("div", element("h1", title), *pills, class_="titled"),
        element("p", documents.summary(report), class_="lead"),
        *(element("p", note, class_="soft small") for note in documents.notes(report)),
        element("dl", *entries, class_="facts"),
    ]
    return join(parts, "\n")
