"""A kept trace can be looked at later, in part, as a table or as data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_node, make_pod
from tests.cli import clusters

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


@pytest.fixture
def file(terminal: Terminal) -> str:
    clusters.write("cluster.json", make_node("a"), make_pod("web"), make_pod("db"))
    for seed in ("1", "2"):
        options = ("--for", "1m", "--seed", seed, "--trace-out", "run.sqlite", "--trace-internal")
        assert terminal.run("run", "cluster.json", *options).code == 0
    return "run.sqlite"


def test_all_but_timers_is_shown(terminal: Terminal, file: str) -> None:
    result = terminal.run("trace", "show", file)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0].split() == ["TIME", "(S)", "MOVEMENT", "ENTITY", "FROM", "TO", "NOTES"]
    assert lines[1].split()[1] == "start_to_running"
    assert lines[-1].split()[:2] == ["60.000000000", "running_to_halted"]
    assert " ring " not in result.out
    assert " ring " in terminal.run("trace", "show", file, "--internal").out


@pytest.mark.parametrize(
    ("filters", "column", "expected"),
    [
        (("--kind", "bind"), 2, {"default/web", "default/db"}),
        (("--entity", "default/web"), 2, {"default/web"}),
        (("--stock", "PodsWaiting"), 1, {"create", "bind"}),
        (("--from", "1m"), 1, {"running_to_halted"}),
        (("--to", "1us"), 1, {"start_to_running", "register"}),
        (("--to", "0s"), 1, {"start_to_running"}),
    ],
)
def test_what_is_shown_can_be_chosen(
    terminal: Terminal, file: str, filters: tuple[str, str], column: int, expected: set[str]
) -> None:
    result = terminal.run("trace", "show", file, *filters)
    assert {line.split()[column] for line in result.out.splitlines()[1:]} == expected


def test_rows_are_data_too(terminal: Terminal, file: str) -> None:
    rows = json.loads(terminal.run("trace", "show", file, "-o", "json", "--kind", "bind").out)
    assert [row["entity"] for row in rows] == ["default/web", "default/db"]
    assert set(rows[0]) == {"occursAt", "kind", "entity", "from", "to", "notes"}
    (halted,) = json.loads(terminal.run("trace", "show", file, "-o", "json", "--from", "1m").out)
    assert halted["occursAt"] == 60_000_000_000
    result = terminal.run("trace", "show", file, "-o", "json", "--kind", "bind", "--from", "2m")
    assert (json.loads(result.out), result.err) == ([], "Note: no movement matches\n")


def test_what_did_not_happen_is_shown_with_its_reason(terminal: Terminal, file: str) -> None:
    result = terminal.run("trace", "show", file, "--ignored", "--internal")
    assert result.out.splitlines()[0].endswith("REASON")
    assert "scheduled at or after the halt" in result.out
    rows = json.loads(
        terminal.run("trace", "show", file, "--ignored", "--internal", "-o", "json").out
    )
    assert {"reason", "noticedAt"} <= set(rows[0])


def test_a_file_holds_several_runs(terminal: Terminal, file: str) -> None:
    lines = terminal.run("trace", "runs", file).out.splitlines()
    assert lines[0].split() == ["RUN", "NAME", "SEED", "COMPLETED", "IGNORED"]
    assert [line.split()[:2] for line in lines[1:]] == [["1", "1"], ["2", "2"]]
    shown = terminal.run("trace", "show", file).out
    assert terminal.run("trace", "show", file, "--run", "2").out == shown
    missing = terminal.run("trace", "show", file, "--run", "3")
    assert (missing.code, missing.out) == (2, "")
    assert "run.sqlite: holds no run 3" in missing.err


def test_a_name_that_is_not_there_is_answered_with_those_that_are(
    terminal: Terminal, file: str
) -> None:
    result = terminal.run("trace", "show", file, "--kind", "bnd")
    assert result.code == 0
    assert 'no movement matches: there is no kind "bnd"; the run has bind, create' in result.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("ghost.sqlite",), "ghost.sqlite: no such file"),
        (("cluster.json",), "cluster.json: file is not a database"),
        (("run.sqlite", "--from", "soon"), "--from: invalid duration"),
        (("run.sqlite", "-o", "yaml"), 'unknown output format "yaml"'),
    ],
)
@pytest.mark.usefixtures("file")
def test_what_cannot_be_shown_is_an_error(
    terminal: Terminal, arguments: tuple[str, ...], problem: str
) -> None:
    result = terminal.run("trace", "show", *arguments)
    assert (result.code, result.out) == (2, "")
    assert problem in result.err
