"""Run Scenarios, or schedule the pods of manifests, or let a cluster live: ``kubestage.run``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.runs import free_nodes, living, living_run, run_inputs, scenario_runs
from kubestage.runs.inputs import (
    plain_nodes,
    plugin_files,
    stage_inputs,
)
from kubestage.runs.observer import SILENT
from kubestage.runs.run_options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.living import EventListener
    from kubestage.runs.observer import Observer
    from kubestage.runs.run_result import RunResult
    from kubestage.runs.run_settings import RunSettings, SchedulerInputs
    from kubestage.stage import Stage

__all__ = ["run"]

_DEFAULT: Final = RunOptions()
# Options that have an effect only while time passes.
_LIVING: Final = ("at", "autoscalers", "trace_out", "trace_internal")


_WEBHOOKS: Final = frozenset({"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"})


def run(
    files: Files,
    options: RunOptions = _DEFAULT,
    *,
    observer: Observer = SILENT,
    on_event: EventListener | None = None,
    trace_file: str | None = None,
    on_stage: Callable[[Stage], None] | None = None,
) -> RunResult:
    """Run what files hold, and return the result.

    Scenarios run step by step (`ScenariosResult`). Plain manifests are created and scheduled
    (`ManifestsResult`). With `RunOptions.run_for` time passes, so that controllers, kubelets,
    Traffic and autoscalers run (`LivingResult`).

    `files` are names of files and directories. `on_event` is called with every change of an Event
    while a cluster runs. `trace_file` receives its movements if the options name no file for them.
    `on_stage` is called with each stage before anything happens on it.
    """
    ready = run_inputs.read(files, options, observer)
    loaded, settings, scheduler = ready.loaded, ready.settings, ready.scheduler
    with plugin_files.error_context(settings.plugins, settings.measures):
        result: RunResult
        if options.run_for is None:
            _refuse_living_options(options)
            result = scenario_runs.run(loaded, settings, scheduler, options, observer, on_stage)
        else:
            _refuse_scenario_options(options, trace_file)
            result = living_run.run(
                loaded,
                settings,
                scheduler,
                options,
                observer,
                on_event,
                trace_file,
                on_stage,
                ready.arrivals,
            )
    notes = [*ready.notes, *(note for each in loaded.imported for note in each.notes)]
    notes += _notes(loaded, settings, scheduler, options, observer)
    if options.reschedule is not None:
        notes.append(free_nodes.note(result.stage))
    return msgspec.structs.replace(result, notes=[*notes, *result.notes])


def check(files: Files, options: RunOptions = _DEFAULT) -> None:
    """Read and check what `run` would read, and run nothing."""
    ready = run_inputs.read(files, options, SILENT)
    if options.run_for is None:
        _refuse_living_options(options)
        scenario_runs.check(ready.loaded, ready.settings, options)
    else:
        _refuse_scenario_options(options, None)
        living_run.plan(ready.loaded, ready.settings, options, SILENT, None, ready.arrivals)


def _refuse_living_options(options: RunOptions) -> None:
    for name in _LIVING:
        if getattr(options, name):
            raise InputError(
                "has an effect only with --for",
                path=f"--{name.removesuffix('s').replace('_', '-')}",
                fix="add --for 10m, or leave it out",
            )


def _refuse_scenario_options(options: RunOptions, trace_file: str | None) -> None:
    if options.controllers is False:
        fix = "leave out --for: then only the scheduler runs"
        raise InputError("--for needs controllers", path="--no-controllers", fix=fix)
    if options.result_strategy != _DEFAULT.result_strategy:
        fix = "leave it out, or run a Scenario without --for"
        raise InputError("is for Scenarios", path="--result-strategy", fix=fix)
    if options.trace_internal and not (options.trace_out or trace_file):
        fix = "add --trace or --trace-out FILE"
        raise InputError("has an effect only with a trace", path="--trace-internal", fix=fix)


def _notes(
    loaded: LoadedManifests,
    settings: RunSettings,
    scheduler: SchedulerInputs,
    options: RunOptions,
    observer: Observer,
) -> Iterator[str]:
    """What the user may not have intended."""
    flags = scheduler.unused_flags()
    if flags:
        yield f"{', '.join(flags)} has no effect together with --config"
    unused = plugin_files.unused(settings.plugins, settings.configuration)
    if unused:
        yield f"no profile enables {', '.join(unused)}, so it is not used"
    kinds = sorted({str(each.object.get("kind")) for each in loaded.documents} & living.TIMED_KINDS)
    if kinds and options.run_for is None:
        yield f"{', '.join(kinds)} has no effect while no time passes; add --for 30m"
    hooks = sorted({str(each.object.get("kind")) for each in loaded.documents} & _WEBHOOKS)
    if hooks:
        yield f"{', '.join(hooks)} has no effect: a run has no network, and calls no webhooks"
    if not plain_nodes.are_missing([loaded]):
        return
    later = [each.partition("=")[2] for each in options.at]
    if not later or plain_nodes.are_missing(
        [loaded, stage_inputs.load(later, options.config, observer, takes_actions=True)]
    ):
        yield plain_nodes.NO_NODES
