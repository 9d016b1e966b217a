from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from kubestage.server import serving
from kubestage.server.security.settings import RequestLimits
from tests.deadlines import HANG_S
from tests.server.security.doors import Inside

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

HEAD = b"GET /api/v1/pods HTTP/1.1\r\nhost: localhost\r\n"


@contextlib.asynccontextmanager
async def served(application: Any, limits: RequestLimits) -> AsyncIterator[int]:
    started = asyncio.Event()
    listening = serving.listen("127.0.0.1", 0)
    server = serving.server(application, serving.ListenOptions(limits=limits), started.set)
    task = asyncio.ensure_future(server.serve([listening]))
    await asyncio.wait_for(started.wait(), HANG_S)
    try:
        yield listening.getsockname()[1]
    finally:
        server.stop()
        await asyncio.wait_for(task, HANG_S)


async def rest(reader: asyncio.StreamReader) -> bytes:
    with contextlib.suppress(ConnectionResetError):
        return await asyncio.wait_for(reader.read(), HANG_S)
    return b""


async def ask(port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HEAD + b"connection: close\r\n\r\n")
    answer = await rest(reader)
    writer.close()
    return answer


def test_a_client_that_says_nothing_is_sent_away() -> None:
    async def story() -> None:
        async with served(Inside(), RequestLimits(head_s=0.05)) as port:
            for begun in (b"", HEAD):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(begun)
                assert await rest(reader) == b""
                writer.close()

    asyncio.run(story())


def test_a_second_request_has_as_long_as_the_first() -> None:
    async def story() -> None:
        async with served(Inside(), RequestLimits(head_s=0.05)) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(HEAD + b"\r\n")
            assert b"200 OK" in await reader.readuntil(b"0\r\n\r\n")
            writer.write(HEAD)
            assert await rest(reader) == b""
            writer.close()

    asyncio.run(story())


def test_a_head_without_end_is_refused() -> None:
    async def story() -> None:
        async with served(Inside(), RequestLimits(head_bytes=1000)) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(HEAD + b"x-more: " + b"y" * 1000 + b"\r\n")
            assert (await rest(reader)).startswith(b"HTTP/1.1 431 ")
            writer.close()

    asyncio.run(story())


def test_slow_clients_do_not_stall_others() -> None:
    async def story() -> None:
        async with served(Inside(), RequestLimits()) as port:
            slow = [await asyncio.open_connection("127.0.0.1", port) for _ in range(50)]
            for index, (_, writer) in enumerate(slow):
                body = b"content-length: 100\r\n\r\nabc" if index % 2 else b""
                writer.write(HEAD.replace(b"GET", b"POST") + body)
            assert (await ask(port)).startswith(b"HTTP/1.1 200 OK")
            for _, writer in slow:
                writer.transport.abort()
            assert (await ask(port)).startswith(b"HTTP/1.1 200 OK")

    asyncio.run(story())


def test_what_is_no_http_is_refused() -> None:
    async def story() -> None:
        async with served(Inside(), RequestLimits()) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"\x16\x03\x01 hello\r\n\r\n")
            assert (await rest(reader)).startswith(b"HTTP/1.1 400 ")
            writer.close()

    asyncio.run(story())
