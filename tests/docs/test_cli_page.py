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
PAGES = ("cli", "controllers", "kubelet", "kwok", "volumes")
TEXTS = {page: (ROOT / "docs" / f"{page}.md").read_text() for page in PAGES}
SESSIONS = [
    (page, command, shown)
    for page, text in TEXTS.items()
    for command, shown in re.findall(r"```console\n\$ kubestage (.*?)\n(.*?)```", text, re.DOTALL)
]
KUBESTAGE = [sys.executable, "-c", "from kubestage import cli; cli.main()"]


def _files(page: str) -> list[tuple[str, str]]:
    """The files that a page shows, by name."""
    return re.findall(r'```yaml title="(.*?)"\n(.*?)```', TEXTS[page], re.DOTALL)


def _pattern(shown: str) -> str:
    """The output as a pattern, in which a line of three dots stands for any lines."""
    parts = re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)
    return "(?:.*\n)*".join(re.escape(part) for part in parts)


def test_the_page_shows_every_command() -> None:
    assert {command.split()[0] for page, command, _ in SESSIONS if page == "cli"} >= {
        "get",
        "run",
        "verify",
        "validate",
        "api-resources",
    }


def test_every_page_shows_a_command() -> None:
    assert {page for page, _, _ in SESSIONS} == set(PAGES)


@pytest.mark.parametrize(
    ("page", "command", "shown"), SESSIONS, ids=[f"{each[0]}: {each[1]}" for each in SESSIONS]
)
def test_a_command_prints_what_the_page_shows(
    page: str, command: str, shown: str, tmp_path: pathlib.Path
) -> None:
    for folder in ("examples", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for name, text in _files(page):
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        [*KUBESTAGE, *shlex.split(command)],
        cwd=tmp_path,
        env=os.environ | {"COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert re.fullmatch(_pattern(shown), done.stdout), done.stdout
