"""Files that are not what was written are refused, with a reason; nothing is lost in silence."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import random
import shutil
import sqlite3
import tempfile
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.server.journal import opening
from tests.server.journal.serving import CONFIG_MAP, config_map, copy_of, served, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OBJECTS = 60


@pytest.fixture
def killed(tmp_path: pathlib.Path) -> pathlib.Path:
    """What a process left that was killed: its newest changes are in the write-ahead log."""

    async def play() -> pathlib.Path:
        with served(tmp_path / "data") as (live, _):
            for number in range(OBJECTS // 2):
                live.store.create(config_map(f"a-{number}", text="x" * 300))
        with served(tmp_path / "data") as (live, _):
            for number in range(OBJECTS // 2):
                live.store.create(config_map(f"b-{number}", text="y" * 300))
                await live.settled()
            return copy_of(tmp_path / "data")

    return asyncio.run(play())


@pytest.fixture
def closed(killed: pathlib.Path) -> pathlib.Path:
    """What a process left that ended in order."""
    _, journal = opening.open_directory(killed).stage()
    journal.close()
    return killed


def _refused(directory: pathlib.Path) -> str:
    with pytest.raises(InputError) as refused:
        opening.open_directory(directory).stage()
    text = str(refused.value)
    assert str(directory) in text
    assert refused.value.fix
    # The directory is free again, and still refused: a second look mends nothing.
    with pytest.raises(InputError):
        opening.open_directory(directory).stage()
    return text


def _flip(path: pathlib.Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 0x10
    path.write_bytes(content)


def test_files_that_are_whole_are_taken(killed: pathlib.Path) -> None:
    stage, journal = opening.open_directory(killed).stage()
    assert len(stage.store.read(CONFIG_MAP)) == OBJECTS
    journal.close()


def test_no_flipped_bit_in_the_database_goes_unnoticed_if_it_matters(closed: pathlib.Path) -> None:
    stage, journal = opening.open_directory(copy_of(closed)).stage()
    whole, revision = texts(stage.store), stage.store.revision
    journal.close()
    stream, refusals = random.Random(0), []
    size = (closed / "journal.sqlite3").stat().st_size
    for _ in range(150):
        damaged = copy_of(closed)
        _flip(damaged / "journal.sqlite3", stream.randrange(size))
        try:
            stage, journal = opening.open_directory(damaged).stage()
        except InputError as error:
            refusals.append(error)
            continue
        # It was in a part that holds nothing.
        assert texts(stage.store) == whole
        assert stage.store.revision >= revision
        journal.close()
    assert len(refusals) > 50
    assert all(each.file and each.fix for each in refusals)


def test_no_flipped_bit_in_the_log_goes_unnoticed_if_it_matters(killed: pathlib.Path) -> None:
    stream, refusals = random.Random(1), []
    size = (killed / "journal.sqlite3-wal").stat().st_size
    for _ in range(60):
        damaged = copy_of(killed)
        _flip(damaged / "journal.sqlite3-wal", stream.randrange(size))
        try:
            stage, journal = opening.open_directory(damaged).stage()
        except InputError as error:
            refusals.append(error)
            continue
        assert len(stage.store.read(CONFIG_MAP)) == OBJECTS
        journal.close()
    assert len(refusals) > 50
    assert all("damaged" in str(each) for each in refusals)


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.9, 0.999])
def test_a_log_that_is_cut_off_is_refused(killed: pathlib.Path, kept: float) -> None:
    path = killed / "journal.sqlite3-wal"
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * kept)])
    assert "were made" in _refused(killed)


@pytest.mark.parametrize("kept", [0.3, 0.9, 0.999])
def test_a_database_that_is_cut_off_is_refused(closed: pathlib.Path, kept: float) -> None:
    path = closed / "journal.sqlite3"
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * kept)])
    assert "damaged" in _refused(closed)


@pytest.mark.parametrize("leaves_empty", [True, False])
def test_a_database_that_is_gone_is_missed(closed: pathlib.Path, leaves_empty: bool) -> None:
    (closed / "journal.sqlite3").unlink()
    if leaves_empty:
        (closed / "journal.sqlite3").touch()
    assert "it ends with commit 0" in _refused(closed)


def test_what_is_no_database_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "journal.sqlite3").write_bytes(b"some text\n" * 1_000)
    assert "not a journal of kubestage" in _refused(tmp_path)


def test_the_database_of_another_program_is_refused(tmp_path: pathlib.Path) -> None:
    connection = sqlite3.connect(tmp_path / "journal.sqlite3")
    connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    assert "not a journal of kubestage" in _refused(tmp_path)


def _change(directory: pathlib.Path, *statements: str) -> None:
    connection = sqlite3.connect(directory / "journal.sqlite3", isolation_level=None)
    for each in statements:
        connection.execute(each)
    connection.close()


def test_a_newer_format_is_left_to_newer_programs(closed: pathlib.Path) -> None:
    _change(closed, "PRAGMA user_version = 99")
    text = _refused(closed)
    assert "format 99" in text
    assert "newer kubestage" in text


def test_a_damaged_index_is_noticed_though_no_object_is_in_it(closed: pathlib.Path) -> None:
    path = closed / "journal.sqlite3"
    connection = sqlite3.connect(path)
    (page,) = connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE type = 'index' AND tbl_name = 'objects'"
    ).fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    _flip(path, (page - 1) * size)
    assert "damaged" in _refused(closed)


def test_a_row_that_is_gone_is_missed(closed: pathlib.Path) -> None:
    _change(closed, "DELETE FROM objects WHERE key = 'default/a-3'")
    assert "objects" in _refused(closed)


def test_a_row_that_is_another_is_noticed(closed: pathlib.Path) -> None:
    _change(closed, "UPDATE objects SET key = 'default/other' WHERE key = 'default/a-3'")
    assert "default/other is not what was written" in _refused(closed)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE state SET text = replace(text, '\"commit\":', '\"commit\":9')",
        "UPDATE state SET text = 'x', checksum = 0",
        "UPDATE objects SET text = 5 WHERE key = 'default/a-3'",
    ],
)
def test_a_state_that_is_another_is_noticed(closed: pathlib.Path, change: str) -> None:
    _change(closed, change)
    assert "damaged" in _refused(closed)


def test_a_count_of_commits_that_is_none_is_refused(closed: pathlib.Path) -> None:
    (closed / "committed").write_text("many\n")
    assert "should hold one number" in _refused(closed)


_NOBODY = 65_534


def _read_only(directory: pathlib.Path) -> None:
    directory.chmod(0o500)


def _without_rights(directory: pathlib.Path) -> None:
    (directory / "journal.sqlite3").chmod(0)


@contextlib.contextmanager
def _as_nobody(directory: pathlib.Path) -> Iterator[None]:
    """Root may write everywhere, so it becomes somebody else for a while."""
    if os.geteuid() != 0:
        yield
        return
    for path in (directory, *directory.iterdir()):
        os.chown(path, _NOBODY, _NOBODY)
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("forbid", [_read_only, _without_rights])
def test_what_may_not_be_written_is_refused(
    closed: pathlib.Path, forbid: Callable[[pathlib.Path], None]
) -> None:
    # Not below the folders of pytest, into which nobody but their owner may look.
    with tempfile.TemporaryDirectory() as outside:
        pathlib.Path(outside).chmod(0o755)
        directory = pathlib.Path(shutil.copytree(closed, pathlib.Path(outside, "data")))
        forbid(directory)
        with _as_nobody(directory):
            assert "writable" in _refused(directory)
        directory.chmod(0o700)
