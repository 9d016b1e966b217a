"""An output is whole or not there."""

from __future__ import annotations

import os
import pathlib
import stat

import pytest

from kubestage.errors import InputError
from kubestage.files import writing


def test_a_file_is_replaced_as_a_whole(tmp_path: pathlib.Path) -> None:
    place = tmp_path / "a.txt"
    place.write_text("before")
    place.chmod(0o640)
    writing.write(place, "after")
    assert place.read_text() == "after"
    assert stat.S_IMODE(place.stat().st_mode) == 0o640
    writing.write(tmp_path / "b", b"\xff")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.txt", "b"]


def _interrupted(place: pathlib.Path) -> None:
    with writing.replaced(place) as beside:
        beside.write_text("half")
        assert place.read_text() == "before"
        raise KeyboardInterrupt


def test_what_is_interrupted_leaves_all_as_it_was(tmp_path: pathlib.Path) -> None:
    place = tmp_path / "a.txt"
    place.write_text("before")
    with pytest.raises(KeyboardInterrupt):
        _interrupted(place)
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]
    assert place.read_text() == "before"


def test_a_link_stays_and_its_target_is_replaced(tmp_path: pathlib.Path) -> None:
    (tmp_path / "link").symlink_to("a")
    writing.write(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_text() == "text"


def test_an_error_tells_of_the_file_that_was_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError) as found:
        writing.write(tmp_path / "no" / "a.txt", "text")
    assert found.value.filename == str(tmp_path / "no" / "a.txt")
    with pytest.raises(InputError, match="is a directory"):
        writing.write(tmp_path, "text")
    writing.write(os.devnull, "text")
    assert not pathlib.Path(os.devnull).is_file()
