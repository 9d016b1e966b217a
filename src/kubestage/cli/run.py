"""``kubestage run``: Scenarios or manifests in; what came of them out."""

from __future__ import annotations

import dataclasses
import os
import sys
from typing import TYPE_CHECKING, Any, Final

import typer

from kubestage.cli import completion, failures, node_options, timing_options
from kubestage.cli import run_options as options
from kubestage.errors import InputError
from kubestage.runs.inputs import node_shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.cli.running import Ended, Settings, Wanted
    from kubestage.runs.inputs.loading import Loaded

_TIMED: Final = {"HorizontalPodAutoscaler", "NodeGroup", "Traffic", "VerticalPodAutoscaler"}
_DELAYS: Final = ("launch_delay", "job_run_duration", "terminate_delay")
# What means something only while time passes.
_LIVING: Final = (
    "--at",
    "--autoscaler",
    "--events",
    "--trace",
    "--trace-out",
    "--trace-internal",
    "--log-level",
)
EPILOG: Final = """
[bold]Examples[/bold]

kubestage run scenario.yaml --out runs/first    [dim]# step by step; then open the report[/dim]

kubestage run cluster/                          [dim]# manifests: who goes where[/dim]

kubestage run web.yaml --nodes 5                [dim]# nodes for pods that come without any[/dim]

kubestage run cluster/ -o wide --require-all    [dim]# exit 1 if a pod stays pending[/dim]

kubestage run cluster/ --config scheduler.yaml --plugin my_plugin.py:MyPlugin

kubestage run cluster/ --explain shop/web-1     [dim]# why there and not elsewhere[/dim]

kubectl get nodes,pods,pv,pvc,sc,pdb -A -o json | kubestage run -

kubestage run cluster/ --for 10m                [dim]# let the cluster live[/dim]

kubestage run cluster/ --for 1h --at 5m=v2.yaml --events

kubestage run web.yaml hpa.yaml traffic.yaml --for 30m --out runs/load

kubestage run shop/ --for 30m --setting hpa.sync-period=30s

kubestage run scenario.yaml --timings --out runs/1   [dim]# time per attempt and plugin[/dim]

kubestage run shop/ --for 30m --autoscaler predictive.py:Predictive

A Scenario's events run step by step, with scheduling to the end in each: see docs/scenarios.md.

Plain manifests are created, scheduled, and done; --for lets time pass, so that controllers,
kubelets, Traffic and autoscalers (HPA, VPA, node groups) are at work: see docs/traffic.md.
docs/settings.md lists what --setting takes.

Exports and recordings of kube-scheduler-simulator are read as well.

Exit code: 0 if all went through; 1 if a Scenario failed, or --require-all found a pod without a
node; 2 if something is wrong with the input.
"""


def run(
    files: options.Files,
    config: options.Config = None,
    plugin: options.Plugins = None,
    seed: options.Seed = 0,
    tie_break: options.TieBreak = "heap",
    detail: options.Detail = "decisions",
    out: options.Out = None,
    require_all: options.RequireAll = False,
    explain: options.Explain = None,
    output: options.Output = "table",
    shows_all: options.All = False,
    controllers: options.Controllers = None,
    result_strategy: options.ResultStrategy = "AtMovingNextStep",
    as_written: options.AsWritten = False,
    result_annotations: options.ResultAnnotations = False,
    run_for: options.For = None,
    at: options.At = None,
    events: options.Events = False,
    launch_delay: options.LaunchDelay = None,
    run_duration: options.RunDuration = None,
    terminate_delay: options.TerminateDelay = None,
    setting: options.Setting = None,
    autoscaler: options.Autoscalers = None,
    trace: options.Trace = False,
    nodes: node_options.Nodes = None,
    node: node_options.Node = node_shape.DEFAULT,
    trace_out: options.TraceOut = None,
    timings: timing_options.Timings = False,
    profile: timing_options.Profile = None,
    trace_internal: options.TraceInternal = False,
    log_level: options.LogLevel = None,
    scheduler_name: options.SchedulerName = None,
    algorithm_provider: options.AlgorithmProvider = None,
    hard_pod_affinity_symmetric_weight: options.HardWeight = None,
) -> int:
    """Run Scenarios, or schedule the pods of manifests, or let a cluster live."""
    from kubestage.cli import running
    from kubestage.runs.inputs import config_file, plugin_files
    from kubestage.scheduler.selection import TieBreak

    _check_choices(output, tie_break, detail, result_strategy)
    flags = config_file.Flags(
        scheduler_name, algorithm_provider, hard_pod_affinity_symmetric_weight
    )
    given = (at, autoscaler, events, trace, trace_out, trace_internal, log_level)
    life = dict(zip(_LIVING, given, strict=True))
    delays = (launch_delay, run_duration, terminate_delay)
    laws = running.laws(setting, **dict(zip(_DELAYS, delays, strict=True)))
    loaded = _loaded(files, config, nodes, node)
    configuration = config_file.load(config, flags, loaded.imported)
    plugins = plugin_files.load(plugin or (), configuration)
    completed = config_file.check(configuration, plugins, config)
    settings = running.Settings(configuration, plugins, seed, TieBreak(tie_break), laws=laws)
    settings = dataclasses.replace(
        settings, as_written=as_written, annotates_results=result_annotations
    )
    settings = timing_options.timed(settings, profile, is_measured=timings)
    text = config_file.text_of(config, flags, loaded.imported)
    wanted = running.Wanted(
        output, shows_all, detail, explain, out, config, text, flags, plugin or (), completed
    )
    with plugin_files.blaming(plugins):
        ended = _play(loaded, settings, wanted, run_for, life, controllers, result_strategy)
    missing = () if run_for is not None else _timeless(loaded)
    notes = (*_notes(wanted, settings), *missing, *_nodeless(loaded, at or (), config))
    _conclude(ended, output, loaded, notes)
    return _code(ended.failure or (ended.left if require_all else None))


