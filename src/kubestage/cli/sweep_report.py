"""``kubestage sweep report``: what the runs of a sweep say together."""

from __future__ import annotations

import pathlib
import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage import lazy
from kubestage.cli import failures, interruption, option_objects, progress, screen
from kubestage.errors import InputError
from kubestage.runs.flags import Flag
from kubestage.sweep.report.options import ReportOptions

with lazy.imports():
    from kubestage.results import charts as drawn_charts
    from kubestage.sweep import results, store
    from kubestage.sweep.report import axis_names, documents, page
    from kubestage.sweep.report import sweep_report as reporting
    from kubestage.sweep.report.charts import drawing

if TYPE_CHECKING:
    from kubestage.cli.help_page import Application
    from kubestage.sweep.report.sweep_report import SweepReport

NAME: Final = "report"
FORMATS: Final = ("table", "json", "markdown", "csv")
EPILOG: Final = """
[bold]Examples[/bold]

kubestage sweep report sweeps/1

kubestage sweep report sweeps/1 --measures cost,pending --against nodes=20

kubestage sweep report sweeps/1 --html              [dim]# writes sweeps/1/report.html[/dim]

kubestage sweep report sweeps/1 --fail-if 'pending>5 or worse(cost)'     [dim]# for CI[/dim]

kubestage sweep report sweeps/1 -o csv > report.csv

Every setting has the mean of each measure with its interval, and the difference to the first
setting (or --against), [bold]paired by seed[/bold]: what a seed does to both cancels out. The
verdict is better, worse, same (no difference beyond --margin), or undecided, with an estimate of
how many more seeds decide it. docs/sweep-statistics.md states every procedure.

--fail-if compares means: pending>5. It also knows low(pending) and high(pending), the ends of
intervals, worse(cost), better(cost), undecided(cost), and failed>0; joined by and, or.

Exit code: 0; 1 if the condition of --fail-if holds; 2 if something is wrong with the input.
"""


@option_objects.command
def report(
    directory: Annotated[
        str,
        typer.Argument(
            metavar="DIR",
            help="What `kubestage sweep --out` has written, complete or not.",
            show_default=False,
        ),
    ],
    options: ReportOptions,
    output: Annotated[str, option_objects.output_flag(*FORMATS)] = "table",
    html: Annotated[bool, Flag("Write report.html into the directory.")] = False,
    charts: Annotated[
        str | None, Flag("Draw all charts into this directory.", metavar="DIR")
    ] = None,
) -> int:
    """Compare the settings of a sweep: means, intervals, verdicts, effects, fronts."""
    table = results.open(directory)
    looks = store.about(results.file_in(directory)).get("looks", "0")
    found = reporting.report(table, options, looks=int(looks))
    screen.write_data(documents.formatted(found, output))
    sys.stdout.flush()
    if not results.is_complete(directory):
        screen.note(f"Note: the sweep is not complete: kubestage sweep --resume --out {directory}")
    if html:
        place = pathlib.Path(directory)
        place = (place if place.is_dir() else place.parent) / "report.html"
        with interruption.deferred():
            page.write(place, found, pathlib.Path(directory).resolve().name)
        screen.note(f"Wrote {place}")
    if charts is not None:
        _draw(found, charts)
    return _verdict(found)


def _draw(found: SweepReport, directory: str) -> None:
    place = pathlib.Path(directory)
    if place.exists() and not place.is_dir():
        raise InputError("is a file", path="--charts", file=directory, fix="name a directory")
    drawn = drawing.of_report(found)
    place.mkdir(parents=True, exist_ok=True)
    with progress.OBSERVER.progress("drawing", len(drawn), noticeable=1) as advance:
        for done, (name, chart) in enumerate(drawn.items(), 1):
            with interruption.deferred():
                for suffix in ("png", "html"):
                    drawn_charts.save(chart, place / f"{name}.{suffix}")
            advance(done)
    screen.note(f"Drew {len(drawn)} charts, PNG and HTML, into {place}")


def _verdict(found: SweepReport) -> int:
    if not found.failing:
        return 0
    first = axis_names.label(found.settings[found.failing[0]], found.source.axes)
    more = f" and {len(found.failing) - 1} more settings" if len(found.failing) > 1 else ""
    failures.print_error(f"{found.options.fail_if} holds at {first}{more}")
    return failures.NEGATIVE_RESULT


def register(application: Application) -> None:
    """Add the command to the group of ``kubestage sweep``."""
    application.command(NAME, epilog=EPILOG)(report)
