"""``kubestage analyze``: what a run means, in numbers and pictures."""

from __future__ import annotations

import pathlib
import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage.cli import analyze_tables, completion
from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from altair.typing import ChartType

    from kubestage.results.analysis import Digest, Table

EPILOG: Final = f"""
[bold]Tables of a Scenario's run[/bold]

{analyze_tables.listed(analyze_tables.SCENARIO)}

[bold]Tables of a run with --for[/bold]

{analyze_tables.listed(analyze_tables.LIFE)}

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
FORMATS: Final = ("table", "wide", "csv", "json", "parquet")
WHATS: Final = (
    "summary",
    "steps",
    "allocation",
    "nodes",
    "pods",
    "pending",
    "balance",
    "fragmentation",
    "preemptions",
    "attempts",
    "timings",
)
_OF_STEPS: Final = ("allocation", "nodes", "balance", "fragmentation", "steps")
_EACH: Final = "attempt"

_Run = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="What `kubestage run --out` has written, or a Scenario with its status in a file.",
        show_default=False,
    ),
]
_What = Annotated[
    str,
    typer.Argument(
        metavar="WHAT",
        help="One of the tables below.",
        autocompletion=analyze_tables.words,
    ),
]
_Output = Annotated[str, completion.output_option(*FORMATS)]
_To = Annotated[
    str | None,
    typer.Option("--to", metavar="FILE", help="Write to this file, not to the terminal."),
]
_Charts = Annotated[
    str | None,
    typer.Option("--charts", metavar="DIR", help="Draw every chart into this directory."),
]
_Step = Annotated[
    int | None,
    typer.Option("--step", metavar="N", help="The run as it was at the end of this step."),
]
_By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="KEYS",
        help="What attempts are counted by: any of step, pod, profile, result, with commas "
        f"between; or {_EACH} for a row each.",
    ),
]


def analyze(
    run: _Run,
    what: _What = "summary",
    output: _Output = "table",
    to: _To = None,
    charts: _Charts = None,
    step: _Step = None,
    by: _By = None,
) -> None:
    """Tell what came of a run: how full, how even, who waited, who had to go; or draw it."""
    from kubestage.results import analysis, run_directory
    from kubestage.runs.inputs import file_kinds

    completion.check_choice(output, FORMATS)
    file_kinds.expect_run(run)
    if output == "parquet" and to is None:
        raise InputError("Parquet is not for terminals", path="-o parquet", fix="add --to FILE")
    if what == "timings":
        _analyze_timings(run, output, to, charts, step, by)
        return
    if run_directory.is_life(run):
        _analyze_life(run, what, output, to, charts, step, by)
        return
    completion.check_choice(what, WHATS, "WHAT")
    if by is not None and what != "attempts":
        raise InputError(
            "only attempts can be counted",
            path="--by",
            fix="write: kubestage analyze RUN attempts --by ...",
        )
    told = _digest(run, step)
    table = _table(told, what, by)
    if step is not None and what in _OF_STEPS:
        table = table.where(lambda row: row["step"] == step)
    if output == "parquet":
        assert to is not None
        analysis.write_parquet(table, to)
    else:
        _write(_text(told, table, what, output, run), to)
    if charts is not None:
        _draw(run, told, _place(charts))


def _analyze_life(
    run: str,
    what: str,
    output: str,
    to: str | None,
    charts: str | None,
    step: int | None,
    by: str | None,
) -> None:
    from kubestage.cli import life_analyze
    from kubestage.results import analysis

    life_analyze.check(step, by)
    told = life_analyze.written(run, what, output)
    if isinstance(told, str):
        _write(told, to)
    else:
        assert to is not None
        analysis.write_parquet(told, to)
    if charts is not None:
        place = life_analyze.place(charts)
        _save(life_analyze.charts(run), place)


def _analyze_timings(
    run: str, output: str, to: str | None, charts: str | None, step: int | None, by: str | None
) -> None:
    from kubestage.cli import timings_report
    from kubestage.results import analysis, timings
    from kubestage.results import charts as drawing

    for option, value in (("--step", step), ("--by", by)):
        if value is not None:
            raise InputError("durations are of the whole run", path=option, fix="leave it out")
    recorded = timings.read(run)
    table = timings.table(recorded)
    if output == "parquet":
        assert to is not None
        analysis.write_parquet(table, to)
    elif output in ("csv", "json"):
        _write(analysis.as_csv(table) if output == "csv" else analysis.as_json(table), to)
    else:
        _write(timings_report.as_text(recorded, wide=output == "wide"), to)
    if charts is not None:
        _save({"timings": drawing.timings(recorded)}, _place(charts))


def _digest(run: str, step: int | None) -> Digest:
    """The run as it was at the end of a step, or at its own."""
    from kubestage.results import analysis, run_directory

    with run_directory.open_run(run) as opened:
        try:
            scenario = opened.scenario
            return analysis.digest(scenario if step is None else analysis.until(scenario, step))
        except InputError as error:
            error.file = error.file or opened.name
            raise


def _table(told: Digest, what: str, by: str | None) -> Table:
    from kubestage.results import analysis

    if what == "attempts" and by is not None:
        keys = [key.strip() for key in by.split(",")]
        return analysis.attempt_log(told) if keys == [_EACH] else analysis.attempts(told, keys)
    tables: dict[str, Callable[[Digest], Table]] = {
        "summary": analysis.summary_table,
        "steps": analysis.by_step,
        "allocation": analysis.allocation,
        "nodes": analysis.node_utilization,
        "pods": analysis.by_pod,
        "pending": analysis.pending,
        "balance": analysis.balance,
        "fragmentation": analysis.fragmentation,
        "preemptions": analysis.preemptions,
        "attempts": analysis.attempts,
    }
    return tables[what](told)


def _text(told: Digest, table: Table, what: str, output: str, run: str) -> str:
    from kubestage.cli import analyze_report
    from kubestage.results import analysis

    if output == "csv":
        return analysis.as_csv(table)
    if output == "json":
        return analysis.summary_json(told) if what == "summary" else analysis.as_json(table)
    return analyze_report.as_text(told, table, what, run, wide=output == "wide")


def _write(text: str, to: str | None) -> None:
    if to is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        pathlib.Path(to).write_text(text, encoding="utf-8")


def _place(charts: str) -> pathlib.Path:
    """The directory that charts go to."""
    directory = pathlib.Path(charts)
    if directory.exists() and not directory.is_dir():
        raise InputError("is a file", path="--charts", file=charts, fix="name a directory")
    return directory


def _draw(run: str, told: Digest, directory: pathlib.Path) -> None:
    from kubestage.results import charts, timings

    drawn = charts.all(told)
    recorded = timings.beside(run)
    if recorded is not None:
        drawn["timings"] = charts.timings(recorded)
    _save(drawn, directory)


def _save(drawn: Mapping[str, ChartType], directory: pathlib.Path) -> None:
    from kubestage.cli import interruption, progress
    from kubestage.results import charts

    directory.mkdir(parents=True, exist_ok=True)
    done: list[str] = []
    with (
        progress.shown("drawing", len(drawn), at_least=1) as tell,
        interruption.telling(lambda: f"kept: {len(done)} of {len(drawn)} charts in {directory}"),
    ):
        for name, chart in drawn.items():
            with interruption.deferred():
                for suffix in ("png", "html"):
                    charts.save(chart, directory / f"{name}.{suffix}")
                done.append(name)
            tell(len(done))
    typer.echo(f"Drew {len(drawn)} charts, PNG and HTML, into {directory}", err=True)
