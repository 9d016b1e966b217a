"""The files are as large as what they hold, more or less, however long a server runs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tests.server.journal.serving import CONFIG_MAP, config_map, served

if TYPE_CHECKING:
    import pathlib

MEGABYTE = 1_000_000


def _size(directory: pathlib.Path) -> int:
    return sum(each.stat().st_size for each in directory.iterdir())


def test_changes_do_not_pile_up(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        with served(tmp_path / "data") as (live, _):
            for number in range(10):
                live.store.create(config_map(f"c-{number}"))
            for turn in range(800):
                changed = {"data": {"text": f"{turn}" * 3_000}}
                for number in range(10):
                    live.store.patch(CONFIG_MAP, f"c-{number}", changed)
                await live.settled()
            assert _size(tmp_path / "data") < 30 * MEGABYTE

    # About 80 MB are written in all.
    asyncio.run(play())
    assert _size(tmp_path / "data") < MEGABYTE


def test_the_space_of_what_is_gone_is_given_back_at_the_next_start(tmp_path: pathlib.Path) -> None:
    async def fill() -> None:
        with served(tmp_path / "data") as (live, _):
            for number in range(5_000):
                live.store.create(config_map(f"c-{number}", text="x" * 9_000))
            await live.settled()
            live.store.delete_collection(CONFIG_MAP, "default")

    async def look() -> None:
        with served(tmp_path / "data"):
            pass

    asyncio.run(fill())
    assert _size(tmp_path / "data") > 40 * MEGABYTE
    asyncio.run(look())
    assert _size(tmp_path / "data") < MEGABYTE
