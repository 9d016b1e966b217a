"""Slow, greedy and vanishing clients do not stall others."""

from __future__ import annotations

import asyncio
import random

import msgspec
import pytest

from kubestage.server.security.settings import RequestLimits
from tests.deadlines import HANG_S
from tests.server.fuzz import values
from tests.server.fuzz.sockets import CONFIG_MAPS, HOST, listening, rest

POST = f"POST {CONFIG_MAPS} HTTP/1.1\r\n".encode() + HOST
GET = f"GET {CONFIG_MAPS} HTTP/1.1\r\n".encode() + HOST


def test_bodies_that_never_end_and_heads_that_dribble_do_not_stall_others() -> None:
    async def story() -> None:
        async with listening() as server:
            slow = [await server.connect() for _ in range(60)]
            for index, (_, writer) in enumerate(slow):
                begun = (POST + b"content-length: 99999\r\n\r\n{", GET, b"", b"P")[index % 4]
                writer.write(begun)
            for turn in range(5):
                for _, writer in slow:
                    writer.write(b"x")
                assert await server.is_well()
                assert await server.store(f"turn-{turn}") == 201
            for _, writer in slow:
                writer.transport.abort()
            assert await server.is_well()

    asyncio.run(story())


def test_a_body_that_does_not_come_in_time_is_given_up() -> None:
    async def story() -> None:
        async with listening(RequestLimits(request_s=0.1, head_s=0.1, idle_s=1)) as server:
            reader, writer = await server.connect()
            writer.write(POST + b"content-length: 100\r\n\r\n{")
            assert b" 504 " in (await rest(reader)).partition(b"\r\n")[0]
            writer.close()
            assert await server.is_well()

    asyncio.run(story())


@pytest.mark.parametrize("framing", ["length", "chunks"])
def test_a_body_that_is_too_large_is_refused(framing: str) -> None:
    async def story() -> None:
        async with listening(RequestLimits(body_bytes=10_000)) as server:
            reader, writer = await server.connect()
            if framing == "length":
                writer.write(POST + b"content-length: 1000000\r\n\r\n" + b"x" * 100)
            else:
                chunk = b"1000\r\n" + b"x" * 0x1000 + b"\r\n"
                writer.write(POST + b"transfer-encoding: chunked\r\n\r\n" + chunk * 5)
            head = await asyncio.wait_for(reader.readuntil(b"\r\n"), HANG_S)
            assert b" 413 " in head
            writer.transport.abort()
            assert await server.is_well()

    asyncio.run(story())


def test_clients_that_vanish_are_forgotten() -> None:
    async def story() -> None:
        rng = random.Random(0)
        async with listening() as server:
            assert await server.is_well()
            before = len(asyncio.all_tasks())
            for _ in range(10):
                opened = [await server.connect() for _ in range(40)]
                for _, writer in opened:
                    writer.write(rng.choice((POST, GET, GET + b"\r\n", POST + b"\r\n", b"")))
                watches = [await server.watch() for _ in range(10)]
                for _, writer in opened + watches:
                    writer.transport.abort()
                assert await server.is_well()
            await server.settled()
            async with asyncio.timeout(HANG_S):
                while len(asyncio.all_tasks()) > before:
                    await asyncio.sleep(0.01)

    asyncio.run(story())


def test_watchers_that_never_read_do_not_keep_news_from_others() -> None:
    async def story() -> None:
        async with listening() as server:
            deaf = [await server.watch() for _ in range(30)]
            for reader, _ in deaf:
                reader._transport.pause_reading()  # type: ignore[attr-defined] # as a client does
            reader, writer = await server.watch()
            names = [f"big-{number}" for number in range(40)]
            heard = asyncio.ensure_future(_names(reader, len(names)))
            for name in names:
                assert await server.store(name, 100_000) == 201
            assert await asyncio.wait_for(heard, HANG_S) == names
            for each in (writer, *(other for _, other in deaf)):
                each.transport.abort()
            await server.settled()
            assert await server.is_well()

    asyncio.run(story())


async def _names(reader: asyncio.StreamReader, count: int) -> list[str]:
    """Of whom a watch tells, in order."""
    found: list[str] = []
    text = b""
    while len(found) < count:
        size = int(await reader.readuntil(b"\r\n"), 16)
        text += await reader.readexactly(size)
        await reader.readexactly(2)
        *lines, text = text.split(b"\n")
        found += [msgspec.json.decode(line)["object"]["metadata"]["name"] for line in lines]
    return found


def test_bytes_that_are_no_requests_are_refused() -> None:
    async def story() -> None:
        rng = random.Random(1)
        async with listening() as server:
            for _ in range(300):
                reader, writer = await server.connect()
                sound = rng.choice((GET + b"\r\n", POST + b"content-length: 2\r\n\r\n{}"))
                writer.write(values.altered_bytes(sound, rng) + rng.randbytes(20) + b"\r\n\r\n")
                if writer.can_write_eof():
                    writer.write_eof()
                answer = await rest(reader)
                assert not answer or answer.startswith(b"HTTP/1.1 ")
                assert not answer.startswith(b"HTTP/1.1 5")
                writer.close()
            assert await server.is_well()

    asyncio.run(story())


def test_requests_one_after_the_other_are_answered_in_order() -> None:
    async def story() -> None:
        async with listening() as server:
            reader, writer = await server.connect()
            paths = [f"{CONFIG_MAPS}/none-{number}" for number in range(200)]
            for path in paths:
                writer.write(f"GET {path} HTTP/1.1\r\n".encode() + HOST + b"\r\n")
            writer.write(GET + b"connection: close\r\n\r\n")
            answer = await rest(reader)
            writer.close()
            places = [answer.index(f'\\"none-{number}\\"'.encode()) for number in range(200)]
            assert places == sorted(places)
            assert answer.count(b"HTTP/1.1 404") == len(paths)

    asyncio.run(story())


def test_thousands_of_connections_come_and_go() -> None:
    async def story() -> None:
        async with listening() as server:
            for _ in range(20):
                opened = await asyncio.gather(*(server.connect() for _ in range(100)))
                for _, writer in opened:
                    writer.close()
            assert await server.is_well()

    asyncio.run(story())
