from __future__ import annotations

import pathlib
import textwrap
from typing import TYPE_CHECKING

import pytest

from kubestage.results import trace

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

MODEL = """
    from kubestage.sim import Arrivals, ArrayStock, Constant, Entity, Model, Movement, SinkStock

    def build(environment, streams):
        shop = Model(environment, "shop")
        hall = shop.own(ArrayStock("Hall", "Visitor"))
        street = shop.own(SinkStock("Street", "Visitor"))
        Arrivals(environment, "Door", "Visitor", Entity, hall, Constant(2_000_000_000))
        environment.add_to_schedule(Movement("leave", 5_000_000_000, hall, street, notes="early"))
        environment.add_to_schedule(Movement("leave", 1, hall, street))
        environment.add_to_schedule(Movement("leave", 1, hall, street))

    def build_luck(environment, streams):
        hall = Model(environment, "luck").own(ArrayStock("Hall", "Visitor"))
        for number in range(streams.stream("luck").randrange(1000)):
            hall.add(Entity(f"visitor-{number}", "Visitor"))
"""


def write(text: str, name: str = "model.py") -> None:
    pathlib.Path(name).write_text(textwrap.dedent(text))


def test_a_run_is_summed_up_with_its_stocks(terminal: Terminal) -> None:
    write(MODEL)
    result = terminal.run("simulate", "model.py", "--for", "10s", "--seed", "7")
    assert (result.code, result.err) == (0, "")
    assert result.out == textwrap.dedent(
        """\
        Simulated 10s with seed 7. Movements: 7 completed, 3 ignored.

        MODEL   STOCK    KIND      COUNT
        shop    Hall     Visitor   3
        shop    Street   Visitor   1
        """
    )


def test_the_trace_is_printed_as_a_table(terminal: Terminal) -> None:
    write(MODEL)
    result = terminal.run("simulate", "model.py", "--for", "5500ms", "--trace")
    assert result.out.split("\n\n")[2] == textwrap.dedent(
        """\
        TIME (S)      MOVEMENT            ENTITY       FROM              TO                NOTES
        0.000000000   start_to_running    scenario-1   BeforeScenario    RunningScenario
        2.000000000   arrive              visitor-1    Door              Hall
        4.000000000   arrive              visitor-2    Door              Hall
        5.000000000   leave               visitor-1    Hall              Street            early
        5.500000000   running_to_halted   scenario-1   RunningScenario   HaltedScenario
        """
    )


def test_ignored_movements_are_printed_with_their_reasons(terminal: Terminal) -> None:
    write(MODEL)
    result = terminal.run("simulate", "model.py", "--for", "5500ms", "--ignored")
    late = "scheduled at or after the halt, known at 4.000000000"
    assert result.out.split("\n\n")[2].splitlines() == [
        "TIME (S)      MOVEMENT   ENTITY   FROM   TO       NOTES   REASON",
        "0.000000001   leave               Hall   Street           from-stock was empty",
        "0.000000001   leave               Hall   Street           from-stock was empty",
        f"6.000000000   arrive              Door   Hall             {late}",
    ]


def test_collisions_can_be_ignored(terminal: Terminal) -> None:
    write(MODEL)
    result = terminal.run("simulate", "model.py", "--ignored", "--collisions", "ignored")
    assert "another movement has this time" in result.out


@pytest.mark.parametrize(
    ("option", "value", "kept"),
    [("--kind", "leave", 1), ("--entity", "visitor-1", 2), ("--stock", "Hall", 3)],
)
def test_the_trace_is_filtered(terminal: Terminal, option: str, value: str, kept: int) -> None:
    write(MODEL)
    result = terminal.run("simulate", "model.py", "--for", "5500ms", "--trace", option, value)
    assert len(result.out.split("\n\n")[2].splitlines()) == 1 + kept


def test_the_trace_is_kept_in_a_file_run_by_run(terminal: Terminal) -> None:
    write(MODEL)
    for seed in ("1", "2"):
        terminal.run("simulate", "model.py", "--seed", seed, "--trace-out", "runs.sqlite")
    assert [run.seed for run in trace.read_runs("runs.sqlite")] == ["1", "2"]
    assert len(list(trace.read_trace("runs.sqlite"))) == 302


def test_the_seed_decides_and_another_function_can_be_named(terminal: Terminal) -> None:
    write(MODEL)
    first, again, other = (
        terminal.run("simulate", "model.py:build_luck", "--seed", seed).out.splitlines()[-1]
        for seed in ("1", "1", "2")
    )
    assert first == again != other


def test_a_model_may_import_its_neighbours(terminal: Terminal) -> None:
    write("SECONDS = 3", "neighbour_of_model.py")
    write("import neighbour_of_model\ndef build(environment, streams): environment.halt(5)")
    result = terminal.run("simulate", "model.py", "--for", "1s")
    assert result.out == "Simulated 5ns with seed 0. Movements: 2 completed, 0 ignored.\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("def build(:", "model.py:1: SyntaxError: invalid syntax"),
        ("x = 1\ny = x / 0", "model.py:2: ZeroDivisionError: division by zero"),
        ("def construct(): pass", "model.py: has no function build"),
        ("def build(): pass", "model.py: TypeError: build() takes 0 positional arguments but 2"),
        ("def build(environment, streams):\n    return {}['x']", "model.py:2: KeyError: 'x'"),
        ("def build(environment, streams): environment.halt(0)", "cannot halt at 0: it is 0 ns"),
    ],
)
def test_an_error_in_the_model_is_told_with_its_line(
    terminal: Terminal, text: str, problem: str
) -> None:
    write(text)
    result = terminal.run("simulate", "model.py")
    assert (result.code, result.out) == (2, "")
    assert f"Error: {problem}" in result.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["absent.py"], "absent.py: no such file"),
        (["notes.txt"], "notes.txt: is no Python file"),
        (["model.py", "--for", "10 minutes"], '--for: time: unknown unit " minutes"'),
        (["model.py", "--for", "0s"], "--for: a run takes some time"),
        (["model.py", "--collisions", "never"], 'unknown rule for collisions "never"'),
        (["model.py", "--trace-out", "notes.txt"], "notes.txt: file is not a database"),
    ],
)
def test_bad_arguments_are_told_apart(
    terminal: Terminal, arguments: list[str], problem: str
) -> None:
    write(MODEL)
    write("just some words that are no database and no program " * 20, "notes.txt")
    result = terminal.run("simulate", *arguments)
    assert (result.code, result.out) == (2, "")
    assert problem in result.err
