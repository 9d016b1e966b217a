"""``kubestage rehearse``: what a drain, an upgrade, an outage or growth would do to a cluster."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage import lazy
from kubestage.cli import failures, help_page, interruption, option_objects, progress, screen
from kubestage.cli.rehearse_report import FORMATS
from kubestage.runs.flags import START, Flag
from kubestage.runs.rehearse.options import (
    DrainOptions,
    FitOptions,
    GrowOptions,
    OutageOptions,
    RehearsalOptions,
    SurveyOptions,
    UpgradeOptions,
)

with lazy.imports():
    from kubestage.cli import rehearse_report
    from kubestage.runs import rehearse
    from kubestage.runs.rehearse import saving

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from kubestage.runs.rehearse.result import Rehearsed
    from kubestage.runs.rehearse.surveying import SurveyResult

HELP: Final = "Rehearse a drain, an upgrade, an outage or growth on a copy of a cluster."
_EXIT: Final = """
The cluster is that of -f: manifests, what `kubectl get -o yaml` wrote, or the directory of a run;
or that of --server. A copy of it runs until all is ready; then the rehearsal begins, and its time
counts from there. docs/rehearse.md is a cookbook.

Exit code: 0; 1 if the condition of --fail-if holds; 2 if something is wrong with the input.
"""
_DRAIN: Final = f"""
[bold]Examples[/bold]

kubestage rehearse drain node-1 -f cluster/ --ignore-daemonsets

kubestage rehearse drain all -f cluster.yaml --ignore-daemonsets --delete-emptydir-data

kubestage rehearse drain pool/old -f cluster/ --parallel 3 --fail-if '*.ready<1'

NODES are names, all, zone/b, pool/x or a selector such as disk=hdd.
{_EXIT}"""
_UPGRADE: Final = f"""
[bold]Examples[/bold]

kubestage rehearse upgrade all -f cluster/ --surge 2

kubestage rehearse upgrade workers -f cluster/ --max-unavailable 1 --soak 5m

kubestage rehearse upgrade all -f cluster/ --blue-green --fail-if 'seconds>2h'

A POOL is a NodeGroup, or what the labels of providers call a pool; names and selectors go, too.
{_EXIT}"""
_OUTAGE: Final = f"""
[bold]Examples[/bold]

kubestage rehearse outage zone/b -f cluster/

kubestage rehearse outage node/node-1 -f cluster/ --for 1h --fail-if 'web.ready<2'

kubestage rehearse outage zone/b -f cluster/ --for forever --out rehearsals/zone-b
{_EXIT}"""
_GROW: Final = f"""
[bold]Examples[/bold]

kubestage rehearse grow all=2x -f cluster/

kubestage rehearse grow deploy/web=3x sts/db=+2 -f cluster.yaml

kubestage rehearse grow -f cluster/ --add app.yaml --template workers

The number of nodes is searched by runs of the scheduler, and the run with one fewer does not fit.
{_EXIT}"""
_FIT: Final = f"""
[bold]Examples[/bold]

kubestage rehearse fit app.yaml -f cluster.yaml

kubestage rehearse fit app.yaml --server http://127.0.0.1:18080 --fail-if 'missing>0'
{_EXIT}"""
_ALL: Final = f"""
[bold]Examples[/bold]

kubestage rehearse all -f cluster.yaml

kubestage rehearse all -f cluster.yaml -o markdown --fail-if 'critical>0'

