"""``kubestage run``: manifests in; placements out, or a life of some length."""

from __future__ import annotations

import dataclasses
import shutil
import sys
from typing import TYPE_CHECKING, Any, Final

import typer

from kubestage.cli import completion, failures
from kubestage.cli import run_options as options
from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kubestage.cli.config_file import Flags
    from kubestage.cli.living import Life
    from kubestage.cli.loading import Loaded
    from kubestage.cli.running import Outcome, Settings
    from kubestage.scheduler.config import Completed

EPILOG: Final = """
[bold]Examples[/bold]

kubestage run cluster/                          [dim]# who goes where[/dim]

kubestage run cluster/ -o wide --require-all    [dim]# exit 1 if a pod stays pending[/dim]

kubestage run cluster/ --config scheduler.yaml --plugin my_plugin.py:MyPlugin

kubestage run cluster/ --explain shop/web-1     [dim]# why there and not elsewhere[/dim]

kubectl get nodes,pods,pv,pvc,sc,pdb -A -o json | kubestage run -

kubestage run cluster/ --for 10m                [dim]# controllers and kubelets at work[/dim]

kubestage run cluster/ --for 1h --at 5m=v2.yaml --events

Pods without spec.nodeName are scheduled as kube-scheduler v1.36 would; all others are there.

With --for, workloads make pods, pods start and end, nodes fail: see docs/controllers.md.
"""
_NAMED: Final = 3
_JOBS: Final = "--run-duration"


def run(
    files: options.Files,
    config: options.Config = None,
    plugin: options.Plugins = None,
    seed: options.Seed = 0,
    tie_break: options.TieBreak = "heap",
    require_all: options.RequireAll = False,
    explain: options.Explain = None,
    output: options.Output = "table",
    recording: options.Recording = "decisions",
    run_for: options.For = None,
    at: options.At = None,
    events: options.Events = False,
    launch_delay: options.LaunchDelay = None,
    run_duration: options.RunDuration = None,
    terminate_delay: options.TerminateDelay = None,
    trace_out: options.TraceOut = None,
    scheduler_name: options.SchedulerName = None,
    algorithm_provider: options.AlgorithmProvider = None,
    hard_pod_affinity_symmetric_weight: options.HardWeight = None,
) -> int:
    """Schedule the pods of manifests and print who goes where, or let the cluster live."""
    from kubestage.cli import config_file, plugin_files, running, staging
    from kubestage.scheduler.record import Recording
    from kubestage.scheduler.selection import TieBreak

    completion.check_choice(output, options.FORMATS)
    completion.check_choice(tie_break, options.TIE_BREAKS, "tie break")
    completion.check_choice(recording, options.RECORDINGS, "recording")
    flags = config_file.Flags(
        scheduler_name, algorithm_provider, hard_pod_affinity_symmetric_weight
    )
    life = {
        "--at": at,
        "--events": events,
        "--launch-delay": launch_delay,
        _JOBS: run_duration,
        "--terminate-delay": terminate_delay,
        "--trace-out": trace_out,
    }
    if run_for is None:
        _refuse_without_time(life)
    configuration = config_file.load(config, flags)
    plugins = plugin_files.load(plugin or (), configuration)
    completed = config_file.check(configuration, plugins, config)
    loaded = staging.load(files, config)
    settings = running.Settings(
        configuration, plugins, seed, TieBreak(tie_break), Recording(recording)
    )
    with plugin_files.blaming(plugins):
        if run_for is not None:
            wanted = _Wanted(run_for, config, explain, output, completed)
            told, code = _live(loaded, settings, wanted, life)
            childless, idle = [], staging.autoscalers(loaded)
        else:
            outcome = running.run(loaded, settings, explain)
            told, code = _told(outcome, output, completed), _without_node(outcome)
            childless, idle = outcome.childless, []
    sys.stdout.write(told)
    sys.stdout.flush()
    unused = plugin_files.unused(plugins, configuration)
    for note in (*_notes(childless, config, flags, unused), *map(_no_autoscaler, idle)):
        typer.echo(f"Note: {note}", err=True)
    if not require_all or code is None:
        return 0
    failures.tell(code)
    return failures.NOT_AS_WANTED


