"""A client in the same process: requests straight into the application, streams line by line."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec

from kubestage.server.app import Application
from kubestage.server.live import Live
from kubestage.stage import Stage
from tests.deadlines import HANG_S

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


def application(stage: Stage | None = None) -> Application:
    """A server for a stage, by default an empty one on which nothing moves."""
    return Application(Live(stage or Stage(implicit_namespaces=False)))


class Answer:
    """What came back."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = b""

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    def header(self, name: str) -> list[str]:
        wanted = name.lower().encode()
        return [value.decode() for key, value in self.headers if key == wanted]


def scope(
    method: str, path: str, headers: dict[str, str] | None = None, **query: Any
) -> dict[str, Any]:
    """What an HTTP server tells an application about a request."""
    sent = {"user-agent": "test/1.0", "accept": "application/json", **(headers or {})}
    return {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": urlencode(query, doseq=True).encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
    }


async def call(
    app: Any,
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
    **query: Any,
) -> Answer:
    """One request and its whole answer; a dict is sent as JSON."""
    answer = Answer()
    data = body if isinstance(body, bytes) else b"" if body is None else msgspec.json.encode(body)
    messages = [{"type": "http.request", "body": data, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answer.status, answer.headers = message["status"], message["headers"]
        else:
            answer.body += message.get("body", b"")

    await app(scope(method, path, headers, **query), receive, send)
    return answer


class Watching:
    """An open watch whose events are read one by one."""

    def __init__(self, app: Any, path: str, headers: dict[str, str] | None, query: Any) -> None:
        self._queue: asyncio.Queue[Any] = asyncio.Queue()
        self._gone = asyncio.Event()
        self.status = 0
        self._started = asyncio.Event()
        asked = scope("GET", path, headers, watch="1", **query)
        self._task = asyncio.ensure_future(app(asked, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._started.set()
            return
        for line in message.get("body", b"").splitlines():
            self._queue.put_nowait(msgspec.json.decode(line))
        if not message.get("more_body"):
            self._queue.put_nowait(None)

    async def next(self) -> Any:
        """The next event, None when the stream has ended."""
        return await asyncio.wait_for(self._queue.get(), HANG_S)

    def waiting(self) -> int:
        """How many events have come that nobody has read."""
        return self._queue.qsize()

    async def leave(self) -> None:
        """Vanish without a word."""
        self._gone.set()
        await asyncio.wait_for(self._task, HANG_S)

    async def __aiter__(self) -> AsyncIterator[Any]:
        while (event := await self.next()) is not None:
            yield event


async def watch(
    app: Any, path: str, headers: dict[str, str] | None = None, **query: Any
) -> Watching:
    """Open a watch; its headers have come when this returns."""
    opened = Watching(app, path, headers, query)
    await asyncio.wait_for(opened._started.wait(), HANG_S)
    return opened
