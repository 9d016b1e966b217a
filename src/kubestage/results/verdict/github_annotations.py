"""Findings as GitHub's workflow commands, which mark lines of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.verdict.verdict import Finding, Verdict

_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}
# GitHub shows ten of each sort for a step.
MOST: Final = 10


def render(verdict: Verdict) -> str:
    """A line for each finding that is new; GitHub shows the first ten of each severity."""
    return "".join(f"{line}\n" for line in _lines(verdict))


def _lines(verdict: Verdict) -> Iterator[str]:
    counts = dict.fromkeys(_COMMANDS.values(), 0)
    counted = {id(each) for rule in verdict.rules for each in rule.failures}
    for finding in verdict.findings():
        is_failure = id(finding) in counted
        if not finding.is_new and not is_failure:
            continue
        command = "error" if is_failure else _COMMANDS[finding.severity]
        if counts[command] < MOST:
            counts[command] += 1
            yield _line(command, finding)


def _line(command: str, finding: Finding) -> str:
    parameters = []
    if finding.file is not None:
        parameters.append(f"file={_parameter(finding.file)}")
        if finding.line is not None:
            parameters.append(f"line={finding.line}")
    parameters.append(f"title={_parameter(f'kubestage {finding.rule}: {finding.subject}')}")
    return f"::{command} {','.join(parameters)}::{_data(finding.text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _parameter(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