@dataclasses.dataclass(frozen=True, slots=True)
class _Wanted:
    """What a person asked of a living cluster."""

    run_for: str
    config: str | None
    explain: str | None
    output: str
    completed: Completed


def _refuse_without_time(life: Mapping[str, Any]) -> None:
    given = next((option for option, value in life.items() if value), None)
    if given is not None:
        raise InputError(
            "means something only while the cluster lives",
            path=given,
            fix="add --for 10m, or leave it out",
        )


def _live(
    loaded: Loaded, settings: Settings, wanted: _Wanted, life: Mapping[str, Any]
) -> tuple[str, str | None]:
    """What to print of a living cluster, and what is not as it should be at the end."""
    from kubestage.cli import event_stream, life_report, living, printing

    machine = wanted.output in ("json", "yaml")
    stream = event_stream.EventStream(prints=not machine) if life["--events"] else None
    plan = living.Plan(
        living.duration(wanted.run_for),
        [living.later(each, wanted.config) for each in life["--at"] or ()],
        living.controller_settings(
            launch_delay=life["--launch-delay"],
            job_run_duration=life[_JOBS],
            terminate_delay=life["--terminate-delay"],
        ),
        stream,
        life["--trace-out"],
        watched=stream is None,
    )
    lived = living.run(loaded, settings, plan, wanted.explain)
    left = life_report.unfinished(lived.stage)
    problem = f"{len(left)} pod{'' if len(left) == 1 else 's'} not running" if left else None
    if machine:
        told = life_report.as_dict(lived.stage, stream.told if stream is not None else [])
        shown = printing.as_json(told) if wanted.output == "json" else printing.as_yaml(told)
        return shown, problem
    if lived.explained is not None:
        return _explained(lived, wanted.completed), problem
    text = life_report.as_table(lived.stage, wide=wanted.output == "wide")
    return f"\n{text}" if stream is not None else text, problem


def _explained(lived: Life, completed: Completed) -> str:
    """Why a pod of a living cluster went where it went."""
    from kubestage.cli import explaining, placements

    assert lived.explained is not None
    placement = placements.of_pod(lived.explained, lived.stage, lived.scheduler)
    return _lines(
        explaining.explain(
            placement,
            lived.explanations,
            _weights(completed).get(placement.profile, {}),
            len(lived.scheduler.cache.columns),
            shutil.get_terminal_size().columns,
        )
    )


def _weights(completed: Completed) -> dict[str, Any]:
    return {each.scheduler_name: each.weights["score"] for each in completed.profiles}


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _told(outcome: Outcome, output: str, completed: Completed) -> str:
    from kubestage.cli import explaining, printing, run_report

    if output in ("json", "yaml"):
        told = run_report.as_dict(outcome)
        return printing.as_json(told) if output == "json" else printing.as_yaml(told)
    if outcome.explained is None:
        return run_report.as_table(outcome, wide=output == "wide")
    placement = outcome.placement_of(outcome.explained)
    return _lines(
        explaining.explain(
            placement,
            outcome.explanations or (),
            _weights(completed).get(placement.profile, {}),
            outcome.summary.nodes,
            shutil.get_terminal_size().columns,
        )
    )


def _notes(
    childless: Sequence[str], config: str | None, flags: Flags, unused: Sequence[str]
) -> Iterator[str]:
    """What a person may not have meant."""
    if config is not None and flags.given:
        yield f"{', '.join(flags.given)} has no effect together with --config"
    if unused:
        yield f"no profile enables {', '.join(unused)}, so it takes no part"
    if childless:
        shown = ", ".join(childless[:_NAMED])
        more = len(childless) - _NAMED
        names = f"{shown} and {more} more" if more > 0 else shown
        yield f"no pods of {names} are given, and none are made: with --for 10m they would be"


def _no_autoscaler(name: str) -> str:
    return f"{name} has no effect: autoscalers do not run yet"


def _without_node(outcome: Outcome) -> str | None:
    from kubestage.cli import placements

    counts = outcome.summary.counts
    left = counts[placements.PENDING] + counts[placements.GATED]
    return f"{left} pod{'' if left == 1 else 's'} without a node" if left else None