def _check_choices(output: str, tie_break: str, detail: str, strategy: str) -> None:
    completion.check_choice(output, options.FORMATS)
    completion.check_choice(tie_break, options.TIE_BREAKS, "tie break")
    completion.check_choice(detail, options.DETAILS, "detail")
    completion.check_choice(strategy, options.STRATEGIES, _origin(strategy))


def _loaded(files: Sequence[str], config: str | None, nodes: int | None, node: str) -> Loaded:
    """What files have, and the nodes that were asked for."""
    from kubestage.runs.inputs import plain_nodes, staging

    loaded = staging.load(files, config)
    plain_nodes.add(loaded, nodes, node)
    return loaded


def _play(
    loaded: Loaded,
    settings: Settings,
    wanted: Wanted,
    run_for: str | None,
    life: Mapping[str, Any],
    controllers: bool | None,
    strategy: str,
) -> Ended:
    """Let time pass for as long as was asked for, or run Scenarios to their end."""
    from kubestage.cli import run_life, run_scenarios

    if run_for is not None:
        _refuse_with_time(controllers, strategy)
        return run_life.run(loaded, settings, wanted, run_for, life)
    _refuse_without_time(life)
    return run_scenarios.run(loaded, settings, wanted, is_alive=controllers, strategy=strategy)


def _conclude(ended: Ended, output: str, loaded: Loaded, notes: Sequence[str]) -> None:
    """Print how long scheduling took, then what a person may not have meant, or has to know."""
    if ended.timings is not None and output in ("table", "wide"):
        from kubestage.cli import timings_report

        sys.stdout.write(timings_report.summary(ended.timings))
    sys.stdout.flush()
    imported = (note for each in loaded.imported for note in each.notes)
    for note in (*imported, *notes, *ended.notes):
        typer.echo(f"Note: {note}", err=True)


def _code(problem: str | None) -> int:
    if problem is None:
        return 0
    failures.tell(problem)
    return failures.NOT_AS_WANTED


def _origin(strategy: str) -> str:
    """Where a strategy comes from: a variable is easily forgotten."""
    is_variable = os.environ.get(options.STRATEGY_VARIABLE) == strategy
    return options.STRATEGY_VARIABLE if is_variable else "result strategy"


def _refuse_with_time(controllers: bool | None, strategy: str) -> None:
    if controllers is False:
        fix = "leave out --for: then only the scheduler is at work"
        raise InputError("nothing lives without controllers", path="--no-controllers", fix=fix)
    if strategy != options.STRATEGIES[0] and _origin(strategy) != options.STRATEGY_VARIABLE:
        fix = "leave it out, or run a Scenario without --for"
        raise InputError("is for Scenarios", path="--result-strategy", fix=fix)


def _refuse_without_time(life: Mapping[str, Any]) -> None:
    given = next((option for option, value in life.items() if value), None)
    if given is not None:
        raise InputError(
            "means something only while the cluster lives",
            path=given,
            fix="add --for 10m, or leave it out",
        )


def _timeless(loaded: Loaded) -> Iterator[str]:
    """What does nothing as long as no time passes."""
    kinds = sorted({str(each.object.get("kind")) for each in loaded.documents} & _TIMED)
    if kinds:
        yield f"{', '.join(kinds)}: nothing comes of it while no time passes; add --for 30m"


def _nodeless(loaded: Loaded, later: Sequence[str], config: str | None) -> Iterator[str]:
    """That nothing can be scheduled."""
    from kubestage.runs.inputs import plain_nodes, staging

    if not plain_nodes.are_missing([loaded]):
        return
    files = [each.partition("=")[2] for each in later]
    if not files or plain_nodes.are_missing([loaded, staging.load(files, config)]):
        yield plain_nodes.NO_NODES


def _notes(wanted: Wanted, settings: Settings) -> Iterator[str]:
    """What a person may not have meant."""
    from kubestage.runs.inputs import plugin_files

    if wanted.config is not None and wanted.flags.given:
        yield f"{', '.join(wanted.flags.given)} has no effect together with --config"
    unused = plugin_files.unused(settings.plugins, settings.configuration)
    if unused:
        yield f"no profile enables {', '.join(unused)}, so it takes no part"
