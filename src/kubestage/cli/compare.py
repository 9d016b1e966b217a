"""``kubestage compare``: runs, or configurations on one input, side by side."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage.cli import completion, failures, timing_options
from kubestage.cli import run_options as options
from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.cli.compare_runs import Contender, Rules
    from kubestage.results.comparison import Comparison, Worse


FORMATS: Final = ("table", "json", "csv")
EPILOG: Final = """
[bold]Examples[/bold]

kubestage compare scenario.yaml --config default --config mine.yaml

kubestage compare cluster/ --config a.yaml --config b.yaml --config c.yaml --between 2 3

kubestage compare runs/before runs/after           [dim]# what `kubestage run --out` has kept[/dim]

kubestage compare runs/before runs/after --all     [dim]# every pod that ended otherwise[/dim]

kubestage compare scenario.yaml --config default --config mine.yaml \\
  --plugin mine.py:Mine --fail-if-worse            [dim]# for CI: exit 1 if it is[/dim]

kubestage compare scenario.yaml --config default --config mine.yaml --timings

kubestage compare runs/* -o csv > runs.csv

The first one is what the others are measured by; `--config default` is kube-scheduler's own.

--fail-if-worse looks at scheduled, pending, preempted and stddev, or at each --metric.

Exit code: 0; 1 if --fail-if-worse found a run that is; 2 if something is wrong with the input.
"""

_Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...|FILE...",
        help="Two or more runs; or, with --config, a Scenario or manifests to run.",
        show_default=False,
    ),
]
_Configs = Annotated[
    list[str] | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="A scheduler configuration to run the input with, or the word default. Repeatable.",
    ),
]
_Between = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--between",
        metavar="A B",
        help="Tell what changed between these two, by name or number; else the first and each.",
    ),
]
_All = Annotated[bool, typer.Option("--all", help="Name every pod that ended otherwise.")]
_Top = Annotated[
    int, typer.Option("--top", metavar="N", min=1, help="Show the scores of the best N nodes.")
]
_Fail = Annotated[
    bool, typer.Option("--fail-if-worse", help="Exit code 1 if a run is worse than the first.")
]
_Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="METRIC",
        help="What must not be worse, as in pending or stddev.cpu. Repeatable.",
    ),
]
_Charts = Annotated[
    str | None,
    typer.Option("--charts", metavar="DIR", help="Draw the comparison into this directory."),
]


def compare(
    inputs: _Inputs,
    config: _Configs = None,
    between: _Between = None,
    show_all: _All = False,
    top: _Top = 5,
    fail_if_worse: _Fail = False,
    metric: _Metrics = None,
    output: Annotated[str, completion.output_option(*FORMATS)] = "table",
    charts: _Charts = None,
    plugin: options.Plugins = None,
    seed: options.Seed = 0,
    tie_break: options.TieBreak = "heap",
    controllers: options.Controllers = None,
    timings: timing_options.Timings = False,
    profile: timing_options.Profile = None,
) -> int:
    """Put runs, or one input under several scheduler configurations, side by side."""
    from kubestage.cli import compare_report, compare_runs
    from kubestage.results import comparison

    completion.check_choice(output, FORMATS)
    completion.check_choice(tie_break, options.TIE_BREAKS, "tie break")
    if metric and not fail_if_worse:
        raise InputError("means something only with --fail-if-worse", path="--metric", fix="add it")
    plane = timing_options.control_plane(profile, is_measured=timings)
    stopwatch = time.perf_counter_ns if timings else None
    rules = compare_runs.Rules(plugin or (), seed, tie_break, controllers, stopwatch, plane)
    _check(inputs, config, rules)
    if config is None and _are_lives(inputs):
        return _compare_lives(inputs, output, metric, fail_if_worse, charts)
    with _contenders(inputs, config, rules) as contenders:
        compared = comparison.compare(
            [comparison.Named(each.name, each.told) for each in contenders]
        )
        worse = _worse(compared, metric) if fail_if_worse else []
        notes = list(_notes(contenders))
        width = shutil.get_terminal_size().columns
        pairs = _pairs(compared.names, between)
        asked = compare_report.Asked(output, pairs, show_all, top, width)
        notes += compare_report.write(contenders, compared, asked, notes, worse)
    sys.stdout.flush()
    if charts is not None:
        _draw(compared, contenders, charts)
    for note in notes:
        typer.echo(f"Note: {note}", err=True)
    return _verdict(worse, compared.names[0])


def _check(inputs: Sequence[str], config: Sequence[str] | None, rules: Rules) -> None:
    if config is None:
        if len(inputs) < 2:
            raise InputError(
                "one run is nothing to compare",
                fix="name two or more runs, or one Scenario with --config default --config MINE",
            )
        given = [] if not rules.plugins else ["--plugin"]
        given += [] if not rules.seed else ["--seed"]
        given += [] if rules.is_alive is None else ["--controllers"]
        given += [] if rules.stopwatch is None else ["--timings"]
        given += [] if rules.control_plane is None else ["--profile"]
        if given:
            raise InputError(
                "has no effect on runs that are over",
                path=given[0],
                fix="leave it out, or give --config",
            )
    elif len(config) < 2:
        raise InputError(
            "one configuration is nothing to compare",
            path="--config",
            fix=f"add another: --config default --config {config[0]}",
        )


def _are_lives(inputs: Sequence[str]) -> bool:
    from kubestage.cli import life_compare

    return life_compare.is_meant(inputs)


def _compare_lives(
    inputs: Sequence[str],
    output: str,
    metric: Sequence[str] | None,
    fail_if_worse: bool,
    charts: str | None,
) -> int:
    from kubestage.cli import life_compare

    if charts is not None:
        fix = "draw each of them: kubestage analyze RUN --charts DIR"
        raise InputError("living runs are not drawn side by side", path="--charts", fix=fix)
    return life_compare.compare(inputs, output, metric, fail_if_worse=fail_if_worse)


@contextlib.contextmanager
def _contenders(
    inputs: Sequence[str], config: Sequence[str] | None, rules: Rules
) -> Iterator[list[Contender]]:
    from kubestage.cli import compare_runs

    if config is None:
        with compare_runs.kept(inputs) as found:
            yield found
    else:
        yield compare_runs.made(inputs, config, rules)


def _pairs(names: Sequence[str], between: tuple[str, str] | None) -> list[tuple[int, int]]:
    """Which runs are to be told apart, by position."""
    if between is None:
        return [(0, at) for at in range(1, len(names))]
    first, second = (_position(names, each) for each in between)
    return [(first, second)]


def _position(names: Sequence[str], wanted: str) -> int:
    if wanted in names:
        return names.index(wanted)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    known = ", ".join(f"{at} {name}" for at, name in enumerate(names, 1))
    raise InputError(f'there is no run "{wanted}"', path="--between", fix=f"there are {known}")


def _notes(contenders: Sequence[Contender]) -> Iterator[str]:
    """What a person should know before they draw conclusions."""
    from kubestage.results import comparison

    for each in contenders:
        status = each.scenario.get("status") or {}
        if status.get("phase") == "Failed":
            yield f"{each.name} failed: {status.get('message')}"
    first, *others = contenders
    for other in others:
        told = comparison.differing_inputs(first.scenario, other.scenario)
        if told is not None:
            yield f"the inputs of {first.name} and {other.name} differ: {told}"
        for what, value in other.conditions.items():
            before = first.conditions.get(what)
            if value != before:
                yield f"{first.name} and {other.name} differ in {what}: {before} and {value}"


def _worse(compared: Comparison, metrics: Sequence[str] | None) -> list[Worse]:
    from kubestage.results import comparison

    try:
        return compared.worse(metrics or comparison.DEFAULT_CHECKS)
    except InputError as error:
        error.path = "--metric"
        raise


def _draw(compared: Comparison, contenders: Sequence[Contender], directory: str) -> None:
    import pathlib

    from kubestage.cli import interruption
    from kubestage.results import charts

    # Says what to install if there is nothing to draw with.
    save = charts.save
    from kubestage.results.charts import comparison

    place = pathlib.Path(directory)
    if place.exists() and not place.is_dir():
        raise InputError("is a file", path="--charts", file=directory, fix="name a directory")
    drawn = {"comparison": comparison.side_by_side(compared)}
    known = [each.timings for each in contenders if each.timings is not None]
    if len(known) == len(contenders):
        drawn["timings"] = charts.compared_timings(compared.names, known)
    with interruption.deferred():
        place.mkdir(parents=True, exist_ok=True)
        for name, chart in drawn.items():
            for suffix in ("png", "html"):
                save(chart, place / f"{name}.{suffix}")
    for name in drawn:
        typer.echo(f"Drew {name}.png and {name}.html into {place}", err=True)


def _verdict(worse: Sequence[Worse], first: str) -> int:
    if not worse:
        return 0
    from kubestage.cli import compare_table

    told = "; ".join(f"{each.run}: {compare_table.against_first(each)}" for each in worse)
    failures.tell(f"worse than {first}: {told}")
    return failures.NOT_AS_WANTED
