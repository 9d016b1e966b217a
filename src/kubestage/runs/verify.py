"""Our decisions and controllers compared with recorded ones of the real programs.

A file holds one case of kube-scheduler, a list of scenarios of kube-controller-manager, or one
world of an autoscaler.
"""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs import (
    case_files,
    interruption,
    recorded_files,
    verify_counts,
    verify_data,
)
from kubestage.runs.notebook import TableResult
from kubestage.runs.observer import SILENT
from kubestage.runs.verify_counts import ComparedCase, PlayedScenario, PlayedWorld

with lazy.imports():
    from kubestage.replay import world_formats, world_report
    from kubestage.scheduler.replay import comparison

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.replay.scenario import RecordedScenario
    from kubestage.replay.world_formats import WorldFormat
    from kubestage.runs.observer import Observer

# Fewer take less than a second.
_SLOW_CASES: Final = 40
_SLOW_SCENARIOS: Final = 15
_SLOW_WORLDS: Final = 40


class _Sorted(NamedTuple):
    """Recordings by what they are of; files are read again when their turn comes."""

    cases: list[tuple[str, bytes]]
    scenarios: list[tuple[str, RecordedScenario]]
    worlds: list[tuple[str, WorldFormat, bytes]]


class _ScenarioHead(msgspec.Struct):
    """What a scenario has and other files have not."""

    name: str
    steps: list[msgspec.Raw]


class VerifyResult(TableResult, msgspec.Struct, frozen=True):
    """How everything that was recorded compares."""

    cases: tuple[ComparedCase, ...]
    scenarios: tuple[PlayedScenario, ...]
    worlds: tuple[PlayedWorld, ...] = ()

    @property
    def is_identical(self) -> bool:
        """Whether nothing differs, but where the order of the real program is random."""
        return (
            not any(each.report.differences for each in self.cases)
            and all(each.result.is_same for each in self.scenarios)
            and all(each.report.is_same for each in self.worlds)
        )

    def headline(self) -> str:
        """How many decisions, scenarios and worlds are identical."""
        decisions = sum(each.report.decisions for each in self.cases)
        identical = sum(each.report.identical for each in self.cases)
        parts = [f"decisions: {identical}/{decisions} identical"] if self.cases else []
        if self.scenarios:
            same = sum(each.result.is_same for each in self.scenarios)
            parts.append(f"scenarios: {same}/{len(self.scenarios)} identical")
        for program, worlds in verify_counts.by_program(self.worlds).items():
            same = sum(each.report.is_same for each in worlds)
            parts.append(f"worlds of {program}: {same}/{len(worlds)} identical")
        return ", ".join(parts)

    def table(self) -> Table:
        """A row for each category of cases and worlds, and each topic of scenarios."""
        rows = [
            ("category", name, *counts)
            for name, counts in verify_counts.by_category(self.cases).items()
        ]
        rows += [
            ("topic", name, *counts)
            for name, counts in verify_counts.by_topic(self.scenarios).items()
        ]
        for program, worlds in verify_counts.by_program(self.worlds).items():
            found = verify_counts.by_world_category(worlds).items()
            rows += [(program, name, each[0], each[1], each[3]) for name, each in found]
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
        parts = []
        if self.cases:
            parts.append(verify_data.of_cases(self.cases, differences))
        if self.scenarios:
            parts.append(verify_data.of_scenarios(self.scenarios, differences))
        if self.worlds:
            parts.append(verify_data.of_worlds(self.worlds, differences))
        data: Json = {}
        for part in parts:
            for name in ("differentFields", "differences"):
                if name in data:
                    part[name] = data[name] + part[name]
            data |= part
        return data


def verify(paths: Sequence[str], *, observer: Observer = SILENT) -> VerifyResult:
    """Replay what was recorded in files, or in all files of directories, and compare each field."""
    compared: list[ComparedCase] = []
    played: list[PlayedScenario] = []
    worlds: list[PlayedWorld] = []

    def done() -> str:
        count = len(compared) + len(played) + len(worlds)
        return f"{count} recordings were compared, and nothing is kept"

    with interruption.reporting(done):
        found = _split(case_files.find(paths))
        _compare(found.cases, compared, observer)
        played += _play(found.scenarios, observer)
        _play_worlds(found.worlds, worlds, observer)
    return VerifyResult(tuple(compared), tuple(played), tuple(worlds))


def _split(paths: Sequence[str]) -> _Sorted:
    """Recordings by what they are of; whatever is not recognised is a case of the scheduler."""
    found = _Sorted([], [], [])
    for path in paths:
        data = case_files.content(path)
        # A file is read again when its turn comes; a stream cannot be.
        kept = b"" if pathlib.Path(path).is_file() else data
        scenarios = _read_scenarios(path, data)
        world_format = None if scenarios else world_formats.recognise(data)
        if scenarios:
            found.scenarios.extend((path, each) for each in scenarios)
        elif world_format is not None:
            found.worlds.append((path, world_format, kept))
        else:
            found.cases.append((path, kept))
    return found


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


def _play_worlds(
    files: Sequence[tuple[str, WorldFormat, bytes]],
    played: list[PlayedWorld],
    observer: Observer,
) -> None:
    with observer.progress("playing", len(files), noticeable=_SLOW_WORLDS) as advance:
        for number, (path, each, data) in enumerate(files, 1):
            try:
                with recorded_files.error_context(path, what="recording"):
                    report = each.compare(data or case_files.content(path), path)
            except InputError as error:
                error.file = error.file or path
                if len(files) == 1:
                    raise
                # One that cannot be played does not keep the others from being compared.
                report = world_report.refused(pathlib.Path(path).name, str(error))
            played.append(PlayedWorld(path, each.program, report))
            advance(number)
