"""Where a replay and its recording differ, field by field."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Any, Final

from kubestage.scheduler.replay.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json


_BY_PLUGIN: Final = ("preEnqueue", "preFilter", "preScore")
_BY_NODE_AND_PLUGIN: Final = ("filter", "score")


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """One field that is not as recorded."""

    case: str
    attempt: int
    pod: str
    path: str
    expected: Any
    got: Any

    def __str__(self) -> str:
        where = f"{self.case}, attempt {self.attempt} ({self.pod})" if self.pod else self.case
        return f"{where}: {self.path}: expected {self.expected!r}, got {self.got!r}"


@dataclasses.dataclass(slots=True)
class CaseReport:
    """How one case went: decisions, and for each plugin how many of its answers are the same."""

    name: str
    category: str
    decisions: int = 0
    identical: int = 0
    differences: list[Difference] = dataclasses.field(default_factory=list)
    answers: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    wrong_answers: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)


def compare(case: Json) -> CaseReport:
    """Replay a case and compare every attempt, and the end of it all, with the recording."""
    expected = case["expected"]
    report = CaseReport(case["name"], case.get("category", ""))
    runner = Runner(case)
    replayed = list(runner.attempts())
    recorded = expected["attempts"]
    report.decisions = len(recorded)
    for number in range(max(len(recorded), len(replayed))):
        want = recorded[number] if number < len(recorded) else {}
        got = replayed[number] if number < len(replayed) else {}
        _count_answers(report, want, got)
        pod: str = want.get("pod") or got.get("pod") or ""
        found = [
            Difference(report.name, number + 1, pod, *each) for each in _differences(want, got, "")
        ]
        report.differences.extend(found)
        report.identical += not found
    for path, ended, recorded in (
        ("order", runner.order, expected["order"]),
        ("preempted", sorted(runner.preempted), sorted(expected.get("preempted") or ())),
        ("profiles", runner.profile_plugins(), expected.get("profiles")),
        ("finalAssignments", runner.assignments(), expected.get("finalAssignments")),
        ("unscheduled", runner.unscheduled(), expected.get("unscheduled")),
    ):
        if recorded is not None and ended != recorded:
            report.differences.append(Difference(report.name, 0, "", path, recorded, ended))
    return report


def _differences(want: Any, got: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(want, dict) and isinstance(got, dict):
        for key in {**want, **got}:
            yield from _differences(want.get(key), got.get(key), f"{path}.{key}" if path else key)
    elif want != got:
        yield path, want, got


def _count_answers(report: CaseReport, want: Json, got: Json) -> None:
    for point in _BY_PLUGIN:
        _count(report, want.get(point) or {}, got.get(point) or {})
    for point in _BY_NODE_AND_PLUGIN:
        expected, actual = want.get(point) or {}, got.get(point) or {}
        for node in {**expected, **actual}:
            _count(report, expected.get(node) or {}, actual.get(node) or {})
    if "preemption" in want or "preemption" in got:
        same = want.get("preemption") == got.get("preemption")
        report.answers["DefaultPreemption"] += 1
        report.wrong_answers["DefaultPreemption"] += not same


def _count(report: CaseReport, expected: Json, actual: Json) -> None:
    for plugin in {**expected, **actual}:
        report.answers[plugin] += 1
        report.wrong_answers[plugin] += expected.get(plugin) != actual.get(plugin)
