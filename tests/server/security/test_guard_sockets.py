"""WebSockets are let in by the same rules as requests."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from kubestage.server.security.settings import RequestLimits
from tests.server import calling
from tests.server.security.doors import LOCAL, Door

PATH = "/api/v1/namespaces/default/pods/web/exec"


class Inside:
    """What is behind the door: takes every WebSocket, for as long as it is told to."""

    def __init__(self, waits: asyncio.Event | None = None) -> None:
        self.served = 0
        self.waits = waits

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "websocket"
        self.served += 1
        await send({"type": "websocket.accept"})
        if self.waits is not None:
            await self.waits.wait()
        await send({"type": "websocket.close"})


async def _connect(door: Door, **headers: str) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(dict(message))

    scope = calling.scope("GET", PATH, {**LOCAL, **headers})
    del scope["method"]
    await door.guard({**scope, "type": "websocket", "subprotocols": []}, receive, send)
    return sent


def connect(door: Door, **headers: str) -> tuple[int, str]:
    """The status that a client sees, and the message that comes with it."""
    sent = asyncio.run(_connect(door, **headers))
    if sent[0]["type"] == "websocket.accept":
        return 101, ""
    assert sent[0]["type"] == "websocket.http.response.start"
    return sent[0]["status"], json.loads(sent[1]["body"])["message"]


def test_whoever_is_known_comes_in() -> None:
    door = Door(Inside())
    assert connect(door) == (101, "")
    assert connect(door, origin="http://localhost:18080") == (101, "")
    assert door.inside.served == 2
    assert door.traffic.in_flight == 0


@pytest.mark.parametrize(
    ("headers", "problem"),
    [
        ({"host": "evil.example"}, "is not one that this server goes by"),
        ({"origin": "https://evil.example"}, "may not use this server"),
        ({"origin": "null"}, "may not use this server"),
    ],
)
def test_pages_of_others_are_kept_out(headers: dict[str, str], problem: str) -> None:
    door = Door(Inside())
    code, said = connect(door, **headers)
    assert code == 403
    assert problem in said
    assert (door.inside.served, door.traffic.refused) == (0, 1)


def test_a_token_is_demanded() -> None:
    door = Door(Inside(), token="correct-horse-battery")
    assert connect(door)[0] == 401
    assert connect(door, authorization="Bearer wrong")[0] == 401
    assert door.inside.served == 0
    assert connect(door, authorization="Bearer correct-horse-battery")[0] == 101


def test_there_are_no_more_than_may_be() -> None:
    async def story() -> None:
        waits = asyncio.Event()
        door = Door(Inside(waits), limits=RequestLimits(watchers=1))
        first = asyncio.ensure_future(_connect(door))
        await asyncio.sleep(0)
        sent = await _connect(door)
        assert sent[0]["status"] == 429
        waits.set()
        await first
        assert (await _connect(door))[0]["type"] == "websocket.accept"

    asyncio.run(story())


def test_one_that_takes_too_long_is_let_go_of() -> None:
    async def story() -> None:
        door = Door(Inside(asyncio.Event()), limits=RequestLimits(request_s=0.01))
        assert [each["type"] for each in await _connect(door)] == ["websocket.accept"]
        assert door.traffic.in_flight == 0

    asyncio.run(story())
