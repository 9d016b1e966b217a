"""The report of a rehearsal: the answer first, then the run that gave it."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.results.life.life import Life  # noqa: TC001 - msgspec reads it
from kubestage.results.report import answer_table, life_health, life_page, survey_page
from kubestage.results.report.answer_table import AnswerTable  # noqa: TC001 - msgspec reads it
from kubestage.results.report.markup import Html, element, join
from kubestage.results.report.survey_page import RehearsalPart  # noqa: TC001 - msgspec reads it

# The answer has what is in these parts of the report of a run.
_ANSWERED: Final = ("overview", "workloads")
_CHARTS: Final = "charts"
_HEALTH: Final = "health"


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
    parts: list[RehearsalPart] = []
    """The rehearsals of a survey."""


def render(page: AnswerPage) -> str:
    """The page as text, with charts if what draws them is installed."""
    links = survey_page.anchors(page.parts)
    sections = [
        (each.title.lower().replace(" ", "-"), each.title, answer_table.html(each, links))
        for each in page.tables
    ]
    sections += survey_page.sections(page.parts)
    if page.life is not None:
        taken = {identity for identity, _, _ in sections}
        sections += [
            (f"run-{identity}" if identity in taken else identity, title, body)
            for identity, title, body in _run_sections(page.life)
        ]
    title = f"Rehearsal: {page.rehearsal} {page.subject}"
    return life_page.page(title, page.version, _heading(page), sections)


def _run_sections(life: Life) -> list[tuple[str, str, Html]]:
    """The charts of the run first, then all of its report that the answer does not have."""
    found = life_page.sections(life, life_page.drawn_charts(life))
    if life.summary["traffic"]:
        found = [each for each in found if each[0] != "workloads"]
    else:
        found = [each for each in found if each[0] not in _ANSWERED]
    found = [
        (identity, "Other problems", life_health.others(life)) if identity == _HEALTH else each
        for each in found
        for identity in each[:1]
    ]
    found.sort(key=lambda each: each[0] != _CHARTS)
    return [each for each in found if each[2]]


def _heading(page: AnswerPage) -> Html:
    pills = [element("span", page.severity, class_=f"pill {page.severity}")]
    if page.verdict:
        pills.append(element("span", page.verdict, class_="pill"))
    return join(
        [
            element("p", f"Rehearsal · {page.rehearsal}", class_="over"),
            element("div", element("h1", page.subject), *pills, class_="titled"),
            element("p", page.answer, class_="lead"),
            *(element("p", f"Note: {note}", class_="soft small") for note in page.notes),
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
