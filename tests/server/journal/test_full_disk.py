"""A disk that is full: what is refused was not kept, and what was kept is there."""

from __future__ import annotations

import asyncio
import functools
import logging
import pathlib
import resource
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.server.app import Application
from kubestage.server.journal import opening
from kubestage.server.journal.failures import StorageFailed
from kubestage.server.pacing import Mode, Pacer
from tests.deadlines import HANG_S
from tests.server import calling
from tests.server.journal import processes
from tests.server.journal.serving import CONFIG_MAP, config_map, names, served

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

LIMIT = 2_000_000
MAPS = "/api/v1/namespaces/default/configmaps"
MERGE = {"content-type": "application/merge-patch+json"}


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


def test_reads_after_a_failed_write_tell_only_of_what_is_kept(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> None:
        with served(tmp_path / "data") as (live, journal):
            app = Application(live)
            await calling.call(app, "POST", MAPS, config_map("kept", text="x"))
            await calling.call(app, "POST", MAPS, config_map("stays"))
            connection = journal._committing._files.database._connection
            connection.execute("PRAGMA max_page_count = 40")
            large = {"data": {"text": "y" * 900_000}}
            patching = asyncio.ensure_future(
                calling.call(app, "PATCH", f"{MAPS}/kept", large, MERGE)
            )
            before = live.store.revision
            while live.store.revision == before and not patching.done():
                await asyncio.sleep(0)
            # Its change is in the same commit, or comes after one that failed.
            deleting = asyncio.ensure_future(calling.call(app, "DELETE", f"{MAPS}/stays"))
            assert ((await patching).status, (await deleting).status) == (500, 500)
            await _check_what_is_kept(app)

    with caplog.at_level(logging.CRITICAL):
        asyncio.run(asyncio.wait_for(play(), HANG_S))


async def _check_what_is_kept(app: Application) -> None:
    listed = (await calling.call(app, "GET", MAPS)).json["items"]
    found = {each["metadata"]["name"]: each.get("data") for each in listed}
    assert found == {"kept": {"text": "x"}, "stays": None}
    assert (await calling.call(app, "GET", f"{MAPS}/kept")).json["data"] == {"text": "x"}
    watch = await calling.watch(app, MAPS)
    seen = [(await watch.next())["object"]["metadata"]["name"] for _ in range(2)]
    assert sorted(seen) == ["kept", "stays"]
    await watch.leave()
    answer = await calling.call(app, "POST", MAPS, config_map("later"))
    assert answer.status == 500
    assert "storage failed" in answer.json["message"]
    exported = (await calling.call(app, "GET", "/kubestage/v1/export")).json["items"]
    maps = [each["metadata"]["name"] for each in exported if each["kind"] == "ConfigMap"]
    assert {"kept", "stays"} <= set(maps)
    assert "later" not in maps


def test_time_stands_still_when_nothing_can_be_kept(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> None:
        with served(tmp_path / "data") as (live, journal):
            pacer = Pacer(live)
            pacer.start()
            connection = journal._committing._files.database._connection
            connection.execute("PRAGMA max_page_count = 40")
            live.store.create(config_map("large", text="y" * 900_000))
            with pytest.raises(StorageFailed):
                await live.settled()
            assert "time stands still" in pacer.state()["message"]
            assert pacer.mode is Mode.PAUSED
            await pacer.close()

    with caplog.at_level(logging.CRITICAL):
        asyncio.run(asyncio.wait_for(play(), HANG_S))


class NoRoom(sqlite3.Connection):
    """Cannot move its log into the file."""

    def execute(self, statement: str, *more: Any) -> sqlite3.Cursor:
        if "wal_checkpoint" in statement or statement == "VACUUM":
            raise sqlite3.OperationalError("database or disk is full")
        return super().execute(statement, *more)


def test_a_disk_without_room_for_the_last_checkpoint_loses_nothing(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    async def play() -> None:
        with served(tmp_path / "data") as (live, journal):
            live.store.create(config_map("kept"))
            await live.settled()
        assert journal.failure is None

    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", functools.partial(connect, factory=NoRoom))
        asyncio.run(play())
    stage, journal = opening.open_directory(tmp_path / "data").stage()
    assert names(stage.store) == ["kept"]
    journal.close()


# A program of which no file may grow beyond a size.
LIMITED = """
import os, resource, sys
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.mark.parametrize("limit", [500, 70_000, 150_000])
def test_a_server_on_a_full_disk_ends_with_a_message(tmp_path: pathlib.Path, limit: int) -> None:
    program = pathlib.Path(sys.executable).with_name("kubestage")
    command = [sys.executable, "-c", LIMITED, str(limit), str(program), "serve", "--port", "0"]
    command += ["--data-dir", str(tmp_path / "data"), "--nodes", "60"]
    command += ["--record", str(tmp_path / "session.yaml")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as server:
        assert server.stdout is not None
        for line in server.stdout:
            if "http://" in line:
                server.terminate()
        assert server.stderr is not None
        said = server.stderr.read()
    assert server.returncode in (1, 2), said
    assert "Error: " in said
    assert "Traceback" not in said
    left_over = [each for each in tmp_path.rglob(".*") if each.is_file()]
    assert not left_over


@pytest.mark.parametrize("is_new", [True, False])
def test_a_directory_on_a_full_disk_is_refused(tmp_path: pathlib.Path, is_new: bool) -> None:
    if not is_new:
        _, journal = opening.open_directory(tmp_path / "data").stage()
        journal.close()
    (message,) = _told_by(_open, tmp_path / "data")
    assert "journal.sqlite3" in message
    assert "space" in message
