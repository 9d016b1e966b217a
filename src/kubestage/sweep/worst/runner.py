"""One run of a case under one configuration: its measures, and what invariants look at."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from kubestage.results import comparison
from kubestage.results.life import comparison as life_comparison
from kubestage.runs import living, living_run, scenario_run
from kubestage.runs.inputs.scenario_inputs import Inputs
from kubestage.runs.living import LaterManifests, LivingPlan
from kubestage.runs.observer import SILENT
from kubestage.scenario import phases, resource
from kubestage.scenario.settings import Settings, Strategy
from kubestage.scheduler.record import Recording
from kubestage.sweep.worst import start as starts
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.aliases import Json
    from kubestage.results.comparison.measures import Measure
    from kubestage.runs.run_settings import RunSettings
    from kubestage.stage import Stage
    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.start import Start


class CaseRun(NamedTuple):
    """A run that has ended; `record` is the Scenario with its status, or the record of a life."""

    stage: Stage
    record: Any
    is_living: bool
    failure: str | None = None

    def measures(self) -> list[Measure]:
        """All figures of the run, under the names that `compare` has for them."""
        if self.is_living:
            return life_comparison.measures([self.record.summary])
        return list(comparison.compare([comparison.Named("", self.record)]).measures)


def run(
    case: Case,
    start: Start,
    settings: RunSettings,
    on_stage: Callable[[Stage], None] | None = None,
) -> CaseRun:
    """Run a case."""
    if start.living_ns is None:
        return _scenario(case, start, settings, on_stage)
    return _living(case, start, settings, on_stage)


def inputs_of(case: Case, start: Start) -> Inputs:
    """The case as what a run of a Scenario reads."""
    scenario = resource.normalized(start.scenario(case))
    return Inputs([scenario], start.begin, start.is_alive)


def plan_of(case: Case, start: Start, settings: RunSettings) -> tuple[list[Json], LivingPlan]:
    """What a living run begins with, and what is to happen in it."""
    assert start.living_ns is not None
    first, *later = sorted(start.manifests(case).items())
    plan = LivingPlan(
        start.living_ns,
        [_later(at, objects) for at, objects in later],
        living.controller_settings(settings.setting_values, settings.control_plane),
    )
    return first[1], plan


def _later(at: int, objects: Sequence[Json]) -> LaterManifests:
    name = f"{at}s"
    return LaterManifests(at * SECOND_NS, starts.loaded_objects(objects, name))


def _scenario(
    case: Case, start: Start, settings: RunSettings, on_stage: Callable[[Stage], None] | None
) -> CaseRun:
    inputs = inputs_of(case, start)
    rules = Settings(strategy=Strategy.ON_DONE, as_written=settings.as_written)
    quiet = dataclasses.replace(settings, recording=Recording.NONE)
    hooks = scenario_run.RunHooks(on_stage=on_stage)
    ended = scenario_run.run_scenario(inputs, quiet, rules, hooks)
    scenario = ended.scenario(starts.NAME)
    status = scenario["status"]
    is_bad = status["phase"] in (phases.FAILED, phases.UNKNOWN)
    failure = str(status.get("message")) if is_bad else None
    return CaseRun(ended.stage, scenario, is_living=False, failure=failure)


def _living(
    case: Case, start: Start, settings: RunSettings, on_stage: Callable[[Stage], None] | None
) -> CaseRun:
    objects, plan = plan_of(case, start, settings)
    plan = msgspec.structs.replace(plan, on_stage=on_stage)
    loaded = starts.loaded_objects(objects, "start")
    loaded.start = start.begin
    lived = living_run.live(loaded, settings, plan, SILENT)
    return CaseRun(lived.stage, lived.record, is_living=True)
