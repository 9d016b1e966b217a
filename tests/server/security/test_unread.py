"""Every byte counts: heads, what is around chunks, and what nobody reads."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import TYPE_CHECKING

import pytest

from kubestage.server.security.settings import RequestLimits
from tests.deadlines import HANG_S
from tests.server.fuzz import oracle
from tests.server.fuzz.sockets import CONFIG_MAPS, HOST, listening, rest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server.fuzz.sockets import Server

POST = f"POST {CONFIG_MAPS} HTTP/1.1\r\n".encode() + HOST
GET = f"GET {CONFIG_MAPS} HTTP/1.1\r\n".encode() + HOST
LAST = b"GET /version HTTP/1.1\r\nconnection: close\r\n" + HOST + b"\r\n"
CHUNKED = b"transfer-encoding: chunked\r\n\r\n"
BODY = b'{"metadata":{"name":"one"}}'
CHUNK = b"%x\r\n%b\r\n" % (len(BODY), BODY)
SMALL = RequestLimits(head_bytes=1000)


@pytest.fixture(autouse=True, params=["plain", "fast"])
def _loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Event loops differ in what they make of a connection that is gone."""
    if request.param == "fast":
        before = asyncio.get_event_loop_policy()
        asyncio.set_event_loop_policy(pytest.importorskip("uvloop").EventLoopPolicy())
        yield
        asyncio.set_event_loop_policy(before)
        return
    yield


async def answers(server: Server, *parts: bytes) -> list[int]:
    """The codes of all answers on one connection, until it is closed."""
    reader, writer = await server.connect()
    for part in parts:
        writer.write(part)
        await asyncio.sleep(0)
    found = await rest(reader)
    writer.close()
    return [int(code) for code in re.findall(rb"HTTP/1.1 (\d+) ", found)]


@pytest.mark.parametrize("head", [b"x: " + b"y" * 1500, b"x: y\r\n" * 250 + b"x: z"])
@pytest.mark.parametrize("first", [b"", GET + b"\r\n"], ids=["first", "later"])
def test_a_head_is_cut_at_its_size_also_if_it_comes_at_once(head: bytes, first: bytes) -> None:
    async def story() -> None:
        async with listening(SMALL) as server:
            found = await answers(server, first + GET + head + b"\r\n\r\n" + LAST)
            assert found[-1] == 431
            assert await server.is_well()

    asyncio.run(story())


@pytest.mark.parametrize(
    "trailers",
    [b"x: " + b"y" * 5000, b"x: y\r\n" * 1000, b"y" * 5000],
    ids=["long", "many", "endless"],
)
def test_what_follows_the_chunks_counts_as_a_head_does(trailers: bytes) -> None:
    async def story() -> None:
        async with listening(SMALL) as server:
            reader, writer = await server.connect()
            writer.write(POST + CHUNKED + CHUNK + b"0\r\n")
            for at in range(0, len(trailers), 500):
                await writer.drain()
                writer.write(trailers[at : at + 500])
                await asyncio.sleep(0.001)
            writer.write(b"\r\n\r\n" + LAST)
            assert b" 431 " in (await rest(reader)).partition(b"\r\n")[0]
            writer.close()
            code, _ = await server.ask("GET", f"{CONFIG_MAPS}/one")
            assert code == 404
            assert await server.is_well()

    asyncio.run(story())


def test_what_is_said_about_chunks_counts_as_well() -> None:
    async def story() -> None:
        async with listening(SMALL) as server:
            chunk = b"1;" + b"y" * 500 + b"\r\nx\r\n"
            reader, writer = await server.connect()
            writer.write(POST + CHUNKED)
            for _ in range(50):
                writer.write(chunk)
                await asyncio.sleep(0.001)
            writer.write(b"0\r\n\r\n" + LAST)
            assert b" 431 " in (await rest(reader)).partition(b"\r\n")[0]
            writer.close()

    asyncio.run(story())


