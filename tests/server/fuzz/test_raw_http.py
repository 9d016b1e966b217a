"""Whatever comes over a connection: the server answers or closes, and is none the worse for it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pathlib
import random
import re
from typing import TYPE_CHECKING

import pytest

from kubestage.server import serving
from kubestage.server.security.settings import RequestLimits
from tests.deadlines import HANG_S
from tests.server.fuzz import oracle, raw_http
from tests.server.fuzz.raw_http import TOKEN, Talk
from tests.server.fuzz.sockets import Server, listening, rest

if TYPE_CHECKING:
    from collections.abc import Callable

TALKS = 600
AT_ONCE = 200
# Who waits for what never comes is sent away soon.
LIMITS = RequestLimits(
    head_bytes=16 * 1024, body_bytes=64 * 1024, head_s=0.3, request_s=1, idle_s=1
)
MOST_BYTES = 256 << 20
_CODE = re.compile(rb"HTTP/1\.[01] (\d+) ")


async def hold(server: Server, talk: Talk) -> list[int]:
    """Say what is to be said; the codes of all answers, until the connection ends."""
    reader, writer = await server.connect()
    # What is sent to a connection that is closed is lost, as an event loop may say.
    with contextlib.suppress(OSError, RuntimeError):
        for piece in talk.pieces:
            writer.write(piece)
            await asyncio.sleep(0)
        if talk.leaves == "aborts":
            writer.transport.abort()
        elif talk.leaves == "shuts":
            writer.write_eof()
    found = await rest(reader)
    writer.transport.abort()
    return [int(code) for code in _CODE.findall(found)]


def _memory() -> int:
    return 4096 * int(pathlib.Path("/proc/self/statm").read_text().split()[1])


@pytest.mark.parametrize("seed", range(2))
def test_the_server_answers_or_closes_and_stays_well(
    seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        loop = oracle.Loop()
        rng = random.Random(seed)
        async with listening(LIMITS, token=TOKEN) as server:
            before = len(asyncio.all_tasks())
            memory = _memory()
            codes: set[int] = set()
            for _ in range(TALKS // AT_ONCE):
                talks = [raw_http.talk(rng) for _ in range(AT_ONCE)]
                async with asyncio.timeout(HANG_S):
                    for found in await asyncio.gather(*(hold(server, each) for each in talks)):
                        codes |= set(found)
                assert await server.ask("GET", "/healthz") == (200, b"ok")
            # Some of all sorts came through.
            assert codes >= {400, 401, 431}
            assert codes & {200, 201}
            assert 500 not in codes
            await server.settled()
            async with asyncio.timeout(HANG_S):
                while len(asyncio.all_tasks()) > before:
                    await asyncio.sleep(0.01)
            assert _memory() - memory < MOST_BYTES
        assert not loop.problems

    with caplog.at_level(logging.ERROR), asyncio.Runner(loop_factory=_factory(seed)) as runner:
        runner.run(story())
    assert not caplog.records


def _factory(seed: int) -> Callable[[], asyncio.AbstractEventLoop]:
    """Both event loops in turn: they differ in what they make of a connection that is gone."""
    return serving.loop_factory() if seed % 2 else asyncio.new_event_loop
