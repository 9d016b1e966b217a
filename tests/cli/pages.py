"""Pages of the documentation whose commands build on one another."""

from __future__ import annotations

import pathlib
import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

ROOT = pathlib.Path(__file__).parents[2]
DOCS = ROOT / "docs"
_FILE = re.compile(r'```(?:yaml|python) title="(.*?)"\n(.*?)```', re.DOTALL)
_SESSION = re.compile(r"```console\n(.*?)```", re.DOTALL)
_COMMAND = re.compile(r"^\$ kubestage (.*?)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def sessions(page: str) -> list[tuple[str, str]]:
    """The commands that a page shows, in order, each with what it prints."""
    text = (DOCS / page).read_text()
    return [found for session in _SESSION.findall(text) for found in _COMMAND.findall(session)]


def write_files(page: str) -> None:
    """The files that a page shows, beside the examples."""
    pathlib.Path("examples").symlink_to(ROOT / "examples")
    for name, text in _FILE.findall((DOCS / page).read_text()):
        pathlib.Path(name).write_text(text)


def differing(terminal: Terminal, page: str) -> list[str]:
    """The commands of a page that print something else; three dots stand for any lines."""
    write_files(page)
    wrong = []
    for command, shown in sessions(page):
        result = terminal.run(*shlex.split(command))
        parts = re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)
        pattern = "(?:.*\n)*".join(re.escape(part) for part in parts)
        if not re.fullmatch(pattern, result.out + result.err):
            wrong.append(f"$ kubestage {command}\n{result.out}{result.err}")
    return wrong