Each node is drained by itself, each zone and the fullest node fall silent, all nodes are replaced,
and all workloads grow to 1.5 and 2 times their replicas; each on a copy of the cluster.
{_EXIT}"""

application = help_page.Application(name="rehearse", help=HELP, no_args_is_help=True)

Cluster = Annotated[
    tuple[str, ...],
    Flag(
        "The cluster: manifests, a dump, or the directory of a run. Repeatable.",
        "-f",
        "--filename",
        metavar="FILE|DIR",
        after=START,
    ),
]
Output = Annotated[str, option_objects.output_flag(*FORMATS)]


def _words(metavar: str, about: str) -> object:
    return typer.Argument(metavar=metavar, help=about, show_default=False)


Nodes = Annotated[list[str], _words("NODES", "Names, all, zone/b, pool/x, or a selector.")]


@application.command("drain", epilog=_DRAIN)
@option_objects.command
def drain(
    chosen: Nodes, options: DrainOptions, filename: Cluster = (), output: Output = "table"
) -> int:
    """Drain nodes by kubectl's rules: who is in the way, and what is lost."""
    with _interruptible(options):
        result = rehearse.drain(filename or None, chosen, options, observer=progress.OBSERVER)
        return _show(result, options, output)


@application.command("upgrade", epilog=_UPGRADE)
@option_objects.command
def upgrade(
    pool: Annotated[list[str], _words("POOL", "A pool, all, names, or a selector.")],
    options: UpgradeOptions,
    filename: Cluster = (),
    output: Output = "table",
) -> int:
    """Replace nodes by new ones: how long it takes, and its worst moment."""
    with _interruptible(options):
        result = rehearse.upgrade(filename or None, pool, options, observer=progress.OBSERVER)
        return _show(result, options, output)


@application.command("outage", epilog=_OUTAGE)
@option_objects.command
def outage(
    chosen: Nodes, options: OutageOptions, filename: Cluster = (), output: Output = "table"
) -> int:
    """Have nodes fall silent and come back: what goes down, and when it is back."""
    with _interruptible(options):
        result = rehearse.outage(filename or None, chosen, options, observer=progress.OBSERVER)
        return _show(result, options, output)


@application.command("grow", epilog=_GROW)
@option_objects.command
def grow(
    options: GrowOptions,
    growths: Annotated[
        list[str] | None, _words("WORKLOAD=AMOUNT", "As in deploy/web=2x, sts/db=+3, all=2x.")
    ] = None,
    filename: Cluster = (),
    output: Output = "table",
) -> int:
    """Have workloads grow: what has no room, and how many nodes are enough."""
    with _interruptible(options):
        result = rehearse.grow(filename or None, growths or (), options, observer=progress.OBSERVER)
        return _show(result, options, output)


@application.command("fit", epilog=_FIT)
@option_objects.command
def fit(
    files: Annotated[list[str], _words("FILE", "The pods and workloads to try.")],
    options: FitOptions,
    filename: Cluster = (),
    output: Output = "table",
) -> int:
    """Try manifests: would they be placed now, where, and at whose expense?"""
    with _interruptible(options):
        result = rehearse.fit(filename or None, files, options, observer=progress.OBSERVER)
        return _show(result, options, output)


@application.command("all", epilog=_ALL)
@option_objects.command
def everything(options: SurveyOptions, filename: Cluster = (), output: Output = "table") -> int:
    """Rehearse all of that: findings by severity, to be read before a change."""
    with _interruptible(options):
        result = rehearse.survey(filename or None, options, observer=progress.OBSERVER)
        return _show(result, options, output)


def _interruptible(options: RehearsalOptions) -> AbstractContextManager[None]:
    saving.claim(options.out)
    left = "nothing was kept" if options.out is None else f"not written: {options.out}"
    return interruption.reporting(lambda: left)


def _show(result: Rehearsed | SurveyResult, options: RehearsalOptions, output: str) -> int:
    if options.out is not None:
        with interruption.deferred():
            saving.save(result, options.out)
    screen.write(rehearse_report.formatted(result, output))
    sys.stdout.flush()
    for note in result.notes:
        screen.note(f"Note: {note}")
    if options.out is not None:
        screen.note(f"Kept in {options.out}: open {options.out}/report.html")
    if not result.has_failed:
        return 0
    failures.print_error(f"{result.condition} holds: {result.answer}")
    return failures.NEGATIVE_RESULT
