"""``kubestage run``: Scenarios or manifests in; what came of them out."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import Annotated, Final

import msgspec
import typer

from kubestage import lazy
from kubestage.cli import failures, log_lines, option_objects, progress
from kubestage.errors import InputError
from kubestage.runs.flags import Flag
from kubestage.runs.observer import Observer
from kubestage.runs.run_options import RunOptions
from kubestage.runs.shared_flags import STRATEGY_VARIABLE

with lazy.imports():
    from kubestage.cli import event_stream, run_output, run_page
    from kubestage.runs import run as runs

_LIVING: Final = "A living cluster"
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

kubestage run scenario.yaml --open              [dim]# then see it on the page[/dim]

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


@option_objects.command
def run(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|DIR|-",
            help="Scenarios, or the objects of a cluster: files, directories, or stdin.",
            show_default=False,
        ),
    ],
    options: RunOptions,
    opens: Annotated[
        bool,
        Flag("Show the run on the page afterwards, with its whole past.", "--open", after="out"),
    ] = False,
    require_all: Annotated[
        bool, Flag("Exit code 1 if a pod stays without a node.", after="out")
    ] = False,
    output: Annotated[
        str, option_objects.output_flag("table", "wide", "json", "yaml", after="explain")
    ] = "table",
    shows_all: Annotated[
        bool,
        Flag(
            "List all pods and workloads; by default those that need attention, and no more than "
            "20 of each.",
            "--all",
        ),
    ] = False,
    events: Annotated[
        bool, Flag("Print Events as they happen.", panel=_LIVING, after="at")
    ] = False,
    trace: Annotated[
        bool,
        Flag(
            "Print every movement of requests, replicas, pods, nodes and autoscalers.",
            panel=_LIVING,
            after="autoscalers",
        ),
    ] = False,
    log_level: Annotated[
        log_lines.Level | None,
        Flag(log_lines.HELP, metavar="LEVEL", panel=_LIVING, after="trace_internal"),
    ] = None,
) -> int:
    """Run Scenarios, or schedule the pods of manifests, or let a cluster live."""
    shown = run_output.Shown(output, shows_all)
    _check(options, shown, events=events, trace=trace, log_level=log_level)
    page = run_page.recorder() if opens else None
    with contextlib.ExitStack() as stack:
        stream = event_stream.EventStream(prints=not shown.is_data) if events else None
        trace_file = options.trace_out
        if trace and trace_file is None:
            trace_file = f"{stack.enter_context(tempfile.TemporaryDirectory())}/trace.sqlite"
        stack.enter_context(log_lines.printed(log_level))
        result = runs.run(
            files,
            _for_library(options, shown),
            # Events are printed where the view of the cluster would be.
            observer=progress.OBSERVER if stream is None else _Unwatched(),
            on_event=stream,
            trace_file=trace_file,
            on_stage=None if page is None else page.watch,
        )
        stack.callback(result.close)
        if trace and trace_file is not None:
            run_output.write_trace(trace_file)
        run_output.write(result, shown, [] if stream is None else stream.events, is_streamed=events)
    if page is not None:
        run_page.show(page, result, files)
    return _verdict(result.failure or (run_output.unfinished(result) if require_all else None))


def _verdict(problem: str | None) -> int:
    if problem is None:
        return 0
    failures.print_error(problem)
    return failures.NEGATIVE_RESULT


class _Unwatched(progress.TerminalObserver):
    """Writes notes, and shows no cluster."""

    watch_stage = Observer.watch_stage


def _check(
    options: RunOptions,
    shown: run_output.Shown,
    *,
    events: bool,
    trace: bool,
    log_level: str | None,
) -> None:
    """Refuse flags that contradict each other."""
    living = {"--events": events, "--trace": trace, "--log-level": log_level}
    unused = next((flag for flag, value in living.items() if value), None)
    if options.run_for is None and unused is not None:
        raise InputError(
            "has an effect only with --for",
            path=unused,
            fix="add --for 10m, or leave it out",
        )
    if trace and shown.is_data:
        fix = "keep it with --trace-out FILE, then: kubestage trace show FILE -o json"
        raise InputError(f"prints a table, which is not {shown.output}", path="--trace", fix=fix)


def _for_library(options: RunOptions, shown: run_output.Shown) -> RunOptions:
    """Options without what has no effect here: details that are not printed, and a strategy of the
    environment where there is no Scenario.
    """
    strategy = options.result_strategy
    if options.run_for is not None and os.environ.get(STRATEGY_VARIABLE) == strategy:
        strategy = "AtMovingNextStep"
    return msgspec.structs.replace(
        options, collects_explanations=shown.is_data, result_strategy=strategy
    )
