"""A request as bytes on the wire, sent straight into an application, and what came back."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple
from urllib.parse import urlencode

from tests.deadlines import HANG_S

# A watch that is open is left after so many turns of the loop.
TURNS = 3


class Wire(NamedTuple):
    """A request with all that a client may get wrong; the path has no escapes any more."""

    method: str
    path: str
    query: bytes = b""
    headers: tuple[tuple[bytes, bytes], ...] = ()
    body: bytes = b""

    @property
    def media_type(self) -> str:
        """The type that the body is said to have."""
        return dict(self.headers).get(b"content-type", b"").decode("latin-1")

    def with_header(self, name: bytes, value: bytes) -> Wire:
        """The same request with another value of a header."""
        kept = tuple(each for each in self.headers if each[0] != name)
        return self._replace(headers=(*kept, (name, value)))


def recorded(request: dict[str, Any]) -> Wire:
    """A request of the recording."""
    headers = {"accept": "application/json", "user-agent": "fuzz/1.0", "host": "localhost"}
    headers |= {name.lower(): value for name, value in (request.get("headers") or {}).items()}
    body = b""
    if "raw" in request:
        body = request["raw"].encode()
    elif request.get("body") is not None:
        body = json.dumps(request["body"]).encode()
    query = urlencode(request.get("query") or {}, doseq=True).encode()
    pairs = tuple((name.encode(), value.encode()) for name, value in headers.items())
    return Wire(request["method"], request["path"], query, pairs, body)


class Answer:
    """All messages that an application sent."""

    def __init__(self) -> None:
        self.starts: list[tuple[int, list[tuple[bytes, bytes]]]] = []
        self.chunks: list[bytes] = []
        self.is_complete = False
        self.was_left = False

    @property
    def status(self) -> int:
        """The code of the answer; 0 if there was none."""
        return self.starts[0][0] if self.starts else 0

    @property
    def body(self) -> bytes:
        """All that was sent."""
        return b"".join(self.chunks)

    def header(self, name: bytes) -> bytes:
        """A header of the answer, or nothing."""
        headers = self.starts[0][1] if self.starts else []
        return next((value for key, value in headers if key == name), b"")

    async def send(self, message: Any) -> None:
        """Take what the application sends."""
        if message["type"] == "http.response.start":
            self.starts.append((message["status"], message["headers"]))
            return
        assert message["type"] == "http.response.body"
        assert self.starts, "a body before its headers"
        assert not self.is_complete, "more after the end"
        self.chunks.append(message.get("body", b""))
        self.is_complete = not message.get("more_body")


async def send(app: Any, wire: Wire, *, turns: int = TURNS) -> Answer:
    """One request; who watches is gone after a few turns of the loop."""
    answer, gone = Answer(), asyncio.Event()
    parts = [{"type": "http.request", "body": wire.body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if parts:
            return parts.pop()
        await gone.wait()
        return {"type": "http.disconnect"}

    if wire.method in ("GET", "HEAD"):
        parts.clear()
    scope = {
        "type": "http",
        "method": wire.method,
        "path": wire.path,
        "query_string": wire.query,
        "headers": list(wire.headers),
    }
    task = asyncio.ensure_future(app(scope, receive, answer.send))
    for _ in range(turns):
        await asyncio.sleep(0)
        if task.done():
            break
    if not task.done() and answer.starts:
        answer.was_left = True
        gone.set()
    await asyncio.wait_for(task, HANG_S)
    return answer
