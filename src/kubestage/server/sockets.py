"""WebSockets: `kubectl exec`, logs, and a clear word for all else that would need a process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage import lazy
from kubestage.errors import ApiError, BadRequest
from kubestage.server import authorizing, connecting, pod_actions, response, routing
from kubestage.server import request as requests
from kubestage.server.context import RequestContext
from kubestage.server.outside import webhooks

with lazy.imports():
    from kubestage.server.aggregation import proxying
    from kubestage.server.containers import calls, channels, one_stream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping

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


class Answer(NamedTuple):
    """The subprotocol and the messages that answer a request."""

    subprotocol: str | None
    messages: AsyncIterator[Json]


async def serve(live: Live, encoder: Encoder, scope: Message, receive: Receive, send: Send) -> None:
    """Answer one WebSocket; it is closed afterwards."""
    await receive()
    live.pace.catch_up()
    try:
        context = _context(live, encoder, scope)
        answer = await webhooks.served(context, lambda it: _answered(it, scope))
        await live.settled()
    except ApiError as error:
        for message in response.denial(error):
            await send(message)
        return
    await send({"type": "websocket.accept", "subprotocol": answer.subprotocol})
    task = asyncio.current_task()
    assert task is not None
    leaving = asyncio.ensure_future(_until_disconnected(receive, task))
    try:
        async for message in answer.messages:
            await send(message)
        await send({"type": "websocket.close", "code": _NORMAL})
    except asyncio.CancelledError:
        if not leaving.done():
            raise
    finally:
        leaving.cancel()


async def _until_disconnected(receive: Receive, task: asyncio.Task[Any]) -> None:
    """Ignore what a client sends, and end the answer when it leaves."""
    while (await receive())["type"] != "websocket.disconnect":
        pass
    task.cancel()


def _context(live: Live, encoder: Encoder, scope: Message) -> RequestContext:
    request = requests.parse({**scope, "method": "GET"})
    if not request.path.startswith(_OBJECTS):
        raise BadRequest("WebSockets are for exec into a pod, and for logs")
    if live.aggregator is not None and live.aggregator.find(request.path) is not None:
        raise BadRequest(proxying.UPGRADE)
    authorizing.check(live, request, is_stream=True)
    target = routing.find(live.store.kinds, request.path)
    return RequestContext(live, encoder, request, target)


def _answered(context: RequestContext, scope: Message) -> Answer:
    offered = scope.get("subprotocols") or ()
    if context.target.subresource == "log":
        subprotocol = one_stream.chosen(offered)
        return Answer(subprotocol, one_stream.messages(subprotocol, pod_actions.read_log(context)))
    if context.target.subresource != "exec":
        if context.target.subresource in pod_actions.SERVED:
            pod_actions.refuse(context)
        raise BadRequest(
            "WebSockets are for exec into a pod, and for logs: watches come over plain HTTP"
        )
    spoken = channels.chosen(offered)
    if spoken is None:
        known = ", ".join(channels.SUBPROTOCOLS)
        raise BadRequest(f"no subprotocol in common: exec speaks {known}")
    connecting.check(context)
    outcome, wants = calls.answer(context)
    return Answer(spoken, _executed(channels.messages(spoken, outcome, wants=wants)))


async def _executed(messages: Iterable[Json]) -> AsyncIterator[Json]:
    await asyncio.sleep(_STREAMS_S)
    for message in messages:
        yield message
