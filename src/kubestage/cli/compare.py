"""``kubestage compare``: runs, or configurations on one input, side by side."""

from __future__ import annotations

import contextlib
import pathlib
import shutil
import sys
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from kubestage import lazy
from kubestage.cli import failures, interruption, option_objects, progress, screen
from kubestage.errors import InputError
from kubestage.runs import recorded_files
from kubestage.runs.compare_options import CompareOptions
from kubestage.runs.flags import Flag

with lazy.imports():
    from kubestage.cli import compare_verdict
    from kubestage.files import writing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.results.comparison import Worse
    from kubestage.runs.compare import ComparedLives, ComparedRuns

FORMATS: Final = ("table", "markdown", "json", "csv")
MARKDOWN: Final = "markdown"
EPILOG: Final = """
[bold]Examples[/bold]

kubestage compare scenario.yaml --config default --config mine.yaml

kubestage compare cluster/ --config a.yaml --config b.yaml --config c.yaml --between 2 3

kubestage compare rec/ --config default --config packing.yaml  [dim]# a recording, replayed[/dim]

kubestage compare cluster/ --nodepools now.yaml --nodepools new.yaml --for 24h --seeds 5

kubestage compare runs/before runs/after           [dim]# what `kubestage run --out` has kept[/dim]

kubestage compare runs/before runs/after --all     [dim]# every pod that ended differently[/dim]

kubestage compare scenario.yaml --config default --config mine.yaml \\
  --plugin mine.py:Mine --fail-if-worse            [dim]# for CI: exit 1 if it is[/dim]

kubestage compare scenario.yaml --config default --config mine.yaml --timings

kubestage compare runs/* -o csv > runs.csv

kubestage compare runs/before runs/after -o markdown --junit compare.xml    [dim]# for CI[/dim]

The first one is what the others are measured by; `--config default` is kube-scheduler's own.

--fail-if-worse looks at scheduled, pending, preempted and stddev, or at each --metric; with
--nodepools at cost, nodesRemoved, podsMoved and pendingSeconds.

Exit code: 0; 1 if --fail-if-worse found a run that is; 2 if something is wrong with the input.
"""

_Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...|FILE...",
        help="Two or more runs; or, with --config or --nodepools, what to run; or a recording.",
        show_default=False,
    ),
]
_Metrics = Annotated[
    tuple[str, ...],
    Flag(
        "What must not be worse, as in pending or stddev.cpu. Repeatable.",
        "--metric",
        metavar="METRIC",
    ),
]
_Output = Annotated[
    str,
    Flag(
        "table, markdown, json or csv.",
        "-o",
        metavar="FORMAT",
        choices=FORMATS,
        noun="output format",
    ),
]


@option_objects.command
def compare(
    inputs: _Inputs,
    options: CompareOptions,
    show_all: Annotated[
        bool, Flag("Name every pod that ended differently.", "--all", after="between")
    ] = False,
    fail_if_worse: Annotated[
        bool, Flag("Exit code 1 if a run is worse than the first.", after="top")
    ] = False,
    metric: _Metrics = (),
    output: _Output = "table",
    junit: Annotated[
        str | None,
        Flag("Write JUnit XML to this file: a test for each measure.", metavar="FILE"),
    ] = None,
    charts: Annotated[
        str | None, Flag("Draw the comparison into this directory.", metavar="DIR")
    ] = None,
) -> int:
    """Put runs, or one input under several scheduler configurations, side by side."""
    from kubestage.cli import compare_report
    from kubestage.runs import compare as comparing

    if metric and not (fail_if_worse or junit is not None or output == MARKDOWN):
        fix = "add it, or --junit FILE, or -o markdown"
        raise InputError("means something only with --fail-if-worse", path="--metric", fix=fix)
    options = msgspec.structs.replace(options, explains=output not in ("csv", MARKDOWN))
    if charts is not None and pathlib.Path(charts).is_file():
        # What takes long is not begun in vain.
        raise InputError("is a file", path="--charts", file=charts, fix="name a directory")
    are_kept = not (options.configs or options.nodepools)
    with recorded_files.error_context(*inputs) if are_kept else contextlib.nullcontext():
        compared = comparing.compare(inputs, options, progress.OBSERVER)
        if isinstance(compared, comparing.ComparedLives):
            _write_junit(compared, junit, metric)
            return _report_lives(compared, output, charts, metric, fail_if_worse=fail_if_worse)
        _write_junit(compared, junit, metric)
        worse: list[Worse] = []
        if fail_if_worse:
            figures = compared.comparison
            worse = _worse(lambda: figures.worse(metric) if metric else figures.worse())
        width = shutil.get_terminal_size().columns
        layout = compare_report.CompareLayout(shows_all=show_all, top=options.top, width=width)
        if output == MARKDOWN:
            screen.write(compare_verdict.markdown(compared, metric))
        else:
            screen.write(compare_report.text(compared, output, layout, worse))
        sys.stdout.flush()
        if charts is not None:
            _draw(compared, charts)
    for note in (*compared.notes, *compared.explanation_notes):
        screen.note(f"Note: {note}")
    return _verdict(worse, compared.names[0], compare_report.against_first)


def _report_lives(
    compared: ComparedLives,
    output: str,
    charts: str | None,
    metrics: Sequence[str],
    *,
    fail_if_worse: bool,
) -> int:
    from kubestage.cli import life_compare

    worse = _worse(lambda: compared.worse(metrics or None)) if fail_if_worse else []
    if output == MARKDOWN:
        screen.write(compare_verdict.markdown(compared, metrics))
    else:
        screen.write(life_compare.text(compared, output))
    sys.stdout.flush()
    if charts is not None:
        _draw(compared, charts)
    for note in compared.notes:
        screen.note(f"Note: {note}")
    return _verdict(worse, compared.names[0], life_compare.against_first)


def _write_junit(
    compared: ComparedRuns | ComparedLives, path: str | None, metrics: Sequence[str]
) -> None:
    if path is not None:
        text = compare_verdict.junit(compared, metrics)
        with interruption.deferred():
            writing.write(path, text)


def _worse(find: Callable[[], list[Worse]]) -> list[Worse]:
    try:
        return find()
    except InputError as error:
        error.path = "--metric"
        raise


def _draw(compared: ComparedRuns | ComparedLives, directory: str) -> None:
    from kubestage.results import charts
    from kubestage.runs import interruption

    drawn = compared.charts()
    place = pathlib.Path(directory)
    with interruption.deferred(progress.OBSERVER):
        place.mkdir(parents=True, exist_ok=True)
        for name, chart in drawn.items():
            for suffix in ("png", "html"):
                charts.save(chart, place / f"{name}.{suffix}")
    for name in drawn:
        screen.note(f"Drew {name}.png and {name}.html into {place}")


def _verdict(worse: Sequence[Worse], first: str, describe: Callable[[Worse], str]) -> int:
    if not worse:
        return 0
    found = "; ".join(f"{each.run}: {describe(each)}" for each in worse)
    failures.print_error(f"worse than {first}: {found}")
    return failures.NEGATIVE_RESULT
