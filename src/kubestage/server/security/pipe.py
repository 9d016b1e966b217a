"""The straight way to a client that watches.

NOTE: a line that goes through a task and all that is wrapped around it costs 15 us, written from
here 10 us; of both some 6 us are the system's, which sends it (benchmarks/server.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import asyncio

EXTENSION: Final = "kubestage.pipe"
"""Where the ASGI scope of a request has its pipe, if the protocol offers one."""


def framed(chunk: bytes) -> bytes:
    """A chunk as HTTP sends it when the length of the whole is not known."""
    return b"%x\r\n%b\r\n" % (len(chunk), chunk)


class Pipe:
    """Writes frames of a response that has started; between two ASGI messages, never during one.

    It is open while the client is there and reads what it is sent.
    """

    __slots__ = ("_transport", "is_open", "write")

    def __init__(self, transport: asyncio.Transport) -> None:
        self.is_open = True
        self.write = transport.write
        self._transport = transport

    def abort(self) -> None:
        """Close the connection at once, in the middle of what is being sent."""
        self._transport.abort()
