"""A disk that is full: what is refused was not kept, and what was kept is there."""

from __future__ import annotations

import asyncio
import resource
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.server.journal import opening
from kubestage.server.journal.failures import StorageFailed
from tests.server.journal import processes
from tests.server.journal.serving import CONFIG_MAP, config_map, names, served

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable
    from multiprocessing.connection import Connection

LIMIT = 2_000_000


def _fill(directory: pathlib.Path, pipe: Connection) -> None:
    """Write until no file may grow any further; tells what was safe, and how it ended."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))

    async def play() -> None:
        with served(directory) as (live, journal):
            try:
                for number in range(1_000):
                    live.store.create(config_map(f"c-{number}", text="x" * 10_000))
                    await live.settled()
                    pipe.send(f"c-{number}")
            except StorageFailed as error:
                pipe.send(error.message)
            assert journal.failure is not None
            assert live.store.get(CONFIG_MAP, "c-0")

    asyncio.run(play())


def _open(directory: pathlib.Path, pipe: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))
    try:
        opening.open_directory(directory).stage()
    except InputError as error:
        pipe.send(str(error))


def _told_by(
    target: Callable[[pathlib.Path, Connection], None], directory: pathlib.Path
) -> list[str]:
    child, ours = processes.begin(target, directory)
    told = []
    with ours:
        while True:
            try:
                told.append(ours.recv())
            except EOFError:
                break
    child.join()
    assert child.exitcode == 0
    return told


def test_what_was_acknowledged_before_the_disk_was_full_is_there(tmp_path: pathlib.Path) -> None:
    *safe, message = _told_by(_fill, tmp_path / "data")
    assert len(safe) > 20
    assert message.startswith("Internal error occurred: storage failed: ")
    assert "journal.sqlite3" in message
    stage, journal = opening.open_directory(tmp_path / "data").stage()
    assert names(stage.store) == safe
    journal.close()


@pytest.mark.parametrize("is_new", [True, False])
def test_a_directory_on_a_full_disk_is_refused(tmp_path: pathlib.Path, is_new: bool) -> None:
    if not is_new:
        _, journal = opening.open_directory(tmp_path / "data").stage()
        journal.close()
    (message,) = _told_by(_open, tmp_path / "data")
    assert "journal.sqlite3" in message
    assert "space" in message
