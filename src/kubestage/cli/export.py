"""``kubestage export``: what has happened in a cluster, as a file for other programs."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from kubestage import lazy
from kubestage.cli import interruption, option_objects, progress, screen
from kubestage.errors import InputError
from kubestage.runs.export_options import ExportOptions
from kubestage.runs.flags import Flag
from kubestage.wording import few

with lazy.imports():
    from kubestage.runs import export as exports

EPILOG: Final = """
[bold]Examples[/bold]

kubestage export runs/first                      [dim]# writes first.perfetto.json.gz[/dim]

kubestage export runs/first -o trace.json --group-by workload

kubestage export --server http://127.0.0.1:18080 -o trace.json.gz

kubestage export runs/first -o - | gzip > trace.json.gz

The run is one of run, rehearse, load or compare, as for `kubestage open`. Open the file at
https://ui.perfetto.dev: it stays in your browser. A process is a node or a workload, a thread
a lane of pods, a slice a pod with its phases. Attempts, preemptions, evictions and restarts are
instants; pending pods, requested shares of nodes and replicas are counters.

The objects of a served cluster are exported by GET /kubestage/v1/export, and tables of a run by
`kubestage analyze -o csv`.

Exit code: 0; 2 if there is no such run or server.
"""
_STDOUT: Final = "-"
_VIEWER: Final = "https://ui.perfetto.dev"

_Run = Annotated[
    str | None,
    typer.Argument(
        metavar="[RUN]",
        help="The directory of a kept run: of run, rehearse, load or compare.",
        show_default=False,
    ),
]
_Out = Annotated[
    str | None,
    Flag(
        "Where to write it, compressed if the name ends with .gz; - for the standard output.",
        "-o",
        "--out",
        metavar="FILE",
        default="NAME.perfetto.json.gz",
    ),
]


@option_objects.command
def export(options: ExportOptions, run: _Run = None, out: _Out = None) -> int:
    """Export the lives of pods as a trace for Perfetto's viewer."""
    if (run is None) == (options.server is None and options.kubeconfig is None):
        problem = "no run is named" if run is None else "a run and a server are named"
        fix = "name the directory of a run, or --server URL"
        raise InputError(problem, path="RUN", fix=fix)
    with interruption.reporting(lambda: "nothing was written"):
        traces = _traces(options, run)
    if out is not None and len(traces) > 1:
        names = few(each.name for each in traces)
        fix = "leave out -o, so that each gets a file of its own, or name the directory of one"
        raise InputError(f"holds {len(traces)} runs: {names}", file=run, fix=fix)
    for each in traces:
        if out == _STDOUT:
            screen.write_data(each.encoded().decode())
            continue
        file = out or f"{each.name}{exports.SUFFIX}"
        with interruption.deferred():
            each.save(file)
        screen.write(f"{file}: {each.headline()}; open it at {_VIEWER}\n")
    return 0


def _traces(options: ExportOptions, run: str | None) -> list[exports.Trace]:
    if run is None:
        return [
            exports.perfetto_of_server(
                options.server, options.kubeconfig, group_by=options.group_by
            )
        ]
    return exports.perfetto_of_each(run, group_by=options.group_by, observer=progress.OBSERVER)
