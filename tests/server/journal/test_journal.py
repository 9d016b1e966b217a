"""What is told, and when."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.server.journal import opening
from kubestage.server.journal.failures import StorageFailed
from kubestage.server.live import Live
from tests.server.journal.serving import CONFIG_MAP, config_map, copy_of, names, served

if TYPE_CHECKING:
    import pathlib
    import sqlite3

    from kubestage.server.journal.journal import Journal


def test_watches_are_told_only_of_what_is_on_disk(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        with served(tmp_path / "data") as (live, journal):
            before = live.fanout.visible
            assert before == live.store.revision == journal.revision
            live.store.create(config_map("a"))
            revision = live.store.revision
            await asyncio.sleep(0)
            assert live.fanout.visible == journal.revision == before
            await live.settled()
            assert live.fanout.visible == journal.revision == revision

    asyncio.run(play())


def test_what_happens_during_a_commit_is_in_the_next_one(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        with served(tmp_path / "data") as (live, _):

            async def write(number: int) -> None:
                for turn in range(10):
                    live.store.create(config_map(f"{number}-{turn}"))
                    await live.settled()

            commits = _commits(live)
            await asyncio.gather(*(write(number) for number in range(50)))
            assert 10 <= _commits(live) - commits <= 40
        with served(tmp_path / "data") as (live, _):
            assert len(live.store.read(CONFIG_MAP)) == 500

    asyncio.run(play())


def _commits(live: Live) -> int:
    journal: Any = live.durability
    count: int = journal._committing.safe.commit
    return count


def test_many_changes_at_once_leave_others_their_turn(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        with served(tmp_path / "data") as (live, _):
            for number in range(3_000):
                live.store.create(config_map(f"c-{number}"))
            counting = asyncio.create_task(count())
            await live.settled()
            counting.cancel()
        assert turns > 10

    asyncio.run(play())


def test_a_journal_that_is_closed_in_the_midst_of_writing_keeps_all(
    tmp_path: pathlib.Path,
) -> None:
    async def play(turns: int) -> None:
        directory = tmp_path / f"data-{turns}"
        with served(directory) as (live, _):
            for number in range(1_000):
                live.store.create(config_map(f"c-{number}"))
            waiting = asyncio.create_task(live.settled())
            for _ in range(turns):
                await asyncio.sleep(0)
            live.store.create(config_map("last"))
        await waiting
        with served(directory) as (live, _):
            assert len(live.store.read(CONFIG_MAP)) == 1_001

    for turns in (0, 1, 2, 3, 5, 8):
        asyncio.run(play(turns))


def test_a_journal_may_be_closed_after_its_loop(tmp_path: pathlib.Path) -> None:
    async def play() -> Journal:
        stage, journal = opening.open_directory(tmp_path / "data").stage()
        journal.start(Live(stage))
        stage.store.create(config_map("a"))
        return journal

    asyncio.run(play()).close()
    stage, journal = opening.open_directory(tmp_path / "data").stage()
    assert names(stage.store) == ["a"]
    journal.close()


def test_changes_of_which_nobody_was_told_yet_are_kept(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        with served(tmp_path / "data") as (live, _):
            store = live.store
            obj = {**config_map("a"), "metadata": {"name": "a", "namespace": "default"}}
            store.put(store.kind(CONFIG_MAP), "default/a", obj)
            await live.settled()
            left = copy_of(tmp_path / "data")
        with served(left) as (live, _):
            assert names(live.store) == ["a"]

    asyncio.run(play())


def test_a_copy_of_the_stage_is_not_kept(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        with served(tmp_path / "data") as (live, _):
            copy = live.stage.fork()
            copy.store.create(config_map("elsewhere"))
        with served(tmp_path / "data") as (live, _):
            assert names(live.store) == []

    asyncio.run(play())


def test_what_cannot_be_written_is_never_called_safe(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> None:
        with served(tmp_path / "data") as (live, journal):
            live.store.create(config_map("safe"))
            await live.settled()
            safe = journal.revision
            _limit_pages(journal, 40)
            live.store.create(config_map("large", text="x" * 900_000))
            waiting = [asyncio.create_task(live.settled()) for _ in range(3)]
            for each in waiting:
                with pytest.raises(StorageFailed, match="the disk is full"):
                    await each
            live.store.create(config_map("small"))
            with pytest.raises(StorageFailed, match=r"storage failed: .*journal\.sqlite3"):
                await live.settled()
            with pytest.raises(StorageFailed):
                await journal.remember("a", "b")
            assert journal.failure is not None
            assert journal.failure.code == 500
            assert live.fanout.visible == journal.revision == safe
            assert names(live.store) == ["safe", "large", "small"]

    with caplog.at_level(logging.ERROR):
        asyncio.run(play())
    assert "the disk is full" in caplog.text

    async def look() -> None:
        with served(tmp_path / "data") as (live, _):
            assert names(live.store) == ["safe"]

    asyncio.run(look())


def _limit_pages(journal: Journal, pages: int) -> None:
    connection: sqlite3.Connection = journal._committing._files.database._connection
    connection.execute(f"PRAGMA max_page_count = {pages}")


def test_a_failure_at_the_end_is_told_too(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> None:
        stage, journal = opening.open_directory(tmp_path / "data").stage()
        journal.start(Live(stage))
        _limit_pages(journal, 40)
        stage.store.create(config_map("large", text="x" * 900_000))
        journal.close()
        assert journal.failure is not None

    with caplog.at_level(logging.ERROR):
        asyncio.run(play())
    assert "the disk is full" in caplog.text


def test_relaxed_durability_tells_at_once_and_writes_soon(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        with served(tmp_path / "data", is_relaxed=True) as (live, journal):
            live.store.create(config_map("a"))
            await live.settled()
            unsaved = copy_of(tmp_path / "data")
            seen = live.store.revision
            assert journal.revision == seen
            await asyncio.sleep(0)
            assert live.fanout.visible == seen
            await _until_committed(journal, seen)
            saved = copy_of(tmp_path / "data")
        with served(unsaved) as (live, _):
            assert names(live.store) == []
            assert live.store.revision >= seen
        with served(saved) as (live, _):
            assert names(live.store) == ["a"]

    asyncio.run(play())


async def _until_committed(journal: Journal, revision: int) -> None:
    while journal._committing.safe.revision < revision:
        await asyncio.sleep(0.01)


def test_relaxed_durability_tells_no_version_that_is_not_reserved(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        with served(tmp_path / "data", is_relaxed=True) as (live, journal):
            reserved = journal._committing.safe.reserved
            live.store.ledger.revision = reserved
            live.store.create(config_map("a"))
            assert journal.revision == reserved
            waiting = asyncio.create_task(live.settled())
            await asyncio.sleep(0)
            assert not waiting.done()
            await waiting
            assert journal._committing.safe.reserved > reserved
            assert live.fanout.visible == reserved + 1

    asyncio.run(play())
