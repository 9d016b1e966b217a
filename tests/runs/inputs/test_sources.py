"""Texts come from files, directories and stdin, and large ones show their progress."""

from __future__ import annotations

import contextlib
import pathlib
from typing import TYPE_CHECKING

from kubestage.files.writing import WRITING
from kubestage.runs.inputs import sources
from kubestage.runs.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.runs.observer import Advance
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


def test_what_is_being_written_in_a_directory_is_passed_over(terminal: Terminal) -> None:
    _write("d/a.yaml", f"d/{WRITING}1/a.yaml", f"d/{WRITING}2.yaml")
    assert [source.name for source in sources.read(["d"])] == ["d/a.yaml"]


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


class _Watching(Observer):
    """Keeps what it is shown."""

    def __init__(self) -> None:
        self.shown: list[object] = []

    @contextlib.contextmanager
    def progress(
        self, what: str, total: int, *, noticeable: int = 0, in_bytes: bool = False
    ) -> Iterator[Advance]:
        self.shown.append((what, total, noticeable <= total, in_bytes))
        yield lambda done, what=None: self.shown.append((done, what))


def test_an_observer_sees_how_much_is_read(terminal: Terminal) -> None:
    _write("a.yaml", "b.yaml")
    size = pathlib.Path("a.yaml").stat().st_size
    watching = _Watching()
    assert [source.name for source in sources.read(["."], watching)] == ["a.yaml", "b.yaml"]
    assert watching.shown == [
        ("reading", 2 * size, False, True),
        (0, "reading a.yaml"),
        (size, None),
        (size, "reading b.yaml"),
        (2 * size, None),
    ]
