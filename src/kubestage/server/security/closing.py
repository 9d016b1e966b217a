"""How a connection ends whose client may still be sending.

A socket that is closed while there is more to read resets the connection, and the client may never
see the response. So the end is announced first, and for a moment what still comes is thrown away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import asyncio

    from uvicorn.protocols.http.flow_control import FlowControl
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

_LINGER_S: Final = 0.5
_MOST_DISCARDED: Final = 256 * 1024


class Closing:
    """The end of one connection."""

    __slots__ = ("_discarded", "_flow", "_loop", "_timer", "_transport", "is_deaf", "is_ending")

    def __init__(
        self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport, flow: FlowControl
    ) -> None:
        self._loop = loop
        self._flow = flow
        self._transport = transport
        self._timer: asyncio.TimerHandle | None = None
        self._discarded = 0
        self.is_deaf = False
        """Whether what comes is thrown away."""
        self.is_ending = False
        """Whether nothing more is sent, either."""

    def of(self, cycle: RequestResponseCycle) -> Any:
        """The transport as the answer to one request uses it."""
        return _CycleTransport(self, self._transport, cycle)

    def close(self) -> None:
        """Send what is left to be sent, and nothing more."""
        if self.is_ending or self._transport.is_closing():
            return
        self.is_deaf = self.is_ending = True
        if not self._transport.can_write_eof():
            self._transport.close()
            return
        self._transport.write_eof()
        self._flow.resume_reading()
        self._timer = self._loop.call_later(_LINGER_S, self._transport.close)

    def discard(self, data: bytes) -> None:
        """Throw away what came; too much of it ends the connection."""
        self._discarded += len(data)
        if self._discarded > _MOST_DISCARDED:
            self._transport.abort()

    def stop(self) -> None:
        """The connection has ended."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class _CycleTransport:
    """A transport that is not closed before the client has been able to read the answer."""

    __slots__ = ("_closing", "_cycle", "_transport", "is_closing", "write")

    def __init__(
        self, closing: Closing, transport: asyncio.Transport, cycle: RequestResponseCycle
    ) -> None:
        self._closing = closing
        self._transport = transport
        self._cycle = cycle
        self.is_closing = transport.is_closing
        self.write = transport.write

    def close(self) -> None:
        """End the connection after the answer."""
        if self._cycle.more_body or self._closing.is_deaf:
            self._closing.close()
        else:
            self._transport.close()
