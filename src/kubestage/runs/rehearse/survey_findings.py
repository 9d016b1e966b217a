"""The findings of many rehearsals, each listed once for all rehearsals of a kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from kubestage.runs.rehearse import findings
from kubestage.runs.rehearse.findings import SEVERITIES, Finding, Severity
from kubestage.runs.rehearse.grow_result import GrowResult
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.rehearse.result import Rehearsed


class SurveyFinding(msgspec.Struct, frozen=True):
    """A finding, and in which rehearsals it was made."""

    severity: Severity
    rehearsal: str
    subject: str
    text: str


def merged(results: Sequence[Rehearsed]) -> list[SurveyFinding]:
    """Each finding as it was where it lasted longest; the worst first."""
    found: dict[tuple[str, ...], list[_Place]] = {}
    for result in results:
        for each in result.findings:
            place = _Place(result, each, _below_seconds(result, each.subject))
            found.setdefault(place.key, []).append(place)
    rows = [_as_one(places) for places in found.values()]
    return sorted(rows, key=lambda each: SEVERITIES.index(each.severity))


class _Place(NamedTuple):
    """A finding where it was made, and for how long its workload was below desired."""

    result: Rehearsed
    finding: Finding
    seconds: float

    @property
    def key(self) -> tuple[str, ...]:
        """What findings that become one have in common; growths have different numbers."""
        kind, found = self.result.rehearsal, self.finding
        if kind == GrowResult.rehearsal:
            return (kind, self.result.subject, found.severity, found.subject, found.text)
        if found.subject.startswith("node/"):
            return (kind, found.severity, found.text)
        return (kind, found.severity, found.subject)


def _below_seconds(result: Rehearsed, subject: str) -> float:
    workloads = result.effects.workloads
    return next((each.below_desired_seconds for each in workloads if each.workload == subject), 0.0)


def _as_one(places: Sequence[_Place]) -> SurveyFinding:
    worst = max(places, key=lambda each: each.seconds)
    result, finding = worst.result, worst.finding
    subjects = list(dict.fromkeys(each.finding.subject for each in places))
    text = finding.text
    others = len({id(each.result) for each in places}) - 1
    if others and len(subjects) == 1:
        no_longer = ", for no longer" if worst.seconds else ""
        text += f"; also in {plural(others, f'other {result.rehearsal}')}{no_longer}"
    elif others:
        text = text.replace("was ", "were ", 1)
    where = f"{result.rehearsal} {result.subject}"
    return SurveyFinding(finding.severity, where, findings.listed(subjects), text)
