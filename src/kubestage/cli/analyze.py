"""``kubestage analyze``: what a run means, in numbers and pictures."""

from __future__ import annotations

import pathlib
import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage.cli import (
    analyze_report,
    life_analyze,
    option_objects,
    progress,
    screen,
    timings_report,
)
from kubestage.errors import InputError
from kubestage.files import writing
from kubestage.results import analysis
from kubestage.results import charts as drawing
from kubestage.results.life.life import Life
from kubestage.results.timings import RecordedTimings
from kubestage.runs import analyze as analyzing
from kubestage.runs import interruption, recorded_files
from kubestage.runs.analyze_options import AnalyzeOptions
from kubestage.runs.flags import START, Flag
from kubestage.runs.inputs import file_kinds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from altair.typing import ChartType

    from kubestage.runs.analyze import AnalyzedTable

FORMATS: Final = ("table", "wide", "csv", "json", "parquet")


def _listed(tables: Mapping[str, str]) -> str:
    """A paragraph of the help with a line for each table."""
    return "\n".join(f"  {name:15}  {about}" for name, about in tables.items())


EPILOG: Final = f"""
[bold]Tables of a Scenario's run[/bold]

{_listed(analyzing.scenario_tables_listed())}

[bold]Tables of a run with --for[/bold]

{_listed(analyzing.life_tables_listed())}

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
    """Tell what came of a run: how full, how even, who waited, who had to go; or draw it."""
    file_kinds.expect_run(run)
    if output == "parquet" and to is None:
        raise InputError("Parquet is not for terminals", path="-o parquet", fix="add --to FILE")
    with recorded_files.error_context(run):
        found = analyzing.analyze(run, what, options)
        if output == "parquet":
            assert to is not None
            life_analyze.check_format(found, output)
            analysis.write_parquet(found.data, to)
        else:
            _write(_text(found, output, run), to)
        if charts is not None:
            place = _place(charts)
            is_timings = isinstance(found.source, RecordedTimings)
            drawn = {"timings": found.chart()} if is_timings else analyzing.all_charts(run, options)
            _save(drawn, place)
    return 0


def _text(found: AnalyzedTable, output: str, run: str) -> str:
    if isinstance(found.source, Life):
        return life_analyze.text(found, found.source, output)
    if output == "csv":
        return analysis.as_csv(found.data)
    if output == "json":
        if isinstance(found.source, analysis.Digest) and found.name == "summary":
            return analysis.summary_json(found.source)
        return analysis.as_json(found.data)
    wide = output == "wide"
    if isinstance(found.source, RecordedTimings):
        return timings_report.as_text(found.source, wide=wide)
    return analyze_report.as_text(found.source, found.data, found.name, run, wide=wide)


def _write(text: str, to: str | None) -> None:
    if to is None:
        screen.write(text)
        sys.stdout.flush()
    else:
        writing.write(to, text)


def _place(charts: str) -> pathlib.Path:
    """The directory that charts go to."""
    directory = pathlib.Path(charts)
    if directory.exists() and not directory.is_dir():
        raise InputError("is a file", path="--charts", file=charts, fix="name a directory")
    return directory


def _save(drawn: Mapping[str, ChartType], directory: pathlib.Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    done: list[str] = []
    observer = progress.OBSERVER
    with (
        observer.progress("drawing", len(drawn), noticeable=1) as advance,
        interruption.reporting(lambda: f"kept: {len(done)} of {len(drawn)} charts in {directory}"),
    ):
        for name, chart in drawn.items():
            with interruption.deferred(observer):
                for suffix in ("png", "html"):
                    drawing.save(chart, directory / f"{name}.{suffix}")
                done.append(name)
            advance(len(done))
    screen.note(f"Drew {len(drawn)} charts, PNG and HTML, into {directory}")
