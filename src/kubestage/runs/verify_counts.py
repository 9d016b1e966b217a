"""How recordings compare: counts by category, plugin, topic and program, and what differs."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.replay.comparison import Difference as ScenarioDifference
    from kubestage.replay.player import ReplayResult
    from kubestage.replay.world_report import FieldDifference, WorldReport
    from kubestage.scheduler.replay.comparison import CaseReport, Difference


class ComparedCase(NamedTuple):
    """A recorded case of kube-scheduler, and how ours compares."""

    path: str
    report: CaseReport


class PlayedScenario(NamedTuple):
    """A recorded scenario of kube-controller-manager, and how ours compares."""

    path: str
    result: ReplayResult


class PlayedWorld(NamedTuple):
    """A recorded world of an autoscaler, and how ours compares."""

    path: str
    program: str
    report: WorldReport


def by_category(cases: Sequence[ComparedCase]) -> dict[str, tuple[int, ...]]:
    """How many cases, decisions and identical decisions each category has."""
    sums: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0, 0])
    for _, report in cases:
        row = sums[report.category or "-"]
        row[0] += 1
        row[1] += report.decisions
        row[2] += report.identical
    return {name: tuple(row) for name, row in sorted(sums.items())}


def by_plugin(cases: Sequence[ComparedCase]) -> dict[str, tuple[int, ...]]:
    """How many answers each plugin gave, and how many of them are identical."""
    answers: collections.Counter[str] = collections.Counter()
    wrong: collections.Counter[str] = collections.Counter()
    for _, report in cases:
        answers.update(report.answers)
        wrong.update(report.wrong_answers)
    return {name: (answers[name], answers[name] - wrong[name]) for name in sorted(answers)}


def by_topic(scenarios: Sequence[PlayedScenario]) -> dict[str, tuple[int, ...]]:
    """How many scenarios, steps and identical scenarios each topic has."""
    sums: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0, 0])
    for _, result in scenarios:
        row = sums[result.scenario.topic]
        row[0] += 1
        row[1] += len(result.scenario.steps)
        row[2] += result.is_same
    return {name: tuple(row) for name, row in sorted(sums.items())}


def by_program(worlds: Sequence[PlayedWorld]) -> dict[str, list[PlayedWorld]]:
    """The worlds of each program."""
    found: dict[str, list[PlayedWorld]] = collections.defaultdict(list)
    for each in worlds:
        found[each.program].append(each)
    return dict(found)


def by_world_category(worlds: Sequence[PlayedWorld]) -> dict[str, tuple[int, ...]]:
    """How many worlds, identical worlds, decisions and identical decisions each category has."""
    sums: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
    for each in worlds:
        report, row = each.report, sums[each.report.category or "-"]
        row[0] += 1
        row[1] += report.steps
        row[2] += report.decisions
        row[3] += report.is_same
        row[4] += report.identical
    return {name: tuple(row) for name, row in sorted(sums.items())}


def case_differences(cases: Sequence[ComparedCase]) -> Iterator[tuple[str, Difference]]:
    """The files and fields in which decisions differ."""
    return ((path, each) for path, report in cases for each in report.differences)


def scenario_differences(
    scenarios: Sequence[PlayedScenario],
) -> Iterator[tuple[str, ReplayResult, ScenarioDifference]]:
    """The files and fields in which scenarios differ."""
    return ((path, result, each) for path, result in scenarios for each in result.differences)


def world_differences(
    worlds: Sequence[PlayedWorld],
) -> Iterator[tuple[PlayedWorld, FieldDifference]]:
    """The fields in which worlds differ, those first that count."""
    found = [(each, difference) for each in worlds for difference in each.report.differences]
    return iter(sorted(found, key=lambda each: not each[1].counts))