def test_chunks_of_one_byte_and_a_few_trailers_are_taken() -> None:
    async def story() -> None:
        async with listening(SMALL) as server:
            chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in BODY + b" " * 5000)
            sent = POST + CHUNKED + chunks + b"0\r\nhost: evil.example\r\n\r\n" + LAST
            assert await answers(server, sent) == [201, 200]

    asyncio.run(story())


@pytest.mark.parametrize(
    ("request_head", "code"),
    [
        (POST + b"content-length: 100\r\n\r\n{", 401),
        (POST + CHUNKED + CHUNK, 401),
        (GET + b"content-length: 100\r\n\r\n{", 401),
        (POST + b"authorization: Bearer t\r\ncontent-length: 99999\r\n\r\n{", 413),
        (POST + b"authorization: Bearer t\r\n" + CHUNKED + b"1000\r\n" + b"x" * 4096, 413),
        (POST + b"authorization: Bearer t\r\ncontent-length: 1000\r\n\r\n{", 504),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"content-length: 100\r\n\r\n{", 200),
    ],
)
def test_what_is_left_of_a_request_ends_the_connection(request_head: bytes, code: int) -> None:
    async def story() -> None:
        limits = RequestLimits(body_bytes=2000, request_s=0.2)
        async with listening(limits, token="t") as server:
            reader, writer = await server.connect()
            writer.write(request_head)
            found = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HANG_S)
            assert found.startswith(b"HTTP/1.1 %d " % code)
            # Whatever follows is not taken for a request, nor is there one that is answered.
            writer.write(b"x" * 200 + b"\r\n0\r\n\r\n" + LAST)
            assert b"HTTP/1.1" not in await rest(reader)
            writer.close()

    asyncio.run(story())


def test_a_refusal_of_a_request_that_is_complete_keeps_the_connection() -> None:
    async def story() -> None:
        async with listening(token="t") as server:
            assert await answers(server, GET + b"\r\n", LAST) == [401, 401]

    asyncio.run(story())


def test_the_refusal_reaches_a_client_that_goes_on_sending() -> None:
    async def story() -> None:
        async with listening(token="t") as server:
            reader, writer = await server.connect()
            writer.write(POST + b"content-length: 200000\r\n\r\n" + b"x" * 100_000)
            found = await rest(reader)
            assert found.startswith(b"HTTP/1.1 401 ")
            assert b"connection: close" in found
            assert found.endswith(b"}")
            writer.close()

    asyncio.run(story())


def test_empty_lines_do_not_keep_a_connection() -> None:
    async def story() -> None:
        async with listening(RequestLimits(idle_s=1, head_s=1)) as server:
            reader, writer = await server.connect()
            writer.write(b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
            await asyncio.wait_for(reader.readuntil(b"\r\n\r\nok"), HANG_S)
            writer.write(b"\r\n")
            assert await rest(reader) == b""
            writer.close()

    asyncio.run(story())


def test_of_a_long_pipeline_the_first_requests_are_answered() -> None:
    async def story() -> None:
        async with listening() as server:
            found = await answers(server, (GET + b"\r\n") * 2000 + LAST)
            assert set(found) == {200}
            assert 200 < len(found) < 2000
            assert await server.is_well()

    asyncio.run(story())


def test_who_leaves_a_pipeline_leaves_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        loop = oracle.Loop()
        async with listening() as server:
            before = len(asyncio.all_tasks())
            watch = GET.replace(b" HTTP", b"?watch=1 HTTP") + b"\r\n"
            length = b"content-length: 100\r\n\r\n{"
            for sent in (GET + b"\r\n", watch, POST + b"content-length: 2\r\n\r\n{}"):
                for follower in (GET + b"\r\n", watch, POST + length, b"GET"):
                    for _ in range(5):
                        _, writer = await server.connect()
                        writer.write(sent + follower * 3)
                        await asyncio.sleep(0.001)
                        writer.transport.abort()
            assert await server.is_well()
            await server.settled()
            async with asyncio.timeout(HANG_S):
                while len(asyncio.all_tasks()) > before:
                    await asyncio.sleep(0.01)
        assert not loop.problems

    with caplog.at_level(logging.ERROR):
        asyncio.run(story())
    assert not caplog.records
