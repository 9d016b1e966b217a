"""A process that serves a data directory to writers of its own, until somebody kills it.

Each writer goes through the lives of its own objects, one request at a time, and tells of a request
what an answer would: after it is safe, and not before.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.server.journal.model import REQUESTS, Begun, Told, value_after
from tests.server.journal.serving import CONFIG_MAP, config_map, served

if TYPE_CHECKING:
    import pathlib
    from multiprocessing.connection import Connection

    from kubestage.server.live import Live

WRITERS = 16


def main(directory: pathlib.Path, boot: int, is_relaxed: bool, pipe: Connection) -> None:
    """Work until killed."""
    asyncio.run(_work(directory, boot, pipe, is_relaxed))


async def _work(directory: pathlib.Path, boot: int, pipe: Connection, is_relaxed: bool) -> None:
    with served(directory, is_relaxed=is_relaxed) as (live, _):
        found = live.store.read(CONFIG_MAP)
        values = {obj["metadata"]["name"]: obj["data"]["value"] for obj in found.values()}
        pipe.send(Begun(values, live.store.revision))
        tasks = [_write(live, f"b{boot}-w{writer}", pipe) for writer in range(WRITERS)]
        await asyncio.gather(_watch(live, pipe), *tasks)


async def _write(live: Live, name: str, pipe: Connection) -> None:
    number = 0
    while True:
        number += 1
        for requests in range(1, REQUESTS + 1):
            told = _request(live, f"{name}-{number}", requests)
            await live.settled()
            pipe.send(told)


def _request(live: Live, name: str, requests: int) -> Told:
    store, value = live.store, value_after(name, requests)
    if value is None:
        store.delete(CONFIG_MAP, name)
    elif requests == 1:
        store.create(config_map(name, value=value))
    else:
        changed: dict[str, Any] = {"data": {"value": value}}
        store.patch(CONFIG_MAP, name, changed)
    return Told(name, value, store.revision)


async def _watch(live: Live, pipe: Connection) -> None:
    """See, as a watch would, how far changes are visible."""
    while True:
        await asyncio.sleep(0.002)
        pipe.send(live.fanout.visible)
