"""Scenarios, or the one that plain manifests mean, run one after the other."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.results import analysis
from kubestage.runs import (
    interruption,
    living,
    never_run,
    placements,
    pod_explanation,
    repeat_record,
    run_saving,
    run_settings,
    scenario_run,
    workloads,
)
from kubestage.runs.inputs import scenario_inputs, stage_inputs, traffic_targets
from kubestage.runs.run_result import ManifestsResult, ScenariosResult
from kubestage.scenario import phases
from kubestage.scenario.settings import Detail, Settings, Strategy
from kubestage.scheduler.record import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.results.timings import RecordedTimings
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.inputs.scenario_inputs import Inputs
    from kubestage.runs.observer import Observer
    from kubestage.runs.run_options import RunOptions
    from kubestage.runs.run_saving import RunSaver
    from kubestage.runs.run_settings import RunSettings, SchedulerInputs
    from kubestage.runs.scenario_run import ScenarioRun
    from kubestage.stage import Stage

_NAMED: Final = 3
_FAILED: Final = (phases.FAILED, phases.UNKNOWN)
# Those behind it are not started.
_ALL_PLACED: Final = (
    "every pod has a node already, so nothing was scheduled; --reschedule all takes them off"
)
_HALTED: Final = (phases.PAUSED, phases.PENDING)


def run(
    loaded: LoadedManifests,
    settings: RunSettings,
    scheduler: SchedulerInputs,
    options: RunOptions,
    observer: Observer,
    on_stage: Callable[[Stage], None] | None = None,
) -> ManifestsResult | ScenariosResult:
    """Run all Scenarios."""
    inputs = check(loaded, settings, options)
    rules = Settings(
        strategy=Strategy(options.result_strategy),
        detail=Detail(options.detail),
        as_written=settings.as_written,
    )
    repeat = repeat_record.scenario_repeat(inputs, settings, scheduler, rules)
    is_full = rules.detail is Detail.FULL
    if not inputs.is_implicit and not options.explain:
        settings = dataclasses.replace(settings, recording=Recording.NONE)
    elif inputs.is_implicit and is_full and options.collects_explanations:
        settings = dataclasses.replace(settings, recording=Recording.FULL)
    names = [each["metadata"]["name"] for each in inputs.scenarios]
    with contextlib.ExitStack() as stack:
        saver = run_saving.RunSaver(options.out, names, repeat, observer, spools=is_full)
        stack.enter_context(saver)
        stack.enter_context(interruption.reporting(saver.interrupt_report))
        runs = _Runs(loaded, inputs, settings, scheduler, options.explain)
        runs.run_all(rules, saver, observer, on_stage)
        if inputs.is_implicit:
            return runs.manifests(saver, options.detail)
        result = runs.result(saver)
        if saver.has_temporary_files:
            # They are read from the result, and deleted with it.
            stack.pop_all()
        return result


def check(loaded: LoadedManifests, settings: RunSettings, options: RunOptions) -> Inputs:
    """What is to be run, checked."""
    traffic_targets.check([loaded])
    inputs = scenario_inputs.read(loaded, options.controllers)
    _check(inputs, settings, options)
    if settings.setting_values:
        living.controller_settings(settings.setting_values)
    return inputs


def _check(inputs: Inputs, settings: RunSettings, options: RunOptions) -> None:
    if options.explain and len(inputs.scenarios) > 1:
        # A pod of the same name may be in each of them.
        fix = "run the Scenario that has the pod by itself"
        raise InputError("there are several Scenarios", path="--explain", fix=fix)
    if options.scale and not inputs.is_alive:
        fix = "add --for 10m or --controllers"
        raise InputError("has an effect only with controllers", path="--scale", fix=fix)
    if settings.setting_values and not inputs.is_alive:
        path = living.flag_of(next(iter(settings.setting_values)))
        fix = "add --controllers, or leave it out"
        raise InputError("has an effect only while kubelets are running", path=path, fix=fix)


class _Runs:
    """The Scenarios of one call, and what came of them."""

    def __init__(
        self,
        loaded: LoadedManifests,
        inputs: Inputs,
        settings: RunSettings,
        scheduler: SchedulerInputs,
        explained: str | None,
    ) -> None:
        self._loaded, self._inputs, self._settings = loaded, inputs, settings
        self._scheduler, self._explained = scheduler, explained
        self._ended: list[Json] = []
        self._last: ScenarioRun
        self._timings: RecordedTimings | None = None

    def run_all(
        self,
        rules: Settings,
        saver: RunSaver,
        observer: Observer,
        on_stage: Callable[[Stage], None] | None = None,
    ) -> None:
        """Run each Scenario; those behind one that has not ended are not started."""
        with observer.watch_scenarios(self._inputs.scenarios) as progress:
            for each in self._inputs.one_by_one():
                (scenario,) = each.scenarios
                if self._ended and self._ended[-1]["status"]["phase"] in _HALTED:
                    self._ended.append({**scenario, "status": {"phase": phases.PENDING}})
                    continue
                name = scenario["metadata"]["name"]
                hooks = scenario_run.RunHooks(saver.sink_for(name), progress, observer, on_stage)
                self._last = scenario_run.run_scenario(each, self._settings, rules, hooks)
                scenario_run.raise_refusal(self._last, self._inputs, self._loaded)
                self._ended.append(self._last.scenario(name))
                self._timings = run_settings.timings_of(self._last.scheduler)
                saver.save(self._ended[-1], self._timings, self._last.stage)

    def manifests(self, saver: RunSaver, detail: str) -> ManifestsResult:
        """Where the pods of plain manifests are."""
        stage, scheduler = self._last.stage, self._last.scheduler
        (scenario,) = self._ended
        history = placements.PodHistory(scenario["status"]["scenarioResult"]["timeline"])
        found = placements.placements(history, stage, scheduler)
        summary = placements.summary(history, found, scheduler)
        record, full = scheduler.record, None
        if detail == "full":
            full = pod_explanation.numbered(record.explanations)
        explanation = None
        if self._explained:
            explained = self._explain()
            placement = next(each for each in found if each.key == explained.placement.key)
            nodes = len(scheduler.cache.columns)
            explanation = explained._replace(placement=placement, node_count=nodes)
            full = list(explanation.attempts)
        without_pods = []
        if not self._inputs.is_alive:
            without_pods = stage_inputs.childless(stage, self._inputs.places.values())
        return ManifestsResult(
            stage=stage,
            unscheduled=sum(each.is_without_node for each in found),
            notes=[
                *([_without_pods(without_pods)] if without_pods else []),
                *([_ALL_PLACED] if not found and stage.store.read(gvk.POD) else []),
            ],
            timings=self._timings,
            saved=saver.saved,
            explanation=explanation,
            scenario=scenario,
            seed=self._settings.seed,
            start_ns=stage.clock.unix_ns - stage.clock.now_ns,
            placements=found,
            workloads=workloads.workloads_of(found, history, stage),
            summary=summary,
            decisions=None if detail == "summary" else record.decisions,
            explanations=full,
        )

    def result(self, saver: RunSaver) -> ScenariosResult:
        """How Scenarios ended."""
        failed = [each for each in self._ended if each["status"]["phase"] in _FAILED]
        failures = [f"{each['metadata']['name']}: {each['status']['message']}" for each in failed]
        notes = list(_phase_notes(self._ended))
        if not self._inputs.is_alive:
            without_pods = scenario_inputs.workloads(self._inputs.scenarios)
            notes += [_without_pods(without_pods)] if without_pods else []
        notes += never_run.notes(self._loaded, self._ended)
        return ScenariosResult(
            stage=self._last.stage,
            failure="; ".join(failures) or None,
            unscheduled=sum(map(_unscheduled, self._ended)),
            notes=notes,
            timings=self._timings,
            saved=saver.saved,
            explanation=self._explain() if self._explained else None,
            scenarios=self._ended,
            open_record=saver.reader,
            delete_records=saver.close,
        )

    def _explain(self) -> pod_explanation.PodExplanation:
        assert self._explained is not None
        return pod_explanation.explain_in_scenario(
            self._last, self._inputs, self._settings, self._scheduler, self._explained
        )


def _unscheduled(scenario: Json) -> int:
    """How many pods have no node at the end of a Scenario."""
    if "scenarioResult" not in scenario["status"]:
        return 0
    summary = analysis.summary(scenario)
    return summary.pending + summary.gated


def _phase_notes(scenarios: Sequence[Json]) -> Iterator[str]:
    """Which Scenarios have not ended, and why."""
    paused = None
    for scenario in scenarios:
        name, phase = scenario["metadata"]["name"], scenario["status"]["phase"]
        if phase == phases.PAUSED:
            paused = name
            has_run = "its events have run, and none of them is a Done"
            why = has_run if scenario["spec"]["events"] else "it has no events"
            yield f"{name} is paused: {why}; add events to the file and run it again to go on"
        elif phase == phases.PENDING:
            yield f"{name} was not started: it waits for {paused} to end"


def _without_pods(names: Sequence[str]) -> str:
    shown, more = ", ".join(names[:_NAMED]), len(names) - _NAMED
    listed = f"{shown} and {more} more" if more > 0 else shown
    return f"there are no pods of {listed}; with --controllers they would be created"
