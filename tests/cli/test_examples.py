"""``kubestage examples``: what to begin with."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.runs import example_files

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = sorted(each.parent for each in (ROOT / "examples").glob("*/README.md"))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_all_examples_are_listed_with_what_they_show(terminal: Terminal) -> None:
    for words in (["examples"], ["examples", "list"]):
        result = terminal.run(*words)
        assert result.code == 0
        lines = result.out.splitlines()
        assert [line.split()[0] for line in lines[1:-2]] == [each.name for each in FOLDERS]
        assert ["07-preemption", "Preemption"] in [line.split() for line in lines]
        assert lines[-1] == "kubestage examples NAME --out DIR gets you one to work with."


def test_an_example_is_shown_with_how_it_is_run(terminal: Terminal) -> None:
    result = terminal.run("examples", "show", "19")
    assert result.code == 0
    assert result.out.startswith("# A step in the load, and an HPA that follows it\n")
    assert "Files: README.md, cluster.yaml, command.txt" in result.out
    assert result.out.endswith("  cd 19-hpa-step-load\n  kubestage run . --for 30m\n")


def test_a_copy_can_be_run(terminal: Terminal, tmp_path: pathlib.Path) -> None:
    result = terminal.run("examples", "copy", "07")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Copied 07-preemption to 07-preemption.\n")
    command = [sys.executable, "-c", "from kubestage.cli import main; main()", "run", "."]
    where = tmp_path / "07-preemption"
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=True)
    assert "checkout" in done.stdout


def test_a_copy_goes_where_one_says_and_replaces_nothing(
    terminal: Terminal, tmp_path: pathlib.Path
) -> None:
    assert terminal.run("examples", "copy", "hpa-step", "demo").code == 0
    assert (tmp_path / "demo" / "web.yaml").is_file()
    # Where something is already, it gets a directory of its own.
    assert terminal.run("examples", "copy", "hpa-step", "demo").code == 0
    assert (tmp_path / "demo" / "19-hpa-step-load" / "web.yaml").is_file()
    (tmp_path / "demo" / "19-hpa-step-load" / "web.yaml").write_text("mine")
    result = terminal.run("examples", "copy", "hpa-step", "demo")
    assert result.code == 2
    assert "is there already" in result.err
    assert (tmp_path / "demo" / "19-hpa-step-load" / "web.yaml").read_text() == "mine"


def test_what_needs_the_repository_says_so(terminal: Terminal) -> None:
    result = terminal.run("examples", "copy", "08-verify")
    assert result.code == 0
    assert "run it in a checkout" in result.out


@pytest.mark.parametrize(
    ("name", "problem", "fix"),
    [
        ("99", 'there is no example "99"', "lists all"),
        ("preemtion", 'there is no example "preemtion"', "did you mean 07-preemption?"),
        ("plugin", 'several examples are called "plugin"', "05-plugin-scalar"),
        ("", 'there is no example ""', "lists all"),
    ],
)
def test_what_is_not_there_is_refused_with_its_cure(
    terminal: Terminal, name: str, problem: str, fix: str
) -> None:
    for verb in ("show", "copy"):
        result = terminal.run("examples", verb, name)
        assert (result.code, result.out) == (2, "")
        assert problem in result.err
        assert fix in result.err


def test_a_wheel_carries_them() -> None:
    """The package has them where the command looks first."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        wheel = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {"examples": "kubestage/examples"}
    installed, repository = example_files._PLACES
    assert installed.relative_to(ROOT / "src").as_posix() == wheel["force-include"]["examples"]
    assert repository == ROOT / "examples"


def test_an_installation_without_them_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example_files, "_PLACES", (pathlib.Path("nowhere"),))
    with pytest.raises(InputError, match="has no examples"):
        example_files.all_examples()


def test_the_empty_directory_in_which_one_is_gets_a_folder(
    terminal: Terminal, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert terminal.run("examples", "copy", "34", ".").code == 0
    assert (tmp_path / "34-cost" / "cluster.yaml").is_file()


def test_an_example_may_be_named_without_a_verb(terminal: Terminal, tmp_path: pathlib.Path) -> None:
    shown = terminal.run("examples", "19")
    assert (shown.code, shown.out) == (0, terminal.run("examples", "show", "19").out)
    for number, words in enumerate(
        (["34-cost", "--out", "a0"], ["--out", "a1", "34"], ["34", "--out=a2"], ["34", "-o", "a3"])
    ):
        done = terminal.run("examples", *words)
        assert (done.code, done.err) == (0, "")
        assert (tmp_path / f"a{number}" / "cluster.yaml").is_file()
    assert terminal.run("examples", "nothing").code == 2


def test_all_examples_can_be_copied_and_nothing_is_replaced(
    terminal: Terminal, tmp_path: pathlib.Path
) -> None:
    done = terminal.run("examples", "--out", "mine")
    assert (done.code, done.out) == (0, f"Copied {len(FOLDERS)} examples to mine.\n")
    assert sorted(each.name for each in (tmp_path / "mine").iterdir()) == [
        each.name for each in FOLDERS
    ]
    (tmp_path / "mine" / "34-cost" / "cluster.yaml").write_text("mine")
    done = terminal.run("examples", "--out", "mine")
    assert done.code == 2
    assert "is there already" in done.err
    assert (tmp_path / "mine" / "34-cost" / "cluster.yaml").read_text() == "mine"


@pytest.mark.parametrize("words", [["copy"], ["copy", "34", "a", "--out", "b"]])
def test_a_copy_needs_one_example_and_one_place(terminal: Terminal, words: list[str]) -> None:
    assert terminal.run("examples", *words).code == 2
