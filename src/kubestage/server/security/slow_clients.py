"""Connections of clients that are slow to send the head of a request.

NOTE: uvicorn waits for the head of a request without limit, and with httptools takes any length:
a few thousand connections that never go on would keep everyone else out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from kubestage.server.security.pipe import EXTENSION, Pipe

if TYPE_CHECKING:
    import asyncio

    from kubestage.server.security.settings import RequestLimits

_TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n\r\n"


class PatientProtocol(HttpToolsProtocol):
    """Waits for the head of each request, up to a time and a length.

    `limits` is set by a subclass, for uvicorn makes the instances.
    """

    limits: RequestLimits

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head_timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """A client is there: it has some time to ask for something."""
        super().connection_made(transport)
        self._pipe = Pipe(transport)
        self._head_timer = self.loop.call_later(self.limits.head_s, transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._stop_waiting()
        self._pipe.is_open = False
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """More of a request."""
        if self._head_timer is not None:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._head_timer is not None and self._head_bytes > self.limits.head_bytes:
            self._stop_waiting()
            self.transport.write(_TOO_LONG)
            self.transport.close()

    def on_message_begin(self) -> None:
        """The head of another request on the same connection begins."""
        super().on_message_begin()
        if self._head_timer is None:
            self._head_bytes = 0
            self._head_timer = self.loop.call_later(self.limits.head_s, self.transport.close)

    def on_headers_complete(self) -> None:
        """The head is complete."""
        self._stop_waiting()
        super().on_headers_complete()
        scope = self.scope
        if b"watch" in scope.get("query_string", b"") and scope["method"] == "GET":
            scope["extensions"] = {EXTENSION: self._pipe}  # type: ignore[dict-item] # not text

    def pause_writing(self) -> None:
        """The client does not read what it is sent."""
        self._pipe.is_open = False
        super().pause_writing()

    def resume_writing(self) -> None:
        """It has read most of it."""
        self._pipe.is_open = True
        super().resume_writing()

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


def protocol(limits: RequestLimits) -> type[PatientProtocol]:
    """A protocol with these limits."""
    return type("Protocol", (PatientProtocol,), {"limits": limits})
