"""Help can be read in a terminal of 80 columns: nothing is cut, nothing is squeezed."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import typer

from kubestage.cli import app, help_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.terminal import Terminal

ROOT: Any = typer.main.get_command(app.application)
NARROWEST_DESCRIPTION = 46


def _commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield words, command
    for name, each in getattr(command, "commands", {}).items():
        if not each.hidden:
            yield from _commands(each, (*words, name))


COMMANDS = dict(_commands(ROOT))


@pytest.fixture(params=COMMANDS, ids=lambda words: " ".join(words) or "kubestage")
def words(request: pytest.FixtureRequest) -> tuple[str, ...]:
    found: tuple[str, ...] = request.param
    return found


@pytest.fixture
def page(words: tuple[str, ...], terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    result = terminal.run(*words, "--help")
    assert (result.code, result.err) == (0, "")
    return result.out


def _shown(words: tuple[str, ...]) -> Any:
    """The command whose page it is: that of a group may be its usual command's."""
    command = COMMANDS[words]
    return command.commands.get("run", command) if words == ("load",) else command


def test_every_command_has_such_a_page(words: tuple[str, ...]) -> None:
    assert isinstance(COMMANDS[words], (help_page.Command, help_page.Group))


def test_nothing_is_cut_or_wider_than_the_terminal(page: str) -> None:
    assert "…" not in page
    assert max(len(line) for line in page.splitlines()) <= 80


def test_every_option_is_there_in_full_and_described(page: str, words: tuple[str, ...]) -> None:
    for parameter in _shown(words).params:
        if parameter.param_type_name == "option" and not parameter.hidden:
            for name in (*parameter.opts, *parameter.secondary_opts):
                assert re.search(rf"^│ (?:\S.* )?{re.escape(name)}(?![\w-])", page, re.MULTILINE)


def test_descriptions_have_room(page: str) -> None:
    for panel in re.findall(r"^╭.*?^╰", page, re.MULTILINE | re.DOTALL):
        indents = [len(each) for each in re.findall(r"^│( {2,})\S", panel, re.MULTILINE)]
        assert all(80 - 2 - indent >= NARROWEST_DESCRIPTION for indent in indents)


def test_no_example_is_wrapped_within_a_command(page: str, words: tuple[str, ...]) -> None:
    joined = " ".join(page.replace("\\\n", " ").split())
    for line in (_shown(words).epilog or "").split("\n\n"):
        if re.match(r"\s*kube(stage|ctl) ", line) and not line.rstrip().endswith("."):
            command = re.sub(r"\[dim\].*", "", line.replace("\\\n", " "), flags=re.DOTALL)
            assert " ".join(command.split()) in joined
    for line in page.splitlines():
        if line.startswith(" kubestage ") and not line.endswith("\\"):
            assert line.count("'") % 2 == 0


def test_a_long_example_can_be_pasted_into_a_shell() -> None:
    command = "kubestage compare a.yaml --config default --config mine.yaml --plugin p.py:Mine"
    epilog = f"[bold]Examples[/bold]\n\n{command}    [dim]# a comment of some length[/dim]\n\nEnd."
    lines = [line for line, _ in help_page._epilog(epilog, 60)]
    assert lines == [
        "",
        "Examples",
        "# a comment of some length",
        "kubestage compare a.yaml --config default \\",
        "    --config mine.yaml --plugin p.py:Mine",
        "",
        "End.",
    ]


def test_applications_that_are_added_get_such_pages() -> None:
    outer, inner = help_page.Application(name="outer"), typer.Typer(name="inner", help="Inner.")
    inner.command("one")(lambda: None)
    inner.command("two")(lambda: None)
    outer.add_typer(inner)
    outer.command("three")(lambda: None)
    group: Any = typer.main.get_command(outer)
    assert isinstance(group.commands["inner"], help_page.Group)
    assert isinstance(group.commands["inner"].commands["one"], help_page.Command)


def test_the_tables_of_analyze_have_a_line_each(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kubestage.runs import analyze as analyzing

    monkeypatch.setenv("COLUMNS", "80")
    page = terminal.run("analyze", "--help").out
    for tables in (analyzing.scenario_tables_listed(), analyzing.life_tables_listed()):
        for name, about in tables.items():
            assert re.search(rf"^   {name} +{re.escape(about)}$", page, re.MULTILINE)


def test_the_version_is_an_option_too(terminal: Terminal) -> None:
    assert terminal.run("--version") == terminal.run("version")


@pytest.mark.parametrize("words", [["--help"], ["version"], ["analyze"]])
def test_what_lists_the_commands_loads_none_of_their_libraries(words: list[str]) -> None:
    code = (
        "import contextlib, io, sys\n"
        "from kubestage.cli import app, failures\n"
        "out = io.StringIO()\n"
        "with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):\n"
        f"    failures.guard(app.run, {words!r})\n"
        "print(sorted({'numpy', 'yaml', 'altair', 'sqlite3'} & set(sys.modules)))\n"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout == "[]\n"
