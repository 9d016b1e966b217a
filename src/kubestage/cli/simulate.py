"""``kubestage simulate``: run a model of stocks and movements, and show what moved."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from kubestage.cli import log_lines, option_objects, screen, trace_table
from kubestage.errors import InputError
from kubestage.runs import shared_flags
from kubestage.runs.flags import Flag

if TYPE_CHECKING:
    from kubestage.sim import Environment, Recorder

EPILOG: Final = """
[bold]Examples[/bold]

kubestage simulate examples/02-queue/main.py --for 1h --seed 7

kubestage simulate examples/02-queue/main.py --for 10s --trace --entity customer-3

kubestage simulate model.py:build_small --for 30m --trace-out run.sqlite --ignored

FILE.py defines build(environment, streams), which puts stocks and movements into the Environment.
"""
Collisions = Literal["ordered", "ignored"]


@option_objects.command
def simulate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py[:NAME]",
            help="The file, and the function in it that builds the model (build).",
            show_default=False,
        ),
    ],
    run_for: Annotated[
        str, Flag("Simulated time, as in 1h30m.", "--for", metavar="DURATION")
    ] = "10m",
    seed: shared_flags.Seed = 0,
    trace: Annotated[bool, Flag("Print the movements.")] = False,
    ignored: Annotated[bool, Flag("Print the movements that did not happen, and why.")] = False,
    internal: Annotated[
        bool, Flag("Internal timers too, in --trace and its file.", "--trace-internal")
    ] = False,
    kind: trace_table.Kind = None,
    entity: trace_table.Entity = None,
    stock: trace_table.Stock = None,
    trace_out: Annotated[
        str | None, Flag("Save the trace in this SQLite file.", metavar="FILE")
    ] = None,
    collisions: Annotated[
        Collisions,
        Flag("What becomes of a second movement for one nanosecond.", noun="rule for collisions"),
    ] = "ordered",
    log_level: log_lines.LogLevel = None,
) -> None:
    """Run a model written in Python through simulated time and print what moved."""
    duration_ns = _duration(run_for)
    with tempfile.TemporaryDirectory() as folder:
        is_traced = trace or ignored or trace_out is not None
        path = (trace_out or f"{folder}/trace.sqlite") if is_traced else None
        with log_lines.printed(log_level):
            environment = _run(model, duration_ns, seed, collisions, path, internal=internal)
        _print_summary(environment, seed)
        if path is not None:
            from kubestage.results import trace as traces

            read = functools.partial(traces.read_trace, path, kind=kind, entity=entity, stock=stock)
            if trace:
                screen.write("\n")
                trace_table.print_trace(traces.COLUMNS, read)
            if ignored:
                screen.write("\n")
                ignored_too = functools.partial(read, ignored=True)
                trace_table.print_trace(traces.IGNORED_COLUMNS, ignored_too)


def _duration(text: str) -> int:
    from kubestage.golang import durations

    fix = "write it as in 10m, 1h30m or 500ms"
    try:
        duration_ns = durations.parse_duration(text)
    except ValueError as error:
        raise InputError(str(error), path="--for", fix=fix) from None
    if duration_ns < 1:
        raise InputError("a run takes some time", path="--for", fix=fix)
    return duration_ns


def _run(
    model: str,
    halt_time: int,
    seed: int,
    collisions: Collisions,
    path: str | None,
    *,
    internal: bool,
) -> Environment:
    from kubestage import sim
    from kubestage.results import trace
    from kubestage.runs.inputs import model_file, python_file

    loaded = model_file.load(model)
    with contextlib.ExitStack() as stack:
        recorder: Recorder = sim.CountsOnly()
        if path is not None:
            saving = trace.SqliteRecorder(path, name=model, seed=seed, internal=internal)
            recorder = stack.enter_context(saving)
        environment = sim.Environment(halt_time, collisions=collisions, recorder=recorder)
        with python_file.error_context(loaded.path):
            loaded.build(environment, sim.Streams(seed))
            environment.run()
    return environment


def _print_summary(environment: Environment, seed: int) -> None:
    from kubestage.golang import durations

    simulated = durations.go_string(environment.current_movement_time)
    counts = f"{environment.completed_count} completed, {environment.ignored_count} ignored"
    screen.write(f"Simulated {simulated} with seed {seed}. Movements: {counts}.\n")
    stocks = [
        (model.name, stock.name, stock.kind_stocked, str(stock.count))
        for model in environment.models.values()
        for stock in model.stocks.values()
    ]
    if stocks:
        screen.write("\n")
        trace_table.print_table(("model", "stock", "kind", "count"), lambda: stocks)
