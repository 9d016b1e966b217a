"""What pages show of the command line is what the program prints."""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
# The tutorial has a test of its own, which runs what is not ours as well.
PAGES = (
    "backtest",
    "check",
    "cli",
    "coming-from-skenario",
    "compare",
    "controllers",
    "explain",
    "kubelet",
    "kwok",
    "load",
    "scenarios",
    "volumes",
)
TEXTS = {page: (ROOT / "docs" / f"{page}.md").read_text() for page in PAGES}
KUBESTAGE = [sys.executable, "-c", "from kubestage import cli; cli.main()"]


def _sessions(page: str) -> list[tuple[str, str]]:
    """The commands that a page shows, in order, each with what it prints."""
    blocks = re.findall(r"```console\n(\$ kubestage .*?)```", TEXTS[page], re.DOTALL)
    return [
        (command, shown)
        for block in blocks
        for command, shown in re.findall(
            r"^\$ kubestage (.*?)\n(.*?)(?=^\$ |\Z)", block, re.DOTALL | re.MULTILINE
        )
    ]


def _files(page: str) -> list[tuple[str, str]]:
    """The files that a page shows, by name."""
    return re.findall(r'```yaml title="(.*?)"\n(.*?)```', TEXTS[page], re.DOTALL)


def _pattern(shown: str) -> str:
    """The output as a pattern, in which a line of three dots stands for any lines."""
    parts = re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)
    return "(?:.*\n)*".join(re.escape(part) for part in parts)


def _print(command: str, folder: pathlib.Path, columns: int = 80) -> str:
    """What a command prints."""
    return subprocess.run(
        [*KUBESTAGE, *shlex.split(command)],
        cwd=folder,
        env=os.environ | {"COLUMNS": str(columns)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    ).stdout


def test_the_page_of_the_command_line_shows_every_command() -> None:
    assert {command.split()[0] for command, _ in _sessions("cli")} >= {
        "get",
        "run",
        "explain",
        "analyze",
        "compare",
        "backtest",
        "verify",
        "validate",
        "api-resources",
    }


def _section(command: str) -> str:
    """What the page of the command line says of a command."""
    parts = re.split(r"^## ", TEXTS["cli"], flags=re.MULTILINE)
    return "".join(part for part in parts if part.split()[0] == command)


@pytest.mark.parametrize(
    "command", ["analyze", "backtest", "check", "compare", "explain", "get", "run"]
)
def test_the_page_tells_of_every_option(command: str, tmp_path: pathlib.Path) -> None:
    told = _print(f"{command} --help", tmp_path, columns=200)
    options = set(re.findall(r"^│ (?:-\w, )?(--[a-z-]+)", told, re.MULTILINE)) - {"--help"}
    assert options
    section = _section(command)
    assert {each for each in options if f"`{each}`" not in section} == set()


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_print_what_it_shows(page: str, tmp_path: pathlib.Path) -> None:
    """From top to bottom, as later commands look at what earlier ones have kept."""
    for folder in ("examples", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for name, text in _files(page):
        (tmp_path / name).write_text(text)
    sessions = _sessions(page)
    assert sessions
    for command, shown in sessions:
        printed = _print(command, tmp_path)
        assert re.fullmatch(_pattern(shown), printed), f"kubestage {command}\n{printed}"


def test_the_search_that_the_page_shows_is_that_of_the_example() -> None:
    page = (ROOT / "docs" / "find-limit.md").read_text()
    example = ROOT / "examples" / "26-find-limit"
    [asked] = re.findall(
        r"^kubestage load find-limit [^\n]*\\\n.*?(?=```)", page, re.MULTILINE | re.DOTALL
    )
    words = shlex.split(asked.replace("examples/26-find-limit/", "").replace("\\\n", " "))
    assert words == shlex.split((example / "command.txt").read_text())
    assert (example / "expected.txt").read_text().strip() in page
