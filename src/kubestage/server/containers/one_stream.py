"""One stream over a WebSocket, such as a log: in bytes, or as base64 text.

The subprotocols are those of Kubernetes, ``binary.k8s.io`` and ``base64.binary.k8s.io``; without
one the stream is in bytes. What the client sends is ignored.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

from kubestage.errors import BadRequest
from kubestage.server.response import Response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from kubestage.aliases import Json
    from kubestage.server.response import StreamingResponse

_TEXT: Final = "base64.binary.k8s.io"
SUBPROTOCOLS: Final = ("binary.k8s.io", _TEXT)
"""What is spoken."""

_AT_ONCE: Final = 32 * 1024


def chosen(offered: Sequence[str]) -> str | None:
    """The subprotocol to speak with a client, None if it offers none."""
    found = next((each for each in offered if each in SUBPROTOCOLS), None)
    if offered and found is None:
        spoken = ", ".join(SUBPROTOCOLS)
        raise BadRequest(f"no subprotocol in common: logs come as {spoken}")
    return found


async def messages(
    subprotocol: str | None, answer: Response | StreamingResponse
) -> AsyncIterator[Json]:
    """The messages of a stream; the first is empty: the stream is open."""
    yield _message(subprotocol, b"")
    if isinstance(answer, Response):
        for at in range(0, len(answer.body), _AT_ONCE):
            yield _message(subprotocol, answer.body[at : at + _AT_ONCE])
        return
    async for chunk in answer.chunks:
        yield _message(subprotocol, chunk)


def _message(subprotocol: str | None, data: bytes) -> Json:
    if subprotocol == _TEXT:
        return {"type": "websocket.send", "text": base64.b64encode(data).decode()}
    return {"type": "websocket.send", "bytes": data}
