"""Run Scenarios, or schedule the pods of manifests, or let a cluster live: ``kubestage.run``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.runs import living, living_run, run_settings, scenario_runs
from kubestage.runs.inputs import plain_nodes, plugin_files, price_files, sources, stage_inputs
from kubestage.runs.observer import SILENT
from kubestage.runs.run_options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.living import EventListener
    from kubestage.runs.observer import Observer
    from kubestage.runs.run_result import RunResult
    from kubestage.runs.run_settings import RunSettings, SchedulerInputs

__all__ = ["run"]

_DEFAULT: Final = RunOptions()
# Options that have an effect only while time passes.
_LIVING: Final = ("at", "autoscalers", "trace_out", "trace_internal")


def run(
    files: Files,
    options: RunOptions = _DEFAULT,
    *,
    observer: Observer = SILENT,
    on_event: EventListener | None = None,
    trace_file: str | None = None,
) -> RunResult:
    """Run what files hold, and return the result.

    Scenarios run step by step (`ScenariosResult`). Plain manifests are created and scheduled
    (`ManifestsResult`). With `RunOptions.run_for` time passes, so that controllers, kubelets,
    Traffic and autoscalers run (`LivingResult`).

    `files` are names of files and directories. `on_event` is called with every change of an Event
    while a cluster runs. `trace_file` receives its movements if the options name no file for them.
    """
    values = run_settings.setting_values(
        options.settings,
        launch_delay=options.launch_delay,
        job_run_duration=options.run_duration,
        terminate_delay=options.terminate_delay,
    )
    loaded = stage_inputs.load(sources.file_names(files), options.config, observer)
    plain_nodes.add(loaded, options.nodes, options.node)
    price_notes = price_files.add(loaded, options.prices)
    settings, scheduler = run_settings.read_settings(options, values, loaded)
    with plugin_files.error_context(settings.plugins):
        result: RunResult
        if options.run_for is None:
            _refuse_living_options(options)
            result = scenario_runs.run(loaded, settings, scheduler, options, observer)
        else:
            _refuse_scenario_options(options, trace_file)
            result = living_run.run(
                loaded, settings, scheduler, options, observer, on_event, trace_file
            )
    notes = [*price_notes, *(note for each in loaded.imported for note in each.notes)]
    notes += _notes(loaded, settings, scheduler, options, observer)
    return msgspec.structs.replace(result, notes=[*notes, *result.notes])


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
    if not plain_nodes.are_missing([loaded]):
        return
    later = [each.partition("=")[2] for each in options.at]
    if not later or plain_nodes.are_missing(
        [loaded, stage_inputs.load(later, options.config, observer)]
    ):
        yield plain_nodes.NO_NODES
