"""An answer as a document: Markdown for people, JUnit for a CI system."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from kubestage.runs.rehearse.surveying import SurveyResult

if TYPE_CHECKING:
    from kubestage.runs.rehearse.result import Rehearsed
    from kubestage.runs.rehearse.sections import Section

_MARKUP: Final = re.compile(r"[|<>*`\[\]]")
# Characters that no XML document may have.
_NO_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def markdown(result: Rehearsed | SurveyResult) -> str:
    """The answer, then its tables."""
    parts = [f"## {_escaped(result.answer)}"]
    if result.condition is not None:
        verdict = "holds" if result.has_failed else "does not hold"
        parts.append(f"`--fail-if '{result.condition}'` {verdict}.")
    parts += [table(each) for each in result.sections()]
    parts += [f"Note: {_escaped(note)}" for note in result.notes]
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
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    """Text in which nothing is markup: ``<none>`` would be a tag, and ``*`` emphasis."""
    return _MARKUP.sub(r"\\\g<0>", text.replace("\n", " "))


def junit(result: Rehearsed | SurveyResult) -> str:
    """A suite for each rehearsal; its test has failed if the condition of ``--fail-if`` holds."""
    results = result.results if isinstance(result, SurveyResult) else [result]
    suites = ET.Element(
        "testsuites",
        name="kubestage rehearse",
        tests=str(len(results)),
        failures=str(sum(each.has_failed for each in results)),
        errors="0",
        time=_seconds(sum(each.seconds for each in results)),
    )
    for each in results:
        suites.append(_suite(each))
    ET.indent(suites)
    body = _NO_XML.sub("\ufffd", ET.tostring(suites, encoding="unicode"))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _suite(result: Rehearsed) -> ET.Element:
    time = _seconds(result.seconds)
    suite = ET.Element(
        "testsuite",
        name=f"{result.rehearsal} {result.subject}",
        tests="1",
        failures=str(int(result.has_failed)),
        errors="0",
        skipped="0",
        time=time,
    )
    case = ET.SubElement(
        suite,
        "testcase",
        classname=f"kubestage.rehearse.{result.rehearsal}",
        name=result.subject,
        time=time,
    )
    text = "\n".join(result.lines())
    if result.has_failed:
        message = f"{result.condition} holds: {result.answer}"
        failure = ET.SubElement(case, "failure", message=message, type="condition")
        failure.text = text
    ET.SubElement(case, "system-out").text = text
    return suite


def _seconds(value: float) -> str:
    return f"{value:.3f}"
