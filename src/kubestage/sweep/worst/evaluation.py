"""The work of a search: one case under one or two configurations, as a row."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

import kubestage
from kubestage.errors import KubestageError
from kubestage.runs.inputs import plugin_files
from kubestage.sweep.rows import Row
from kubestage.sweep.worst import runner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.run_settings import RunSettings
    from kubestage.stage import Stage
    from kubestage.sweep.rows import Task
    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.invariants.invariant import Observation
    from kubestage.sweep.worst.objectives import Objective, Outcome
    from kubestage.sweep.worst.runner import CaseRun
    from kubestage.sweep.worst.start import Start

SCORE: Final = "score"
PRESSURE: Final = "pressure"
"""How bad the first configuration is by itself: it decides between equal scores."""


class Contender(msgspec.Struct, frozen=True):
    """A configuration under its name; plugins are loaded where it runs."""

    name: str
    settings: RunSettings
    plugins: tuple[str, ...] = ()
    config: str | None = None
    """Its file; None is kube-scheduler's own."""

    def loaded(self) -> RunSettings:
        """The settings with the classes of plugins, which are not sent to other processes."""
        if not self.plugins or self.settings.plugins:
            return self.settings
        classes = plugin_files.load(self.plugins, self.settings.configuration)
        return dataclasses.replace(self.settings, plugins=classes)


class Evaluated(msgspec.Struct, frozen=True):
    """What came of a case under one seed: the score, and the outcome of each configuration."""

    seed: int
    score: float | None
    outcomes: tuple[Outcome, ...]
    failure: str | None = None


class Evaluation:
    """Runs cases; it pickles, and each process that gets it loads plugins by itself."""

    def __init__(
        self,
        start: Start,
        contenders: Sequence[Contender],
        objective: Objective,
        seeds: Sequence[int],
    ) -> None:
        self.start = start
        self.contenders = tuple(contenders)
        self.objective = objective
        self.seeds = tuple(seeds)
        self._settings: list[RunSettings] | None = None

    def __call__(self, task: Task) -> Row:
        """The row of a task whose payload is a case; its score is the lowest over all seeds."""
        case: Case = task.payload
        found: list[Evaluated] = []
        for seed in self.seeds:
            found.append(self._guarded(case, seed))
            if found[-1].score is None:
                break
        lowest = min(found, key=lambda each: -1e300 if each.score is None else each.score)
        measures: dict[str, float | int | None] = {SCORE: lowest.score}
        if lowest.score is not None:
            values = [each.value for each in lowest.outcomes if each.value is not None]
            measures[PRESSURE] = self.objective.score(values[:1])
        return Row(
            task.index, self._key(case), task.parameters, lowest.seed, measures, lowest.failure
        )

    def _guarded(self, case: Case, seed: int) -> Evaluated:
        try:
            return self.evaluate(case, seed)
        except Exception as error:  # noqa: BLE001 - the edge of a process; plugins raise anything
            return Evaluated(seed, None, (), f"{type(error).__name__}: {error}")

    def evaluate(self, case: Case, seed: int) -> Evaluated:
        """Run a case with one seed."""
        outcomes: list[Outcome] = []
        for at in range(len(self.contenders)):
            try:
                run, seen = self.run(case, at, seed)
            except KubestageError as error:
                return Evaluated(seed, None, tuple(outcomes), str(error))
            if run.failure is not None:
                return Evaluated(seed, None, tuple(outcomes), run.failure)
            outcomes.append(self.objective.outcome(run, seen))
        values = [each.value for each in outcomes]
        known = [value for value in values if value is not None]
        score = self.objective.score(known) if len(known) == len(values) else None
        return Evaluated(seed, score, tuple(outcomes))

    def run(self, case: Case, at: int, seed: int) -> tuple[CaseRun, Observation | None]:
        """Run a case under one of the configurations."""
        settings = dataclasses.replace(self._loaded()[at], seed=seed)
        watching = _Watching(self.objective)
        run = runner.run(case, self.start, settings, watching)
        return run, watching.seen

    def _loaded(self) -> list[RunSettings]:
        if self._settings is None:
            self._settings = [each.loaded() for each in self.contenders]
        return self._settings

    def _key(self, case: Case) -> str:
        settings = [
            (each.name, repr(each.settings.configuration), each.plugins) for each in self.contenders
        ]
        content = (kubestage.__version__, case.key, settings, self.seeds, repr(self.objective))
        return hashlib.sha256(repr(content).encode()).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        bare = [
            msgspec.structs.replace(each, settings=dataclasses.replace(each.settings, plugins={}))
            if each.plugins
            else each
            for each in self.contenders
        ]
        return {**self.__dict__, "contenders": tuple(bare), "_settings": None}


class _Watching:
    """Has the objective watch a stage."""

    def __init__(self, objective: Objective) -> None:
        self._objective = objective
        self.seen: Observation | None = None

    def __call__(self, stage: Stage) -> None:
        self.seen = self._objective.observe(stage)
