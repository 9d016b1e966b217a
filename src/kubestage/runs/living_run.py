"""A run in which the cluster lives: controllers, kubelets and the scheduler, in virtual time."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import pathlib
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

import kubestage
from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.results.life import marks
from kubestage.results.life.node_decisions import NodeDecisionRecord
from kubestage.runs import (
    event_changes,
    interruption,
    later_steps,
    life_notes,
    living,
    pod_explanation,
    repeat_record,
    run_settings,
)
from kubestage.runs.fit import waiting
from kubestage.runs.inputs import (
    autoscaler_files,
    python_file,
    stage_inputs,
    traffic_targets,
    traffic_times,
)
from kubestage.runs.inputs.arrivals import adding
from kubestage.runs.observer import SILENT
from kubestage.runs.replaying.spread_usage import SpreadUsage
from kubestage.runs.run_result import LivingResult
from kubestage.scenario import resource
from kubestage.scheduler.record import Recording
from kubestage.stage import collections

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from kubestage.results.agreement import ReplayAgreement
    from kubestage.results.life.life import Life
    from kubestage.results.life.recorder import LifeRecorder
    from kubestage.runs.inputs.arrivals.trace_objects import Arrival
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.living import EventListener, LaterManifests, LivingPlan
    from kubestage.runs.observer import Observer
    from kubestage.runs.pod_explanation import PodExplanation
    from kubestage.runs.replaying.demand import Demand
    from kubestage.runs.run_options import RunOptions
    from kubestage.runs.run_settings import RunSettings, SchedulerInputs
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.stage import Stage

# Infrastructure is there, and quotas are counted, before the first pod is asked for.
_SETTLING_NS: Final = 1_000_000


class Lived(NamedTuple):
    """A cluster at the end of its time."""

    stage: Stage
    scheduler: Scheduler
    record: Life | None
    refused: Sequence[str] = ()
    """Actions that the cluster has refused, and why."""
    nodes: NodeDecisionRecord | None = None
    """What was decided about nodes."""


def run(
    loaded: LoadedManifests,
    settings: RunSettings,
    scheduler: SchedulerInputs,
    options: RunOptions,
    observer: Observer,
    on_event: EventListener | None = None,
    trace_file: str | None = None,
    on_stage: Callable[[Stage], None] | None = None,
    arrivals: Sequence[Arrival] = (),
    recorded: Sequence[LaterManifests] = (),
    agreement: Callable[[], ReplayAgreement] | None = None,
    demands: Sequence[Demand] = (),
) -> LivingResult:
    """Let the cluster live, and save the run if options say so.

    `trace_file` receives the movements if the options name no file for them; `arrivals` are pods
    that come at their times, and `recorded` is what is done again of a recording, whose workloads
    used `demands`. `agreement` is called at the end, if the run is saved.
    """
    this = plan(loaded, settings, options, observer, on_event, arrivals)
    this = msgspec.structs.replace(
        this,
        later=[*this.later, *recorded],
        trace=options.trace_out or trace_file,
        on_stage=on_stage,
        demands=demands,
    )
    with contextlib.ExitStack() as stack:
        directory = None
        if options.out is not None:
            from kubestage.results import run_directory

            # A run that could not be saved is not started.
            directory = stack.enter_context(run_directory.RunDirectory(options.out))
        files = autoscaler_files.files(this.autoscalers)
        report = functools.partial(_interrupt_report, options.out, options.trace_out)
        with python_file.error_context(*files), interruption.reporting(report):
            lived = live(loaded, settings, this, observer)
            explanation = None
            if options.explain is not None:
                explanation = _explain(loaded, settings, scheduler, this, lived, options.explain)
        timings = run_settings.timings_of(lived.scheduler)
        if directory is not None:
            assert lived.record is not None
            repeat = repeat_record.living_repeat(settings, scheduler, this, lived.record)
            inputs = repeat_record.manifest_files(loaded, this)
            advice = waiting.paragraphs(lived.stage)
            with (
                interruption.reporting(lambda: f"kept: {options.out}"),
                interruption.deferred(observer),
            ):
                agreed = None if agreement is None else agreement()
                directory.write_life(lived.record, repeat, inputs, timings, advice, agreed)
    pods = lived.stage.store.read(gvk.POD).values()
    return LivingResult(
        stage=lived.stage,
        unscheduled=sum(1 for pod in pods if not pod["spec"].get("nodeName")),
        notes=[*life_notes.of(lived.stage), *later_steps.refusals(lived.refused)],
        timings=timings,
        saved={} if options.out is None else {"": pathlib.Path(options.out)},
        explanation=explanation,
        record=lived.record,
    )


def plan(
    loaded: LoadedManifests,
    settings: RunSettings,
    options: RunOptions,
    observer: Observer,
    on_event: EventListener | None,
    arrivals: Sequence[Arrival],
) -> LivingPlan:
    """What is to happen, checked."""
    assert options.run_for is not None
    refuse_scenarios(loaded)
    later = [living.parse_later(each, options.config, observer) for each in options.at]
    duration_ns = living.parse_duration(options.run_for)
    groups = adding.in_groups([each for each in arrivals if each.at_ns < duration_ns])
    later += [living.LaterManifests(*each, is_marked=False) for each in groups]
    every = [loaded, *(each.loaded for each in later)]
    traffic_targets.check(every)
    found = living.LivingPlan(
        autoscalers=autoscaler_files.load(options.autoscalers, every),
        duration_ns=duration_ns,
        later=later,
        controllers=living.controller_settings(settings.setting_values, settings.control_plane),
        on_event=on_event,
        traces_internal=options.trace_internal,
    )
    found.check()
    traffic_times.check(loaded, 0, found.duration_ns)
    for each in found.later:
        refuse_scenarios(each.loaded)
        traffic_times.check(each.loaded, each.at_ns, found.duration_ns)
    return found


def refuse_scenarios(loaded: LoadedManifests) -> None:
    """Refuse Scenarios, which say themselves how long they run, together with ``--for``."""
    for document in loaded.documents:
        if resource.is_scenario(document.object):
            fix = "leave out --for, or write how long a step lasts: spec.stepDuration"
            error = InputError("a Scenario says itself how long it runs", path="spec", fix=fix)
            raise loaded.place(document, error)
    for imported in loaded.imported:
        name = imported.scenario["metadata"]["name"]
        problem = f'"{name}" is imported as a Scenario, which says itself how long it runs'
        raise InputError(problem, fix="leave out --for")


def _interrupt_report(out: str | None, trace: str | None) -> str:
    """What is left of a cluster whose life was interrupted."""
    missing = "nothing was kept, as there is no --out" if out is None else f"not written: {out}"
    return missing if trace is None else f"kept: {trace}, up to there; {missing}"


def _explain(
    loaded: LoadedManifests,
    settings: RunSettings,
    scheduler: SchedulerInputs,
    plan: LivingPlan,
    lived: Lived,
    pod: str,
) -> PodExplanation:
    """Explain a pod.

    The run is repeated for that: it is the same again, and the numbers of the attempts are known.
    """
    decisions = lived.scheduler.record.decisions
    keys = dict.fromkeys(each.pod for each in decisions)
    found = [key for key in keys if pod in (key, key.partition("/")[2])]
    if not found:
        fix = "the tables at the end name the pods; write it as NAMESPACE/POD"
        raise InputError(f'no attempt was made at a pod "{pod}"', path="--explain", fix=fix)
    key = found[0]
    numbers = [each.number for each in decisions if each.pod == key]
    quiet = msgspec.structs.replace(plan, on_event=None, on_stage=None, trace=None, recorded=False)
    again = live(loaded, settings, quiet, SILENT, numbers)
    attempts = pod_explanation.numbered(again.scheduler.record.explanations)
    nodes = len(lived.scheduler.cache.columns)
    return pod_explanation.explanation(
        key, attempts, nodes, lived.stage, lived.scheduler, scheduler
    )


def live(
    loaded: LoadedManifests,
    settings: RunSettings,
    plan: LivingPlan,
    observer: Observer,
    explain_at: Collection[int] = (),
    *,
    halts: bool = True,
) -> Lived:
    """Let a cluster live as long as the plan says; unless it `halts`, it can go on after that.

    What is decided about its nodes is known if it is recorded, or can go on.
    """
    stage = stage_inputs.empty(loaded, settings.seed)
    recording = dataclasses.replace(settings, recording=Recording.DECISIONS)
    scheduler = run_settings.add_scheduler(stage, recording, explain_at, observer, is_paced=True)
    if plan.on_stage is not None:
        plan.on_stage(stage)
    first, rest = stage_inputs.split(loaded)
    there = stage_inputs.in_order(first, as_written=settings.as_written)
    stage_inputs.put(stage, loaded, there, is_new=stage_inputs.is_new)
    if plan.on_event is not None:
        stage.store.subscribe(event_changes.EventChanges(stage, plan.on_event))
    loops = stage.add_controllers(
        plan.controllers,
        traces_requests=plan.trace is not None,
        autoscalers={each.key: each.autoscaler for each in plan.autoscalers},
    )
    if plan.demands:
        SpreadUsage(plan.demands).follow(stage)
    recorder = _start_recorder(stage, plan.duration_ns) if plan.recorded else None
    nodes = None if recorder is None else recorder.node_decisions
    if nodes is None and not halts:
        nodes = NodeDecisionRecord(stage.clock)
        nodes.follow(stage.store, loops.node_decisions)
    refused: list[str] = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(collections.few_collections(collections.RARELY))
        if plan.trace is not None:
            from kubestage.results import trace

            shown = plan.traces_internal
            movements = trace.SqliteRecorder(plan.trace, seed=settings.seed, internal=shown)
            stage.environment.recorder = stack.enter_context(movements)
        runner = stack.enter_context(observer.watch_stage(stage, plan.duration_ns))
        stage.run(min(_SETTLING_NS, plan.duration_ns))
        stage_inputs.put(stage, loaded, rest, is_new=stage_inputs.is_new)
        for each in sorted(plan.later, key=lambda one: one.at_ns):
            if each.at_ns > stage.clock.now_ns:
                runner.run_until(each.at_ns)
            if recorder is not None and each.is_marked:
                recorder.mark(
                    marks.ACTION, "manifests", f"applied {later_steps.described(each.loaded)}"
                )
            refused += later_steps.apply(stage, each.loaded, as_written=settings.as_written)
        runner.run_until(plan.duration_ns)
        if halts:
            # Not earlier: a timer that is refused for the halt would look switched off meanwhile.
            stage.environment.halt(plan.duration_ns)
            stage.environment.run()
        assert stage.traffic is not None
        stage.traffic.report()
    record = None
    if recorder is not None:
        record = recorder.end(version=kubestage.__version__, seed=stage.seed)
    return Lived(stage, scheduler, record, refused, nodes)


def _start_recorder(stage: Stage, duration_ns: int) -> LifeRecorder:
    from kubestage.results.life import recorder

    started = recorder.LifeRecorder(
        stage.store, stage.environment, recorder.resolution_ns(duration_ns), stage
    )
    started.start()
    return started
