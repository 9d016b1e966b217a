"""Our decisions and controllers compared with recorded ones of the real programs.

A file holds one case of kube-scheduler, or a list of scenarios of kube-controller-manager.
"""

from __future__ import annotations

import collections
import itertools
import pathlib
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs import case_files, interruption, recorded_files
from kubestage.runs.notebook import TableResult
from kubestage.runs.observer import SILENT

with lazy.imports():
    from kubestage.scheduler.replay import comparison

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.replay.comparison import Difference as ScenarioDifference
    from kubestage.replay.player import ReplayResult
    from kubestage.replay.scenario import RecordedScenario
    from kubestage.runs.observer import Observer
    from kubestage.scheduler.replay.comparison import CaseReport, Difference

# Fewer take less than a second.
_SLOW_CASES: Final = 40
_SLOW_SCENARIOS: Final = 15


class ComparedCase(NamedTuple):
    """A recorded case of kube-scheduler, and how ours compares."""

    path: str
    report: CaseReport


class PlayedScenario(NamedTuple):
    """A recorded scenario of kube-controller-manager, and how ours compares."""

    path: str
    result: ReplayResult


class _ScenarioHead(msgspec.Struct):
    """What a scenario has and other files have not."""

    name: str
    steps: list[msgspec.Raw]


class VerifyResult(TableResult, msgspec.Struct, frozen=True):
    """How everything that was recorded compares."""

    cases: tuple[ComparedCase, ...]
    scenarios: tuple[PlayedScenario, ...]

    @property
    def is_identical(self) -> bool:
        """Whether nothing differs."""
        return not any(each.report.differences for each in self.cases) and all(
            each.result.is_same for each in self.scenarios
        )

    def headline(self) -> str:
        """How many decisions and scenarios are identical."""
        decisions = sum(each.report.decisions for each in self.cases)
        identical = sum(each.report.identical for each in self.cases)
        parts = [f"decisions: {identical}/{decisions} identical"] if self.cases else []
        if self.scenarios:
            same = sum(each.result.is_same for each in self.scenarios)
            parts.append(f"scenarios: {same}/{len(self.scenarios)} identical")
        return ", ".join(parts)

    def table(self) -> Table:
        """A row for each category of cases and each topic of scenarios."""
        rows = [("category", name, *counts) for name, counts in by_category(self.cases).items()]
        rows += [("topic", name, *counts) for name, counts in by_topic(self.scenarios).items()]
        return Table(
            columns(
                kind=Kind.TEXT,
                name=Kind.TEXT,
                recordings=Kind.INT,
                steps=Kind.INT,
                identical=Kind.INT,
            ),
            list(rows),
        )

    def as_data(self, differences: int) -> Json:
        """Everything as plain values, with so many differences of each kind."""
        data = _case_data(self.cases, differences) if self.cases else {}
        if not self.scenarios:
            return data
        played = _scenario_data(self.scenarios, differences)
        if data:
            played["differentFields"] += data["differentFields"]
            played["differences"] = data["differences"] + played["differences"]
        return {**data, **played}


def verify(paths: Sequence[str], *, observer: Observer = SILENT) -> VerifyResult:
    """Replay what was recorded in files, or in all files of directories, and compare each field."""
    compared: list[ComparedCase] = []
    played: list[PlayedScenario] = []

    def done() -> str:
        return f"{len(compared) + len(played)} recordings were compared, and nothing is kept"

    with interruption.reporting(done):
        cases, scenarios = _split(case_files.find(paths))
        _compare(cases, compared, observer)
        played += _play(scenarios, observer)
    return VerifyResult(tuple(compared), tuple(played))


def _split(
    paths: Sequence[str],
) -> tuple[list[tuple[str, bytes]], list[tuple[str, RecordedScenario]]]:
    """Files with cases of the scheduler, and scenarios of the controllers from all others."""
    cases: list[tuple[str, bytes]] = []
    scenarios: list[tuple[str, RecordedScenario]] = []
    for path in paths:
        data = case_files.content(path)
        found = _read_scenarios(path, data)
        scenarios += [(path, each) for each in found]
        if not found:
            # A file is read again when its turn comes; a stream cannot be.
            cases.append((path, b"" if pathlib.Path(path).is_file() else data))
    return cases, scenarios


