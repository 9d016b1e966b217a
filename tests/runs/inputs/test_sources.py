"""Texts come from files, directories and stdin, and large ones show their progress."""

from __future__ import annotations

import pathlib
import sys
from typing import TYPE_CHECKING

from kubestage.runs.inputs import sources

if TYPE_CHECKING:
    import pytest

    from tests.cli.terminal import Terminal


def _write(*names: str) -> None:
    for name in names:
        path = pathlib.Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"name: {name}\n")


def test_a_directory_gives_its_manifests_sorted_with_all_below(terminal: Terminal) -> None:
    _write("d/b.yaml", "d/a.json", "d/sub/c.yml", "d/notes.md", "other.yaml")
    assert [source.name for source in sources.read(["d"])] == [
        "d/a.json",
        "d/b.yaml",
        "d/sub/c.yml",
    ]


def test_runs_that_were_kept_are_passed_over(terminal: Terminal) -> None:
    _write("d/a.yaml", "d/runs/one/run.json", "d/runs/one/scenario.json", "d/scenario.json")
    assert [source.name for source in sources.read(["d"])] == ["d/a.yaml", "d/scenario.json"]
    result = terminal.run("run", "d/runs/one")
    assert result.code == 2
    assert result.err == (
        "Error: d/runs/one: is a run that was kept, not manifests\n"
        "  fix: to run its Scenario again: kubestage run d/runs/one/scenario.json\n"
    )


def test_files_come_in_the_order_given_whatever_their_suffix(terminal: Terminal) -> None:
    _write("b.yaml", "a.txt")
    found = list(sources.read(["b.yaml", "a.txt"]))
    assert found == [("b.yaml", b"name: b.yaml\n"), ("a.txt", b"name: a.txt\n")]


def test_a_file_name_may_hold_a_comma(terminal: Terminal) -> None:
    _write("a,b.yaml", "c.yaml")
    assert [source.name for source in sources.read(["a,b.yaml"])] == ["a,b.yaml"]
    assert [source.name for source in sources.read(["a,b.yaml", "c.yaml,c.yaml"])] == [
        "a,b.yaml",
        "c.yaml",
        "c.yaml",
    ]


def test_a_person_sees_the_progress_of_large_input_on_stderr(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _write("a.yaml", "b.yaml")
    assert list(sources.read(["a.yaml"]))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sources, "_SLOW_BYTES", 10)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    assert [source.name for source in sources.read(["."])] == ["a.yaml", "b.yaml"]
    shown = capsys.readouterr()
    assert "reading b.yaml" in shown.err
    assert shown.out == ""
