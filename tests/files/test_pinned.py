from __future__ import annotations

import io
import os
import pathlib
import pickle
import sys

import pytest

from kubestage.files import pinned, reading
from kubestage.files.pinned import PinnedFiles


@pytest.fixture(autouse=True)
def _inside(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes(b"one")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "b.txt").write_bytes(b"two")


def test_what_was_read_is_read_again_without_the_disk() -> None:
    files = PinnedFiles()
    with files.recording():
        assert reading.read("a.txt") == b"one"
    pathlib.Path("a.txt").unlink()
    with files.pinned():
        assert reading.read("a.txt") == b"one"
        assert reading.read("./folder/../a.txt") == b"one"
        assert reading.is_file("a.txt")
        assert reading.exists("a.txt")
        with pytest.raises(FileNotFoundError):
            reading.read("folder/b.txt")
        assert not reading.exists("folder/b.txt")
    with pytest.raises(FileNotFoundError):
        reading.read("a.txt")


def test_a_copy_works_in_another_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    files = PinnedFiles()
    with files.recording():
        reading.read("a.txt")
        place = reading.resolved("a.txt")
    again = pickle.loads(pickle.dumps(files))
    os.chdir(tmp_path_factory.mktemp("elsewhere"))
    with again.pinned():
        assert reading.read("a.txt") == b"one"
        assert reading.resolved("a.txt") == place
        assert reading.read(place) == b"one"


def test_a_link_is_known_by_its_target(tmp_path: pathlib.Path) -> None:
    (tmp_path / "link.txt").symlink_to("a.txt")
    files = PinnedFiles()
    with files.recording():
        reading.read("link.txt")
    with files.pinned():
        assert reading.read(str(tmp_path.resolve() / "a.txt")) == b"one"


def test_directories_are_those_of_files_and_of_listings() -> None:
    files = PinnedFiles()
    with files.recording():
        assert reading.is_directory("folder")
        reading.read("folder/b.txt")
        assert files.listing("folder", lambda: ["folder/b.txt"]) == ["folder/b.txt"]
    pathlib.Path("folder/c.txt").write_bytes(b"three")
    with files.pinned():
        assert reading.is_directory("folder")
        assert not reading.is_directory("other")
        assert files.listing("folder", lambda: pytest.fail("read again")) == ["folder/b.txt"]


def test_stdin_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(b"typed")

    monkeypatch.setattr(sys, "stdin", Stdin)
    files = PinnedFiles()
    with files.recording():
        assert reading.read_stdin() == b"typed"
    with files.pinned():
        assert reading.read_stdin() == b"typed"


def test_a_digest_is_of_names_and_contents() -> None:
    def digest(*names: str) -> str:
        files = PinnedFiles()
        with files.recording() as read:
            for name in names:
                reading.read(name)
        assert len(read) == len(names)
        return files.digest(read)

    first = digest("a.txt", "folder/b.txt")
    assert digest("folder/b.txt", "a.txt") == first
    assert digest("a.txt") != first
    pathlib.Path("a.txt").write_bytes(b"changed")
    assert digest("a.txt", "folder/b.txt") != first


def test_a_digest_is_the_same_in_another_folder(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    found = set()
    for _ in range(2):
        folder = tmp_path_factory.mktemp("same")
        (folder / "x").write_bytes(b"y")
        os.chdir(folder)
        files = PinnedFiles()
        with files.recording():
            reading.read("x")
        found.add(files.digest())
    assert len(found) == 1


def test_results_are_made_once_and_only_some_are_shipped() -> None:
    calls: list[str] = []

    def make(name: str) -> str:
        calls.append(name)
        return name

    # Without pinned files, each time.
    for _ in range(2):
        pinned.once("k", lambda: make("a"))
    assert calls == ["a", "a"]
    files = PinnedFiles()
    with files.recording():
        for _ in range(2):
            assert pinned.once("k", lambda: make("b")) == "b"
            assert pinned.once("s", lambda: make("c"), ships=True) == "c"
    assert calls == ["a", "a", "b", "c"]
    again = pickle.loads(pickle.dumps(files))
    with again.pinned():
        assert pinned.once("k", lambda: make("d")) == "d"
        assert pinned.once("s", lambda: make("e"), ships=True) == "c"
    assert pinned.current() is None
