"""What docs/cli.md shows is what the program prints."""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cli.md").read_text()
SESSIONS = re.findall(r"```console\n\$ kubestage (.*?)\n(.*?)```", PAGE, re.DOTALL)
FILES = re.findall(r'```yaml title="(.*?)"\n(.*?)```', PAGE, re.DOTALL)
KUBESTAGE = [sys.executable, "-c", "from kubestage import cli; cli.main()"]


def _pattern(shown: str) -> str:
    """The output as a pattern, in which a line of three dots stands for any lines."""
    parts = re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)
    return "(?:.*\n)*".join(re.escape(part) for part in parts)


def test_the_page_shows_every_command() -> None:
    assert {command.split()[0] for command, _ in SESSIONS} >= {
        "get",
        "run",
        "verify",
        "validate",
        "api-resources",
    }


@pytest.mark.parametrize(("command", "shown"), SESSIONS, ids=[each[0] for each in SESSIONS])
def test_a_command_prints_what_the_page_shows(
    command: str, shown: str, tmp_path: pathlib.Path
) -> None:
    for folder in ("examples", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for name, text in FILES:
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
