"""A whole server on a socket, and clients that do what they like with theirs."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

from kubestage.server import serving
from kubestage.server.assembly import AssemblyOptions, Served
from kubestage.server.security.settings import RequestLimits, SecuritySettings
from kubestage.stage import Stage
from tests.deadlines import HANG_S

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

HOST = b"host: localhost\r\n"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


class Server:
    """Where it listens, and what it serves."""

    def __init__(self, port: int, served: Served) -> None:
        self.port = port
        self.live = served.live

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection on which nothing has been said."""
        return await asyncio.wait_for(asyncio.open_connection("127.0.0.1", self.port), HANG_S)

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """A request of somebody who behaves; code and body of the answer."""
        reader, writer = await self.connect()
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\ncontent-length: {len(data)}\r\n".encode()
        writer.write(head + HOST + b"connection: close\r\n\r\n" + data)
        answer = await asyncio.wait_for(reader.read(), HANG_S)
        writer.close()
        start, _, rest = answer.partition(b"\r\n\r\n")
        return int(start.split()[1]), rest

    async def is_well(self) -> bool:
        """Whether somebody who behaves is served."""
        code, _ = await self.ask("GET", CONFIG_MAPS)
        return code == 200

    async def store(self, name: str, size: int = 0) -> int:
        """Put something there."""
        body = {"metadata": {"name": name}, "data": {"x": "x" * size}}
        return (await self.ask("POST", CONFIG_MAPS, body))[0]

    async def watch(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """An open watch of which the head has come."""
        reader, writer = await self.connect()
        writer.write(f"GET {CONFIG_MAPS}?watch=1 HTTP/1.1\r\n".encode() + HOST + b"\r\n")
        await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HANG_S)
        return reader, writer

    async def settled(self) -> None:
        """Wait until nobody watches any more."""
        async with asyncio.timeout(HANG_S):
            while self.live.fanout.watchers:
                await asyncio.sleep(0.01)


async def rest(reader: asyncio.StreamReader) -> bytes:
    """All that still comes; a connection that is torn down has nothing more to say."""
    with contextlib.suppress(ConnectionError):
        return await asyncio.wait_for(reader.read(), HANG_S)
    return b""


@contextlib.asynccontextmanager
async def listening(
    limits: RequestLimits | None = None, token: str | None = None
) -> AsyncIterator[Server]:
    """A server as people run it."""
    limits = limits or RequestLimits()
    security = SecuritySettings(limits=limits, token=token)
    served = Served(Stage(), AssemblyOptions(security=security, scheduler="none"))
    started = asyncio.Event()
    listener = serving.listen("127.0.0.1", 0)
    server = serving.server(served.application, serving.ListenOptions(limits=limits), started.set)
    task = asyncio.ensure_future(server.serve([listener]))
    served.start()
    try:
        await asyncio.wait_for(started.wait(), HANG_S)
        yield Server(listener.getsockname()[1], served)
    finally:
        server.stop()
        server.stop()
        await asyncio.wait_for(task, HANG_S)
        await served.close()
