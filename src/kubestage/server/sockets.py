"""WebSockets: `kubectl exec`, and a clear word for all else that would need a process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from kubestage import lazy
from kubestage.errors import ApiError, BadRequest
from kubestage.server import pod_actions, response, routing
from kubestage.server import request as requests
from kubestage.server.context import RequestContext

with lazy.imports():
    from kubestage.server.containers import calls, channels

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    from kubestage.aliases import Json
    from kubestage.server.encoding import Encoder
    from kubestage.server.live import Live

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]

_OBJECTS: Final = ("/api/v1/", "/apis/")
_NORMAL: Final = 1000
# client-go makes its streams after the handshake, and drops what comes before they are there.
_STREAMS_S: Final = 0.1


async def serve(live: Live, encoder: Encoder, scope: Message, receive: Receive, send: Send) -> None:
    """Answer one WebSocket; it is closed afterwards."""
    await receive()
    live.pace.catch_up()
    try:
        context = _context(live, encoder, scope)
        sent = _answered(context, scope)
        await live.settled()
    except ApiError as error:
        for message in response.denial(error):
            await send(message)
        return
    await send({"type": "websocket.accept", "subprotocol": sent[0]})
    await asyncio.sleep(_STREAMS_S)
    for message in sent[1]:
        await send(message)
    await send({"type": "websocket.close", "code": _NORMAL})


def _context(live: Live, encoder: Encoder, scope: Message) -> RequestContext:
    request = requests.parse({**scope, "method": "GET"})
    if not request.path.startswith(_OBJECTS):
        raise BadRequest("WebSockets are for exec into a pod")
    target = routing.find(live.store.kinds, request.path)
    return RequestContext(live, encoder, request, target)


def _answered(context: RequestContext, scope: Message) -> tuple[str, list[Json]]:
    """The subprotocol and the messages that answer a request."""
    if context.target.subresource != "exec":
        if context.target.subresource in pod_actions.SERVED:
            pod_actions.refuse(context)
        raise BadRequest("WebSockets are for exec into a pod: watches come over plain HTTP")
    subprotocol = channels.chosen(scope.get("subprotocols") or ())
    if subprotocol is None:
        spoken = ", ".join(channels.SUBPROTOCOLS)
        raise BadRequest(f"no subprotocol in common: exec speaks {spoken}")
    outcome, wants = calls.answer(context)
    return subprotocol, list(channels.messages(subprotocol, outcome, wants=wants))
