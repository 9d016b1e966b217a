"""From a data directory to a stage and back."""

from __future__ import annotations

import asyncio
import os
import stat
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import Expired, InputError
from kubestage.server.journal import opening
from kubestage.server.journal.committing import RESERVED
from tests.server.journal.serving import CONFIG_MAP, config_map, copy_of, names, served, texts

if TYPE_CHECKING:
    import pathlib


def test_a_new_directory_is_for_its_owner_only(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        with served(tmp_path / "deep" / "data") as (live, _):
            live.store.create(config_map("a"))
            await live.settled()
            files = list((tmp_path / "deep" / "data").iterdir())
            assert {each.name for each in files} == {
                "journal.sqlite3", "journal.sqlite3-wal", "committed", "lock",
            }  # fmt: skip
            assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {0o600}

    asyncio.run(play())
    assert stat.S_IMODE((tmp_path / "deep" / "data").stat().st_mode) == 0o700


def test_everything_comes_back_byte_for_byte(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        with served(tmp_path / "data") as (live, _):
            store = live.store
            for name in ("z", "a", "m"):
                store.create(config_map(name, text="ünï"))
            store.patch(CONFIG_MAP, "a", {"data": {"k": "v"}})
            store.delete(CONFIG_MAP, "z")
            store.create(config_map("z", again="yes"))
            await live.settled()
            before, revision, time = texts(store), store.resource_version, live.stage.now
        with served(tmp_path / "data") as (live, _):
            assert list(texts(live.store).items()) == list(before.items())
            assert live.store.resource_version == revision
            assert live.stage.now == time
            assert names(live.store) == ["a", "m", "z"]

    asyncio.run(play())


def test_what_was_killed_comes_back_with_all_that_was_safe(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        with served(tmp_path / "data") as (live, _):
            live.store.create(config_map("a"))
            await live.settled()
            live.store.create(config_map("never-safe"))
            left = copy_of(tmp_path / "data")
            seen = live.store.revision
        with served(left) as (live, _):
            assert names(live.store) == ["a"]
            assert live.store.revision >= seen
            with pytest.raises(Expired):
                live.store.watch(CONFIG_MAP, resource_version=str(seen))

    asyncio.run(play())


def test_versions_go_on_exactly_after_an_orderly_end_and_with_a_leap_after_another(
    tmp_path: pathlib.Path,
) -> None:
    async def play() -> None:
        with served(tmp_path / "data") as (live, _):
            live.store.create(config_map("a"))
            await live.settled()
            seen, left = live.store.revision, copy_of(tmp_path / "data")
        with served(tmp_path / "data") as (live, _):
            assert live.store.revision == seen
        with served(left) as (live, _):
            assert seen < live.store.revision <= seen + RESERVED
            again, left = live.store.revision, copy_of(left)
        with served(left) as (live, _):
            assert live.store.revision > again

    asyncio.run(play())


def test_more_versions_are_reserved_long_before_they_are_used(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        with served(tmp_path / "data") as (live, _):
            live.store.ledger.revision += 2 * RESERVED
            live.store.create(config_map("a"))
            await live.settled()
            seen, left = live.store.revision, copy_of(tmp_path / "data")
        with served(left) as (live, _):
            assert live.store.revision >= seen + RESERVED // 2

    asyncio.run(play())


def test_no_boot_repeats_the_uids_of_another(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        uids: set[str] = set()
        for boot in range(4):
            with served(tmp_path / "data") as (live, _):
                uids.add(live.store.create(config_map(f"boot-{boot}"))["metadata"]["uid"])
                assert live.stage.streams.boot == boot
        assert len(uids) == 4

    asyncio.run(play())


def test_a_boot_counts_even_if_nothing_happens_in_it(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        with served(tmp_path / "data"):
            pass

    asyncio.run(play())
    for boot in (1, 2):
        left = copy_of(tmp_path / "data")
        stage, journal = opening.open_directory(tmp_path / "data").stage()
        assert stage.streams.boot == boot
        journal.close()
    stage, journal = opening.open_directory(left).stage()
    assert stage.streams.boot == 2
    journal.close()


def test_the_seed_is_the_first_one_unless_another_is_given(tmp_path: pathlib.Path) -> None:
    for given, expected in ((7, 7), (None, 7), (8, 8), (None, 8)):
        stage, journal = opening.open_directory(tmp_path / "data").stage(given)
        assert stage.seed == expected
        journal.close()


def test_the_clock_goes_on_where_it_was(tmp_path: pathlib.Path) -> None:
    stage, journal = opening.open_directory(tmp_path / "data").stage(start="2030-01-01T00:00:00Z")
    stage.run("90s")
    stage.store.create(config_map("a"))
    journal.close()
    stage, journal = opening.open_directory(tmp_path / "data").stage(start="2040-01-01T00:00:00Z")
    assert stage.now == "2030-01-01T00:01:30Z"
    journal.close()


def test_what_was_to_be_remembered_is(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        with served(tmp_path / "data") as (_, journal):
            await journal.remember("configuration", "profiles: []")
            await journal.remember("other", "x")
            await journal.remember("other", None)
            left = copy_of(tmp_path / "data")
        opened = opening.open_directory(left)
        assert opened.remembered == {"configuration": "profiles: []"}
        assert not opened.is_new
        opened.close()

    asyncio.run(play())


def test_half_of_a_surrogate_pair_is_kept(tmp_path: pathlib.Path) -> None:
    stage, journal = opening.open_directory(tmp_path / "data").stage()
    stage.store.create(config_map("a", odd="\ud800"))
    journal.close()
    stage, journal = opening.open_directory(tmp_path / "data").stage()
    assert stage.store.get(CONFIG_MAP, "a")["data"] == {"odd": "\ud800"}
    journal.close()


def test_one_process_for_each_directory(tmp_path: pathlib.Path) -> None:
    opened = opening.open_directory(tmp_path)
    with pytest.raises(InputError) as refused:
        opening.open_directory(tmp_path)
    assert str(tmp_path) in str(refused.value)
    assert f"process {os.getpid()}" in str(refused.value)
    opened.close()
    opening.open_directory(tmp_path).close()


def test_a_file_is_no_directory(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError, match="this is not a directory"):
            opening.open_directory(path)
