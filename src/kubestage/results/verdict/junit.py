"""JUnit XML: suites of cases, for every CI system that shows tests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.verdict.verdict import CheckedRule, Finding, Verdict

# Characters that no XML document may have.
_NO_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Case(NamedTuple):
    """One test: it has failed if there is a failure, and was skipped if there is a reason."""

    name: str
    classname: str
    failure: str = ""
    failure_type: str = "failure"
    text: str = ""
    """What is shown below the failure."""
    output: str = ""
    skipped: str = ""
    seconds: float | None = None


class Suite(NamedTuple):
    """Tests that belong together."""

    name: str
    cases: Sequence[Case]

    @property
    def seconds(self) -> float | None:
        """How long all took; None if that is not measured."""
        known = [each.seconds for each in self.cases if each.seconds is not None]
        return sum(known) if known else None


def document(name: str, suites: Sequence[Suite]) -> str:
    """The whole document."""
    cases = [case for suite in suites for case in suite.cases]
    seconds = [suite.seconds for suite in suites if suite.seconds is not None]
    counts = {
        "name": name,
        "tests": str(len(cases)),
        "failures": str(sum(bool(each.failure) for each in cases)),
        "errors": "0",
    }
    root = ET.Element("testsuites", counts | _time(sum(seconds) if seconds else None))
    for suite in suites:
        root.append(_suite(suite))
    ET.indent(root)
    body = _NO_XML.sub("\ufffd", ET.tostring(root, encoding="unicode"))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def render(verdict: Verdict) -> str:
    """A test for each rule; all findings are in its output, those that count in its failure."""
    cases = [_case(each, verdict) for each in verdict.rules]
    return document(verdict.title, [Suite(verdict.title, cases)])


def _case(rule: CheckedRule, verdict: Verdict) -> Case:
    failures = rule.failures
    return Case(
        rule.name,
        verdict.title.replace(" ", "."),
        failure=f"{rule.about}: {len(failures)} broken" if failures else "",
        failure_type="rule",
        text="\n".join(map(_line, failures)),
        output="\n".join(_line(each) for each in rule.findings if each not in failures),
        skipped=rule.skipped,
    )


def _line(finding: Finding) -> str:
    place = f"{finding.place}: " if finding.file else ""
    change = ""
    if finding.before and finding.after:
        change = f" ({finding.before} -> {finding.after})"
    return f"{place}{finding.severity}: {finding.subject}: {finding.text}{change}"


def _suite(suite: Suite) -> ET.Element:
    counts = {
        "name": suite.name,
        "tests": str(len(suite.cases)),
        "failures": str(sum(bool(each.failure) for each in suite.cases)),
        "errors": "0",
        "skipped": str(sum(bool(each.skipped) for each in suite.cases)),
    }
    found = ET.Element("testsuite", counts | _time(suite.seconds))
    for each in suite.cases:
        named = {"classname": each.classname, "name": each.name}
        case = ET.SubElement(found, "testcase", named | _time(each.seconds))
        if each.failure:
            failure = ET.SubElement(case, "failure", message=each.failure, type=each.failure_type)
            failure.text = each.text
        if each.skipped:
            ET.SubElement(case, "skipped", message=each.skipped)
        if each.output:
            ET.SubElement(case, "system-out").text = each.output
    return found


def _time(seconds: float | None) -> dict[str, str]:
    return {} if seconds is None else {"time": f"{seconds:.3f}"}
