"""Connections of clients that are slow, send too much, or leave before they are answered.

NOTE: uvicorn waits for the head of a request without limit, and with httptools takes any length of
it, of what stands between chunks and of what follows them. It reads on when a response is complete
and the request is not, and it forgets requests in a pipeline whose client leaves. All that comes
before anybody has looked for a token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from kubestage.server.security.closing import Closing
from kubestage.server.security.pipe import EXTENSION, Pipe

if TYPE_CHECKING:
    import asyncio

    from uvicorn._types import ASGI3Application
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

    from kubestage.server.security.settings import RequestLimits

_TOO_LONG: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)
# What a header has besides its name and value.
_HEADER_BYTES: Final = 4
# How much may stand around each byte of a body: a chunk of a single byte has six.
_FRAME_BYTES: Final = 16
# How many requests may wait for the response to the one before them.
_MOST_WAITING: Final = 256


class PatientProtocol(HttpToolsProtocol):
    """Waits for each part of a request, up to a time and a length.

    `limits` is set by a subclass, for uvicorn makes the instances.
    """

    limits: RequestLimits

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head_timer: asyncio.TimerHandle | None = None
        # What has come of a head: as bytes, and as its parts.
        self._head_bytes = self._head_parts_bytes = 0
        self._heads = 0
        self._is_in_body = False
        # What has come after a head: as bytes, and of that as body.
        self._rest_bytes = self._body_bytes = 0
        # The request that is being answered; others may be in the pipeline.
        self._served: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """A client is there: it has some time to ask for something."""
        super().connection_made(transport)
        self._pipe = Pipe(transport)
        self._closing = Closing(self.loop, transport, self.flow)
        self._head_timer = self.loop.call_later(self.limits.head_s, transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone, and waits for none of its requests."""
        self._stop_waiting()
        self._closing.stop()
        super().connection_lost(exc)
        self._give_up()

    def data_received(self, data: bytes) -> None:
        """More of a request."""
        if self._closing.is_deaf:
            self._unset_keepalive_if_required()
            self._closing.discard(data)
            return
        if self._head_timer is not None:
            self._head_bytes += len(data)
        before = self._heads
        super().data_received(data)
        if self._head_timer is not None and self._head_bytes > self.limits.head_bytes:
            self._refuse()
        elif self._is_in_body:
            # Of a request whose head came just now, only the body is known.
            is_same = before == self._heads
            self._rest_bytes = self._rest_bytes + len(data) if is_same else self._body_bytes
            between = self._rest_bytes - self._body_bytes
            if between > self.limits.head_bytes + _FRAME_BYTES * self._body_bytes:
                self._refuse()
        elif self._head_timer is None and self._is_idle:
            # What came begins no request, such as an empty line, and keeps no connection.
            self._unset_keepalive_if_required()
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    @property
    def _is_idle(self) -> bool:
        """Whether no request is under way."""
        is_answered = self._served is None or self._served.response_complete
        return is_answered and not self.pipeline and not self.transport.is_closing()

    def on_message_begin(self) -> None:
        """The head of another request on the same connection begins."""
        if self._closing.is_deaf:
            return
        super().on_message_begin()
        self._head_parts_bytes = 0
        if self._head_timer is None:
            self._head_bytes = 0
            self._head_timer = self.loop.call_later(self.limits.head_s, self.transport.close)

    def on_url(self, url: bytes) -> None:
        """A part of the path."""
        self._head_parts_bytes += len(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header; those that follow a body say nothing that anybody reads."""
        if self._is_in_body or self._closing.is_deaf:
            return
        self._head_parts_bytes += len(name) + len(value) + _HEADER_BYTES
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is complete."""
        if self._closing.is_deaf:
            return
        self._stop_waiting()
        if self._head_parts_bytes > self.limits.head_bytes:
            self._refuse()
            return
        super().on_headers_complete()
        self._is_in_body = True
        self._heads += 1
        self._rest_bytes = self._body_bytes = 0
        scope = self.scope
        if b"watch" in scope.get("query_string", b"") and scope["method"] == "GET":
            scope["extensions"] = {EXTENSION: self._pipe}  # type: ignore[dict-item] # not text
        if self._newest is not None:
            self.cycle.transport = self._closing.of(self.cycle)
        if len(self.pipeline) >= _MOST_WAITING:
            # Those are still answered; what follows is not read.
            self.cycle.keep_alive = False
            self._closing.is_deaf = True

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        self._body_bytes += len(body)
        if self._is_in_body:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is complete."""
        if self._is_in_body:
            self._is_in_body = False
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """A response is complete: what is left of its request is not wanted."""
        if not self.pipeline and self.cycle.more_body:
            self.cycle.transport.close()
        if self._closing.is_ending:
            self.server_state.total_requests += 1
            return
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client does not read what it is sent."""
        self._pipe.is_open = False
        super().pause_writing()

    def resume_writing(self) -> None:
        """It has read most of it."""
        self._pipe.is_open = True
        super().resume_writing()

    @property
    def _newest(self) -> RequestResponseCycle | None:
        """The last request that came; none before the first, or if that opens a WebSocket."""
        return self.cycle

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._served = cycle
        super()._start_asgi_task(cycle, app)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        """No client waits for a response any more."""
        self.pipeline.clear()
        self._pipe.is_open = False
        if self._served is not None and not self._served.response_complete:
            self._served.disconnected = True
            self._served.message_event.set()

    def _refuse(self) -> None:
        """Read no more; the client gets the reason, unless it is being sent a response."""
        self._stop_waiting()
        self._is_in_body = False
        served = self._served
        if served is None or served.response_complete or not served.response_started:
            self.transport.write(_TOO_LONG)
        self._give_up()
        self._closing.close()


def protocol(limits: RequestLimits) -> type[PatientProtocol]:
    """A protocol with these limits."""
    return type("Protocol", (PatientProtocol,), {"limits": limits})
