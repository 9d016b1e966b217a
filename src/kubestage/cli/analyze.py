"""``kubestage analyze``: what a run means, in numbers and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage import lazy
from kubestage.cli import option_objects
from kubestage.errors import InputError
from kubestage.runs import recorded_files
from kubestage.runs.analyze_options import AnalyzeOptions
from kubestage.runs.flags import START, Flag

with lazy.imports():
    from kubestage.cli import analyze_output
    from kubestage.runs import analyze as analyzing
    from kubestage.runs.inputs import file_kinds

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMATS: Final = ("table", "wide", "csv", "json", "parquet")


def _listed(tables: Mapping[str, str]) -> str:
    """A paragraph of the help with a line for each table."""
    return "\n".join(f"  {name:15}  {about}" for name, about in tables.items())


_EPILOG: Final = """
[bold]Tables of a Scenario's run[/bold]

{scenario}

[bold]Tables of a run with --for[/bold]

{life}

[bold]Examples[/bold]

kubestage run scenario.yaml --out runs/1       [dim]# make a run to look at[/dim]

kubestage analyze runs/1                       [dim]# the run in a few numbers[/dim]

kubestage analyze runs/1 nodes --step 3        [dim]# how full nodes were then[/dim]

kubestage analyze runs/1 pending               [dim]# who waited, and why[/dim]

kubestage analyze runs/1 pods -o wide          [dim]# every column[/dim]

kubestage analyze runs/1 attempts --by pod,result

kubestage analyze runs/1 timings               [dim]# of runs with --timings or --profile[/dim]

kubestage analyze runs/1 pods -o csv > pods.csv

kubestage analyze runs/1 nodes -o parquet --to nodes.parquet

kubestage analyze runs/1 --charts pictures/    [dim]# every chart, PNG and HTML[/dim]

In csv, json and parquet, CPU is in thousandths, memory in bytes, rates are shares of 1.

docs/analysis.md explains every column, and how to compute values of your own in Python.

Exit code: 0, or 2 if the run or the request cannot be read.
"""


def epilog() -> str:
    """The text below the options, with a line for each table."""
    return _EPILOG.format(
        scenario=_listed(analyzing.scenario_tables_listed()),
        life=_listed(analyzing.life_tables_listed()),
    )


def _words(incomplete: str) -> list[tuple[str, str]]:
    """What a shell offers in the place of a table, with what each has."""
    known = {**analyzing.life_tables_listed(), **analyzing.scenario_tables_listed()}
    return [(name, about) for name, about in known.items() if name.startswith(incomplete)]


@option_objects.command
def analyze(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="What `kubestage run --out` has written, or a Scenario with its status in a file.",
            show_default=False,
        ),
    ],
    options: AnalyzeOptions,
    what: Annotated[
        str,
        typer.Argument(metavar="WHAT", help="One of the tables below.", autocompletion=_words),
    ] = "summary",
    output: Annotated[
        str,
        Flag(
            "table, wide, csv, json or parquet.",
            "-o",
            metavar="FORMAT",
            choices=FORMATS,
            noun="output format",
            after=START,
        ),
    ] = "table",
    to: Annotated[
        str | None, Flag("Write to this file, not to the terminal.", metavar="FILE")
    ] = None,
    charts: Annotated[
        str | None, Flag("Draw every chart into this directory.", metavar="DIR")
    ] = None,
) -> int:
    """Show the results of a run: allocation, balance, pending and preempted pods; or draw them."""
    file_kinds.expect_run(run)
    if output == "parquet" and to is None:
        raise InputError("Parquet is not for terminals", path="-o parquet", fix="add --to FILE")
    with recorded_files.error_context(run):
        found = analyzing.analyze(run, what, options)
        analyze_output.write(found, run, output, to)
        if charts is not None:
            analyze_output.draw(found, run, options, charts)
    return 0
