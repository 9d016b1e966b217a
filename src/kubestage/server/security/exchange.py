"""One request and its answer on their way through the guard."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from kubestage.server import response
from kubestage.server.security import refusals

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    from kubestage.errors import ApiError

    Message = MutableMapping[str, Any]
    Scope = Message
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]

_START: Final = "http.response.start"


class Exchange:
    """One request and its answer: how much has come, and whether the response has started."""

    __slots__ = (
        "_is_read", "_left", "_limit", "_receive", "_scope", "_send", "_task", "_timer", "is_long",
        "shared", "status",
    )  # fmt: skip

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, limit: int, *, is_long: bool
    ) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._limit = self._left = limit
        self._timer: asyncio.TimerHandle | None = None
        # The one that took too long.
        self._task: asyncio.Task[Any] | None = None
        self.is_long = is_long
        self.status = 0
        self._is_read = False
        # What lets a page of another server read the response.
        self.shared: list[tuple[bytes, bytes]] = []

    async def receive(self) -> Message:
        """The next part of the body; refused when it is too much."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise refusals.too_large(self._limit)
            self._is_read = not message.get("more_body")
            if self.is_long and self._is_read:
                self.stop_timer()
        return message

    async def send(self, message: Message) -> None:
        """A part of the answer."""
        if message["type"] == _START:
            self.status = message["status"]
            if self.shared:
                message = {**message, "headers": [*message["headers"], *self.shared]}
        await self._send(message)

    def expect_within(self, seconds: float) -> None:
        """Cancel the task at hand if it is not done in time."""
        task = asyncio.current_task()
        assert task is not None
        self._timer = asyncio.get_running_loop().call_later(seconds, self._expire, task)

    def stop_timer(self) -> None:
        """Nothing is overdue any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self, task: asyncio.Task[Any]) -> None:
        self._task = task
        task.cancel()

    def forgive(self) -> bool:
        """Whether the task was cancelled for being late, and can still say so."""
        if self._task is None or self.status:
            return False
        self._task.uncancel()
        return True

    async def refuse(self, error: ApiError) -> None:
        """Answer with a Status, unless another answer is under way."""
        if self.status:
            return
        answer = response.error_response(error)
        headers = [*answer.headers, (b"content-length", str(len(answer.body)).encode())]
        if not self._is_read and _has_body(self._scope):
            # The rest of the request is not wanted: the connection ends here.
            headers.append((b"connection", b"close"))
        await self.answer(answer.status, headers, answer.body)

    async def answer(
        self, status: int, headers: list[tuple[bytes, bytes]], body: bytes = b""
    ) -> None:
        """Send a whole response."""
        await self.send({"type": _START, "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def _has_body(scope: Scope) -> bool:
    """Whether the head of a request says that a body follows."""
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
        for name, value in scope["headers"]
    )
