"""An answer as a document: Markdown for people, JUnit for a CI system."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from kubestage.runs.rehearse.surveying import SurveyResult

if TYPE_CHECKING:
    from kubestage.runs.rehearse.result import Rehearsed
    from kubestage.runs.rehearse.sections import Section


def markdown(result: Rehearsed | SurveyResult) -> str:
    """The answer, then its tables."""
    parts = [f"## {result.answer}"]
    if result.condition is not None:
        verdict = "holds" if result.has_failed else "does not hold"
        parts.append(f"`--fail-if '{result.condition}'` {verdict}.")
    parts += [table(each) for each in result.sections()]
    parts += [f"Note: {note}" for note in result.notes]
    return "\n\n".join(parts) + "\n"


def table(section: Section) -> str:
    """A table under its title."""
    lines = [
        f"### {section.title}",
        "",
        _row([each.capitalize() for each in section.head]),
        _row(["---"] * len(section.head)),
        *(_row(row) for row in section.rows),
    ]
    if section.more:
        lines += ["", f"and {section.more:,} more"]
    return "\n".join(lines)


def _row(cells: list[str] | tuple[str, ...]) -> str:
    escaped = (each.replace("|", "\\|").replace("\n", " ") for each in cells)
    return f"| {' | '.join(escaped)} |"


def junit(result: Rehearsed | SurveyResult) -> str:
    """A test for each rehearsal, which has failed if the condition of ``--fail-if`` holds."""
    results = result.results if isinstance(result, SurveyResult) else [result]
    suite = ET.Element(
        "testsuite",
        name="kubestage rehearse",
        tests=str(len(results)),
        failures=str(sum(each.has_failed for each in results)),
        errors="0",
        time=_seconds(sum(each.seconds for each in results)),
    )
    for each in results:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=f"kubestage.rehearse.{each.rehearsal}",
            name=each.subject,
            time=_seconds(each.seconds),
        )
        text = "\n".join(each.lines())
        if each.has_failed:
            failure = ET.SubElement(case, "failure", message=f"{each.condition} holds")
            failure.text = text
        ET.SubElement(case, "system-out").text = text
    ET.indent(suite)
    body = ET.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _seconds(value: float) -> str:
    return f"{value:.3f}"
