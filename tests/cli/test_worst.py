"""``kubestage worst``: what it prints, what it refuses, its exit codes."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.objects import yaml_documents
from kubestage.sweep import worst as searches
from tests.sweep.worst import inputs

if TYPE_CHECKING:
    from typing import Any

    from tests.cli.terminal import Result, Terminal

SEARCH = (
    "--no-controllers",
    "--mutate=arrivals,sizes",
    "--bound=sizes.cpu.max=4",
    "--budget=80",
    "--jobs=1",
)


@pytest.fixture
def worst(terminal: Terminal) -> Any:
    """Runs the command on a few nodes and pods."""
    inputs.write(pathlib.Path(), *inputs.packing())

    def run(*arguments: str) -> Result:
        return terminal.run("worst", "start.yaml", *SEARCH, *arguments)

    return run


def test_the_worst_case_is_printed_and_written(worst: Any) -> None:
    result = worst("--maximise", "pending", "--at-least", "1", "--out", "out")
    assert result.code == 0
    assert result.out.startswith("pending is 1 with default.\n\nWhat happens:\n")
    assert "nothing can be left out." in result.out
    assert result.err == "Written: out/worst.yaml, and how to run it: README.md\n"
    written = {file.name for file in pathlib.Path("out").iterdir()}
    assert written >= {"README.md", "worst.yaml", "search.json"}
    again = worst("--maximise", "pending", "--at-least", "1", "--out", "out")
    assert again.out == result.out


def test_formats(worst: Any) -> None:
    arguments = ("--maximise", "pending", "--at-least", "1")
    known = json.loads(worst(*arguments, "-o", "json").out)
    assert (known["objective"], known["found"], known["score"]) == ("most pending", True, 1)
    assert known["scenario"]["kind"] == "Scenario"
    assert known["limits"]["groups"] == ["arrivals", "sizes"]
    (from_yaml,) = yaml_documents.values(worst(*arguments, "-o", "yaml").out, "out")
    assert from_yaml == known
    assert worst(*arguments, "-o", "markdown").out.startswith("# Most pending\n\npending is 1 ")


def test_the_least_of_a_measure(worst: Any) -> None:
    result = worst("--minimise", "scheduled", "--shrink-budget", "0")
    assert result.code == 0
    assert "scheduled is " in result.out


def test_exit_code_1_if_nothing_is_found(worst: Any) -> None:
    result = worst("--maximise", "pending", "--at-least", "1000")
    assert result.code == 1
    assert result.out.startswith("Not found: most pending. The closest case scores ")


def test_a_bounds_file(worst: Any) -> None:
    pathlib.Path("bounds.yaml").write_text("arrivals: {pods: {maximum: 3}}\n")
    result = worst("--maximise", "pending", "--bounds", "bounds.yaml")
    assert result.code == 2
    assert result.err == (
        'Error: bounds.yaml: arrivals.pods.maximum: unknown field\n  fix: did you mean "max"?\n'
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((), "nothing to search for"),
        (("--maximise", "cost"), '--maximise: there is no measure "cost"'),
        (("--breaks", "budgets"), '--breaks: there is no invariant "budgets"'),
        (("--maximise", "pending", "--address", "x"), "--address: is for Ray"),
        (("--breaks", "fits", "--at-least", "1"), "--at-least: is for a measure"),
        (("--maximise", "pending", "--bounds", "none.yaml"), "none.yaml: --bounds: no such file"),
        (("--maximise", "pending", "--config", "start.yaml"), "start.yaml"),
        (("--maximise", "pending", "--out", "start.yaml"), "start.yaml: --out: is a file"),
    ],
)
def test_bad_input_is_refused(worst: Any, arguments: tuple[str, ...], error: str) -> None:
    result = worst(*arguments)
    assert result.code == 2
    assert result.err.startswith(f"Error: {error}")


def test_a_start_that_fails_is_refused(terminal: Terminal) -> None:
    twice = inputs.create(inputs.packing()[0])
    inputs.write(pathlib.Path(), inputs.scenario(twice, twice, inputs.create(inputs.packing()[-1])))
    result = terminal.run("worst", "start.yaml", "--maximise", "pending", "-j", "1")
    assert result.code == 2
    assert 'nodes "node-1" already exists' in result.err


def test_an_interrupt_is_reported(worst: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = searches.search

    def interrupted(files: Any, options: Any, **others: Any) -> Any:
        from tests.sweep.worst.test_searching import _InterruptedEngine

        return real(files, options, engine=_InterruptedEngine(20), **others)

    monkeypatch.setattr(searches, "search", interrupted)
    result = worst("--maximise", "pending")
    assert result.code == 130
    assert result.err == "Interrupted: this is the worst case so far.\n"


def test_an_interrupt_before_the_first_case_leaves_nothing(
    worst: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(searches, "search", interrupted)
    result = worst("--maximise", "pending")
    assert (result.code, result.err) == (130, "Interrupted: nothing was found yet, or written.\n")


def test_the_function_refuses_the_same() -> None:
    with pytest.raises(InputError, match="nothing to search for"):
        searches.search(["start.yaml"], searches.WorstOptions())
