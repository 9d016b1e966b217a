"""``kubestage load find-limit``: the highest load that still meets its goals."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from kubestage import lazy
from kubestage.cli import failures, interruption, load_messages, option_objects, screen
from kubestage.cli.load_flags import Output, ReportDirectory
from kubestage.runs.load.limit_options import LimitOptions
from kubestage.runs.load.options import LoadOptions

with lazy.imports():
    from kubestage.cli import load_limit_report, load_view
    from kubestage.runs.load import limit, limit_result, report_files

if TYPE_CHECKING:
    from kubestage.runs.load.limit import LimitSearch

EPILOG: Final = """
[bold]Examples[/bold]

kubestage load find-limit config.yaml --slo 'pod-startup-p99<=5s' --vary tuningSets.Uniform.qps

kubestage load find-limit config.yaml --slo 'api-call-p99<=1s' --slo 'scheduling-throughput>=50'
    --vary params.CL2_PODS_PER_NODE --from 10 --to 110 --report-dir limit

[bold]Goals[/bold] are pod-startup-p50, -p90 and -p99; api-call-p50, -p90 and -p99 (also with
-mutating, -read or -list at the end); scheduling-throughput; and METHOD.VERDICT for any row of the
table that `kubestage load` prints.

Loads are doubled until one misses, then the limit is closed in on. Each load is run with several
seeds; it counts as met if so many passes are unlikely to be random. See docs/find-limit.md.

A load on which seeds disagree is unsure: neither met nor missed. The last line states how long the
load lasts, and warns if its backlog still grows at the end.

Exit code: 0 if a limit was found, 1 if no load meets the goals, 2 if something is wrong with the
input.
"""


@option_objects.command
def find_limit(
    *,
    config: Annotated[
        str,
        typer.Argument(
            metavar="CONFIG", help="A configuration of ClusterLoader2.", show_default=False
        ),
    ],
    search: LimitOptions,
    report_dir: ReportDirectory = None,
    output: Output = "table",
    options: LoadOptions,
) -> int:
    """Search for the highest load that still meets its goals."""
    from kubestage.clusterloader.reading.problems import InvalidConfig

    options = msgspec.structs.replace(options, environment=dict(os.environ))
    try:
        ready = limit.LimitSearch(config, search, options, load_view.LimitObserver())
        return _search(ready, options, output, report_dir)
    except InvalidConfig as error:
        return load_messages.print_problems(error)


def _search(search: LimitSearch, options: LoadOptions, output: str, report_dir: str | None) -> int:
    with (
        limit_result.claim(report_dir) as directory,
        interruption.reporting(lambda: load_messages.missing(report_dir)),
    ):
        result = search.run()
        if directory is not None:
            with interruption.deferred():
                result.write(directory, report_files.command(options, sys.argv[1:]))
    screen.write(load_limit_report.formatted(result, output, report_dir))
    return failures.NEGATIVE_RESULT if result.limit is None else 0
