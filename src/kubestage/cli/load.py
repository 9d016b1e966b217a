"""``kubestage load``: run a load on a stage or on a real cluster, and evaluate it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from kubestage import lazy
from kubestage.cli import (
    completion,
    failures,
    help_page,
    interruption,
    load_find_limit,
    load_group,
    load_messages,
    option_objects,
    progress,
    screen,
)
from kubestage.cli.load_flags import Output, ReportDirectory
from kubestage.runs.flags import Flag
from kubestage.runs.load.options import LoadOptions

with lazy.imports():
    from kubestage.cli import load_plan, load_report, load_view
    from kubestage.runs.load import load_test, measurement_files, planning, report_files, running

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.measure.registry import Registry
    from kubestage.runs.load.load_test import LoadTest

HELP: Final = "Run a load (ClusterLoader2) on a stage in virtual time, or on a real cluster."
EPILOG: Final = """
[bold]Examples[/bold]

kubestage load config.yaml --dry-run                     [dim]# what would it do?[/dim]

kubestage load config.yaml --nodes 100 --report-dir out  [dim]# in virtual time[/dim]

kubestage load config.yaml --stage cluster.yaml --profile gce-5000

kubestage load config.yaml --kubeconfig ~/.kube/config   [dim]# the real thing[/dim]

CL2_QPS=50 kubestage load config.yaml --testoverrides small.yaml

kubestage load suite.yaml                                [dim]# one test after the other[/dim]

[bold]How much can the cluster take?[/bold]

kubestage load find-limit config.yaml --slo 'pod-startup-p99<=5s' --vary tuningSets.Uniform.qps

Variables CL2_* are parameters of templates, as in ClusterLoader2. docs/load.md is the guide.

Exit code: 0 if no test failed, 1 if one failed, 2 if something is wrong with the input, 130 if
it was interrupted: everything is cleaned up then, unless Ctrl-C is pressed a second time. A test
that measured nothing fails with --strict.
"""

application = help_page.Application(name="load", help=HELP, cls=load_group.LoadGroup)
application.command("find-limit", cls=load_group.LoadCommand, epilog=load_find_limit.EPILOG)(
    load_find_limit.find_limit
)


def _commands(incomplete: str) -> list[str]:
    """The command beside configurations; with nothing typed yet a shell is to offer files."""
    return completion.one_of("find-limit")(incomplete) if incomplete else []


Configs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CONFIG...",
        help="Configurations of ClusterLoader2, in either spelling, or suites of them.",
        show_default=False,
        autocompletion=_commands,
    ),
]


@application.command(load_group.USUAL, cls=load_group.UsualCommand, epilog=EPILOG, hidden=True)
@option_objects.command
def load(
    *,
    configs: Configs = None,
    test_configs: Annotated[
        tuple[str, ...],
        Flag(
            "A configuration, as ClusterLoader2 names it. Repeatable.",
            "--testconfig",
            metavar="FILE",
        ),
    ] = (),
    suites: Annotated[
        tuple[str, ...],
        Flag("A suite. Repeatable.", "--suite", "--testsuite", metavar="FILE"),
    ] = (),
    report_dir: ReportDirectory = None,
    dry_run: Annotated[
        bool, Flag("Check everything and show the plan; no cluster is needed.")
    ] = False,
    strict: Annotated[
        bool,
        Flag(
            "Unknown keys, skipped measurements, verdicts without samples, programs without a "
            "model and leftovers fail."
        ),
    ] = False,
    output: Output = "table",
    list_methods: Annotated[bool, Flag("List all measurements, and exit.")] = False,
    options: LoadOptions,
    allow_exec: Annotated[
        bool,
        Flag(
            "Let Exec run commands on this machine.",
            panel="What the configuration says",
            after="prometheus_url",
        ),
    ] = False,
) -> int:
    """Run a load on a stage in virtual time, or on a real cluster in real time."""
    options = msgspec.structs.replace(
        options, is_strict=strict, is_exec_allowed=allow_exec, environment=dict(os.environ)
    )
    from kubestage.clusterloader.reading.problems import InvalidConfig

    options.check()
    registry = measurement_files.registry(options.measurements)
    if list_methods:
        screen.write(measurement_files.listed(registry))
        return 0
    tests = load_test.find((*(configs or ()), *test_configs), suites)
    try:
        if dry_run:
            return _plan(tests, options, registry, output)
        return _run(tests, options, registry, output, report_dir)
    except InvalidConfig as error:
        return load_messages.print_problems(error)


def _plan(tests: Sequence[LoadTest], options: LoadOptions, registry: Registry, output: str) -> int:
    planned = planning.plan_load(tests, options, registry=registry, observer=progress.OBSERVER)
    screen.write(load_plan.formatted(planned, output))
    return 0 if all(each.is_sound for each in planned) else failures.BAD_INPUT


def _run(
    tests: Sequence[LoadTest],
    options: LoadOptions,
    registry: Registry,
    output: str,
    report_dir: str | None,
) -> int:
    options = msgspec.structs.replace(options, keeps_history=report_dir is not None)
    with (
        report_files.claim(report_dir) as directory,
        interruption.reporting(lambda: load_messages.missing(report_dir)),
    ):
        results = running.load(tests, options, registry=registry, observer=load_view.observer())
        # Printed before it is saved: if a report cannot be written, a long run is not lost.
        screen.write(load_report.formatted(results, output, report_dir))
        sys.stdout.flush()
        if directory is not None:
            command = report_files.command(options, sys.argv[1:])
            with interruption.deferred():
                results.write(directory, command)
    if results.is_interrupted:
        load_messages.print_interrupted(report_dir, results)
        return failures.INTERRUPTED
    return failures.NEGATIVE_RESULT if results.failed else 0
