"""Every example still prints what its ``expected.txt`` says."""

from __future__ import annotations

import pathlib
import shlex
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
FOLDERS = sorted(path for path in EXAMPLES.iterdir() if path.is_dir())
# A session is typed into another program, see test_sessions.
RUN = [folder for folder in FOLDERS if not (folder / "session.txt").exists()]
KUBESTAGE = [sys.executable, "-c", "from kubestage import cli; cli.main()"]


def _commands(folder: pathlib.Path) -> list[list[str]]:
    if (folder / "main.py").exists():
        return [[sys.executable, "main.py"]]
    lines = (folder / "command.txt").read_text().splitlines()
    commands = [shlex.split(line) for line in lines if line.strip()]
    assert all(words[0] == "kubestage" for words in commands)
    return [[*KUBESTAGE, *words[1:]] for words in commands]


def test_there_are_examples() -> None:
    assert FOLDERS


@pytest.mark.parametrize("folder", RUN, ids=lambda path: path.name)
def test_an_example_prints_what_it_promises(folder: pathlib.Path) -> None:
    printed = ""
    for command in _commands(folder):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        printed += done.stdout
    assert printed == (folder / "expected.txt").read_text()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_an_example_explains_itself(folder: pathlib.Path) -> None:
    assert (folder / "README.md").read_text().startswith("# ")
