"""An answer as a document: Markdown for people, JUnit for a CI system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.verdict import junit as junit_xml
from kubestage.results.verdict import markup
from kubestage.runs.rehearse.surveying import SurveyResult

if TYPE_CHECKING:
    from kubestage.runs.rehearse.result import Rehearsed
    from kubestage.runs.rehearse.sections import Section


def markdown(result: Rehearsed | SurveyResult) -> str:
    """The answer, then its tables."""
    parts = [f"## {markup.escaped(result.answer)}"]
    if result.condition is not None:
        verdict = "holds" if result.has_failed else "does not hold"
        parts.append(f"`--fail-if '{result.condition}'` {verdict}.")
    parts += [table(each) for each in result.sections()]
    parts += [f"Note: {markup.escaped(note)}" for note in result.notes]
    return "\n\n".join(parts) + "\n"


def table(section: Section) -> str:
    """A table under its title."""
    head = [markup.escaped(each.capitalize()) for each in section.head]
    rows = [[markup.escaped(cell) for cell in row] for row in section.rows]
    lines = [f"### {section.title}", "", markup.table(head, rows)]
    if section.more:
        lines += ["", f"and {section.more:,} more"]
    return "\n".join(lines)


def junit(result: Rehearsed | SurveyResult) -> str:
    """A suite for each rehearsal; its test has failed if the condition of ``--fail-if`` holds."""
    results = result.results if isinstance(result, SurveyResult) else [result]
    suites = [
        junit_xml.Suite(f"{each.rehearsal} {each.subject}", [_case(each)]) for each in results
    ]
    return junit_xml.document("kubestage rehearse", suites)


def _case(result: Rehearsed) -> junit_xml.Case:
    text = "\n".join(result.lines())
    failure = f"{result.condition} holds: {result.answer}" if result.has_failed else ""
    return junit_xml.Case(
        result.subject,
        f"kubestage.rehearse.{result.rehearsal}",
        failure=failure,
        failure_type="condition",
        text=text,
        output=text,
        seconds=result.seconds,
    )
