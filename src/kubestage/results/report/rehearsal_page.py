"""The report of a rehearsal: the answer first, then the run that gave it."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.results.life.life import Life  # noqa: TC001 - msgspec reads it
from kubestage.results.report import life_page, life_tables
from kubestage.results.report.markup import Html, element, join

_ALERT: Final = "critical"


class AnswerTable(msgspec.Struct, frozen=True):
    """One table of an answer; `more` is how many rows are left out."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    more: int = 0


class AnswerPage(msgspec.Struct, frozen=True, kw_only=True):
    """What the page of a rehearsal shows."""

    rehearsal: str
    subject: str
    answer: str
    severity: str
    verdict: str = ""
    """Whether the condition holds, in words; empty without one."""
    version: str
    tables: list[AnswerTable]
    notes: list[str] = []
    facts: dict[str, str] = {}
    life: Life | None = None
    """All that was recorded; a survey has none of its own."""


def render(page: AnswerPage) -> str:
    """The page as text, with charts if what draws them is installed."""
    sections = [
        (each.title.lower().replace(" ", "-"), each.title, _table(each)) for each in page.tables
    ]
    if page.life is not None:
        taken = {identity for identity, _, _ in sections}
        drawn = life_page.drawn_charts(page.life)
        sections += [
            (f"run-{identity}" if identity in taken else identity, title, body)
            for identity, title, body in life_page.sections(page.life, drawn)
        ]
    title = f"Rehearsal: {page.rehearsal} {page.subject}"
    return life_page.page(title, page.version, _heading(page), sections)


def _heading(page: AnswerPage) -> Html:
    style = "pill alert" if page.severity == _ALERT else "pill"
    pills = [element("span", page.severity, class_=style)]
    if page.verdict:
        pills.append(element("span", page.verdict, class_="pill"))
    return join(
        [
            element("p", f"Rehearsal · {page.rehearsal}", class_="over"),
            element("div", element("h1", page.subject), *pills, class_="titled"),
            element("p", page.answer, class_="lead"),
            *(element("p", note, class_="soft small") for note in page.notes),
            element(
                "dl",
                *(
                    element("div", element("dt", name), element("dd", value))
                    for name, value in page.facts.items()
                    if value
                ),
                class_="facts",
            ),
        ],
        "\n",
    )


def _table(table: AnswerTable) -> Html:
    numeric = [
        at
        for at in range(len(table.head))
        if table.rows and all(row[at][:1].isdigit() for row in table.rows)
    ]
    words = [at for at in range(len(table.head)) if at not in numeric]
    shown = life_tables.table([_title(each) for each in table.head], table.rows, words)
    if not table.more:
        return shown
    more = f"and {table.more:,} more, in rehearsal.json"
    return Html(shown + element("p", more, class_="soft small"))


def _title(text: str) -> str:
    return text.capitalize()
