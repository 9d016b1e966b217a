"""Runs that are repeated: Scenarios and living clusters, which come out the same every time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.results import agreement, analysis, run_directory
from kubestage.runs import living_run, scenario_run
from kubestage.runs.explain import living as explained_life
from kubestage.runs.explain import repetition
from kubestage.runs.inputs import autoscaler_files, plugin_files, python_file
from kubestage.runs.observer import SILENT
from kubestage.runs.opening.run_recorder import RunRecorder

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Collection, Mapping

    from kubestage.aliases import Json
    from kubestage.runs.explain.living import RepeatableLife
    from kubestage.runs.explain.repetition import Repeatable
    from kubestage.runs.observer import Observer
    from kubestage.runs.opening.opened_run import OpenedRun
    from kubestage.scenario.controller import ScenarioController

_AGAIN: Final = "run it again with `kubestage run --out DIR`, and open DIR"
# Fewer attempts take no second.
_SLOW_ATTEMPTS: Final = 500


def open_scenario(path: pathlib.Path, observer: Observer) -> OpenedRun:
    """Repeat the Scenario of a directory."""
    with run_directory.open_run(path) as run:
        if run.repeat is None:
            problem = "does not say how the run was made, so that it cannot be repeated"
            raise InputError(problem, file=str(path), fix=_AGAIN)
        this = repetition.repeatable(run)
        total = analysis.summary(run.scenario).attempts or 0
        title = str(run.scenario["metadata"]["name"])
    recorder = RunRecorder()
    with (
        plugin_files.error_context(this.settings.plugins),
        observer.progress(f"repeating {title}", total, noticeable=_SLOW_ATTEMPTS) as advance,
    ):

        def show(controller: ScenarioController) -> None:
            advance(min(controller.attempts.count, total))

        hooks = scenario_run.RunHooks(progress=show, observer=observer, on_stage=recorder.watch)
        scenario_run.run_scenario(this.inputs, this.settings, watching=hooks)
    [opened] = recorder.opened("scenario", [title])
    opened.notes = this.warnings
    opened.settings = this.settings.setting_values
    opened.explain = _ScenarioAgain(this)
    return opened


def open_life(path: pathlib.Path, observer: Observer) -> OpenedRun:
    """Repeat the life of a cluster."""
    this = explained_life.repeatable(path, None, observer)
    recorder = RunRecorder()
    plan = msgspec.structs.replace(this.plan, on_stage=recorder.watch, recorded=False)
    files = autoscaler_files.files(plan.autoscalers)
    with plugin_files.error_context(this.settings.plugins), python_file.error_context(*files):
        # It must be able to go on: forks do.
        lived = living_run.live(this.loaded, this.settings, plan, observer, halts=False)
    [opened] = recorder.opened("living", [path.name])
    opened.notes = this.warnings
    opened.settings = this.settings.setting_values
    opened.explain = _LifeAgain(this)
    opened.agreement = agreement.read(path)
    opened.node_decisions = lived.nodes
    return opened


class _ScenarioAgain:
    """Explains attempts of a Scenario."""

    def __init__(self, this: Repeatable) -> None:
        self._this = this

    def __call__(self, numbers: Collection[int]) -> Mapping[int, Json]:
        return repetition.repeat(self._this, numbers).explanations


class _LifeAgain:
    """Explains attempts of a living cluster."""

    def __init__(self, this: RepeatableLife) -> None:
        self._this = this

    def __call__(self, numbers: Collection[int]) -> Mapping[int, Json]:
        this = self._this
        plan = msgspec.structs.replace(this.plan, recorded=False)
        files = autoscaler_files.files(plan.autoscalers)
        with plugin_files.error_context(this.settings.plugins), python_file.error_context(*files):
            lived = living_run.live(this.loaded, this.settings, plan, SILENT, numbers, halts=False)
        return lived.scheduler.record.explanations