def _read_scenarios(path: str, data: bytes) -> list[RecordedScenario]:
    """The scenarios of a file, or none if it holds something else."""
    try:
        is_object = data[:1].strip() == b"{"
        heads = [] if is_object else msgspec.json.decode(data, type=list[_ScenarioHead])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return []
    if not heads:
        return []
    from kubestage.replay import scenario

    return scenario.read(data, path)


def _compare(
    files: Sequence[tuple[str, bytes]], compared: list[ComparedCase], observer: Observer
) -> None:
    with observer.progress("replaying", len(files), noticeable=_SLOW_CASES) as advance:
        for number, (path, data) in enumerate(files, 1):
            case = case_files.read(path, data or case_files.content(path))
            try:
                with recorded_files.error_context(path, what="recording"):
                    compared.append(ComparedCase(path, comparison.compare(case)))
            except InputError as error:
                error.file = error.file or path
                raise
            advance(number)


def _play(
    scenarios: Sequence[tuple[str, RecordedScenario]], observer: Observer
) -> list[PlayedScenario]:
    played: list[PlayedScenario] = []
    if not scenarios:
        return played
    from kubestage.replay import player

    with observer.progress("playing", len(scenarios), noticeable=_SLOW_SCENARIOS) as advance:
        for number, (path, each) in enumerate(scenarios, 1):
            try:
                with recorded_files.error_context(path, what="recording"):
                    played.append(PlayedScenario(path, player.play(each)))
            except InputError as error:
                error.file, error.path = path, error.path or each.name
                raise
            advance(number)
    return played


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


def case_differences(cases: Sequence[ComparedCase]) -> Iterator[tuple[str, Difference]]:
    """The files and fields in which decisions differ."""
    return ((path, each) for path, report in cases for each in report.differences)


def scenario_differences(
    scenarios: Sequence[PlayedScenario],
) -> Iterator[tuple[str, ReplayResult, ScenarioDifference]]:
    """The files and fields in which scenarios differ."""
    return ((path, result, each) for path, result in scenarios for each in result.differences)


def _case_data(cases: Sequence[ComparedCase], differences: int) -> Json:
    return {
        "decisions": sum(each.report.decisions for each in cases),
        "identical": sum(each.report.identical for each in cases),
        "categories": {
            name: {"cases": number, "decisions": decisions, "identical": identical}
            for name, (number, decisions, identical) in by_category(cases).items()
        },
        "plugins": {
            name: {"answers": answers, "identical": identical}
            for name, (answers, identical) in by_plugin(cases).items()
        },
        "differentFields": sum(len(each.report.differences) for each in cases),
        "differences": [
            {
                "file": path,
                "case": each.case,
                "attempt": each.attempt,
                "pod": each.pod,
                "path": each.path,
                "expected": each.expected,
                "got": each.got,
            }
            for path, each in itertools.islice(case_differences(cases), differences)
        ],
    }


def _scenario_data(scenarios: Sequence[PlayedScenario], differences: int) -> Json:
    results = [each.result for each in scenarios]
    return {
        "scenarios": len(results),
        "identicalScenarios": sum(each.is_same for each in results),
        "identicalTraces": sum(not each.trace_differences for each in results),
        "topics": {
            name: {"scenarios": number, "steps": steps, "identical": identical}
            for name, (number, steps, identical) in by_topic(scenarios).items()
        },
        "differentFields": sum(len(each.differences) for each in results),
        "differences": [
            {
                "file": path,
                "scenario": result.scenario.name,
                "step": each.step,
                "kind": each.kind,
                "path": each.path,
                "expected": each.expected,
                "got": each.actual,
            }
            for path, result, each in itertools.islice(scenario_differences(scenarios), differences)
        ],
    }
