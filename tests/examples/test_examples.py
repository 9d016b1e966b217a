"""Every example still prints what its ``expected.txt`` says."""

from __future__ import annotations

import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from tests.testing.plugin_loading import loading

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
FOLDERS = sorted(path for path in EXAMPLES.iterdir() if path.is_dir())
# A session is typed into another program (test_sessions), tests are run by pytest.
TESTED = [folder for folder in FOLDERS if (folder / "pytest.ini").exists()]
RUN = [
    folder for folder in FOLDERS if folder not in TESTED and not (folder / "session.txt").exists()
]
# Methods that kubestage has and ClusterLoader2 has not.
OWN_METHODS = {
    "APICallLatencyValidator",
    "APIResponsiveness",
    "MetricsGatherer",
    "PodStartupLatencyValidator",
    "ProfileGatherer",
    "ResourceGatherer",
}
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
def test_an_example_prints_what_it_promises(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    printed, commands, place = "", _commands(folder), folder
    if any("--out" in command for command in commands):
        # What is kept does not stay among the examples.
        place = shutil.copytree(folder, tmp_path / folder.name)
    for command in commands:
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        printed += done.stdout
    assert printed == (folder / "expected.txt").read_text()


@pytest.mark.parametrize("folder", TESTED, ids=lambda path: path.name)
def test_the_tests_of_an_example_pass(folder: pathlib.Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *loading()]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 0, done.stdout
    assert last[0].startswith(f"{(folder / 'expected.txt').read_text().strip()} in "), done.stdout


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_an_example_explains_itself(folder: pathlib.Path) -> None:
    assert (folder / "README.md").read_text().startswith("# ")


def test_loads_in_clusterloader2s_spelling_have_only_its_methods() -> None:
    text = "".join(
        (EXAMPLES / "25-load" / name).read_text() for name in ("load.yaml", "deployments.yaml")
    )
    methods = set(re.findall(r"method: (\w+)", text))
    assert "APIResponsivenessPrometheus" in methods
    assert not methods & OWN_METHODS
