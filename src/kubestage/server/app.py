"""The ASGI application: a request in, an answer out."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import traceback
from typing import TYPE_CHECKING, Any, Final

from kubestage import lazy
from kubestage.errors import ApiError, Forbidden
from kubestage.server import (
    authorizing,
    background,
    dispatch,
    large_scenarios,
    large_writes,
    negotiation,
    outside_controllers,
    read_only,
    request_faults,
    routing,
    slices,
    sockets,
    special_routes,
)
from kubestage.server import request as requests
from kubestage.server.context import RequestContext
from kubestage.server.encoding import Encoder
from kubestage.server.outside import webhooks
from kubestage.server.response import (
    Awaited,
    InSlices,
    Joined,
    Later,
    Response,
    StreamingResponse,
    error_response,
    text_response,
    warning_headers,
)
from kubestage.store import definitions

# NOTE: the field numbers are read when the first client uses protobuf.
with lazy.imports():
    from kubestage.server.protobuf import responses

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    from kubestage.server.live import Live
    from kubestage.server.request import Request
    from kubestage.server.response import Answer, Headers
    from kubestage.store.log import Change

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]

_BODILESS: Final = frozenset({"GET", "HEAD"})
_STATELESS: Final = ("/healthz", "/livez", "/readyz", "/version")
_INTERNAL: Final = "an error on the server has prevented the request from succeeding"


class Application:
    """Serves one `Live` stage."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.encoder = Encoder()
        live.store.subscribe(self.on_change)

    def on_change(self, change: Change) -> None:
        """Forget the bytes of what is stored no more."""
        if change.old is not None:
            self.encoder.forget(change.old)
            if definitions.is_definition(change.kind):
                # Its objects may now be read otherwise.
                self.encoder.clear()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one connection event, as ASGI has it."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await sockets.serve(self.live, self.encoder, scope, receive, send)
            else:
                await _other(scope, receive, send)
            return
        has_body = scope["method"] not in _BODILESS
        body = await _read(receive) if has_body else b""
        if body is None:
            return
        request = requests.parse(dict(scope), body)
        response = await self.respond(request)
        if self.live.classifier is not None:
            response.headers += self.live.classifier.headers(request)
        if isinstance(response, StreamingResponse):
            await _stream(response, receive, send)
            return
        if isinstance(response, Joined):
            await _send_joined(response, send, is_head=scope["method"] == "HEAD")
            return
        await send(_start(response, len(response.body)))
        shown = b"" if scope["method"] == "HEAD" else response.body
        await send({"type": "http.response.body", "body": shown})

    async def respond(self, request: Request) -> Response | Joined | StreamingResponse:
        """The response to a request, sent when all that it reports is safe on disk.

        Where nothing can be kept any more, nothing is written; what is kept may still be read.
        """
        live = self.live
        live.pace.catch_up()
        failure = live.durability.failure
        try:
            if failure is not None:
                if request.method not in _BODILESS:
                    raise failure
                live.durability.take_back()
                if live.state.timeline is not None:
                    live.state.timeline.history.take_back(live.durability.revision)
            authorizing.check(live, request)
            if live.read_only and read_only.is_write(request):
                raise Forbidden(live.read_only)
            if live.has_controllers and outside_controllers.is_rival(request):
                raise Forbidden(outside_controllers.REFUSAL)
            response = await self._served(request)
            if (
                failure is None
                and not isinstance(response, StreamingResponse)
                and _depends_on_changes(request)
            ):
                await live.settled()
        except ApiError as error:
            return _refused(request, error)
        except Exception:  # noqa: BLE001 - the edge of the process: a client must get an answer
            traceback.print_exc(file=sys.stderr)
            return error_response(ApiError(_INTERNAL))
        return response

    async def _served(self, request: Request) -> Response | Joined | StreamingResponse:
        live = self.live
        warnings: list[str] = []
        try:
            special = special_routes.find(live, request)
            if special is not None:
                return await special
            target = routing.find(live.store.kinds, request.path)
            context = RequestContext(live, self.encoder, request, target)
            serve = dispatch.serving(context)
            # A request that the router refuses gets no warnings.
            warnings = context.warnings
            if live.faults.rules:
                await _meet_fault(live, context)
            if webhooks.apply(context):
                return await _built(await webhooks.served(context, serve))
            parts = await large_scenarios.found(context, serve)
            if parts is not None:
                return await _built(await large_scenarios.create(context, parts))
            if large_writes.is_one(context, serve):
                return await _built(await large_writes.serve_in_thread(context, serve))
            return await _built(serve(context))
        except routing.NoSuchPage as error:
            return text_response(f"{error.message}\n", error.code)
        except ApiError as error:
            return _refused(request, error, warning_headers(warnings))


def _refused(request: Request, error: ApiError, headers: Headers | None = None) -> Response:
    """A refusal, as the client reads it."""
    refusal = error_response(error, headers or ())
    if negotiation.only_protobuf(request.header(b"accept")):
        extra = refusal.headers[1:]
        return Response(error.code, responses.body(error.status), responses.CONTENT_TYPE, extra)
    return refusal


async def _meet_fault(live: Live, context: RequestContext) -> None:
    """Have a request answered late, or refuse it, if a rule says so."""
    subject = request_faults.subject_of(context)
    rule = live.faults.meet(subject)
    if rule is None:
        return
    if rule.delay_s:
        await asyncio.sleep(rule.delay_s)
    error = rule.error(subject)
    if error is not None:
        raise error


async def _built(response: Answer) -> Response | Joined | StreamingResponse:
    """A response that takes long to build, when it is built."""
    if isinstance(response, InSlices):
        response = await slices.result_of(response.steps)
    while isinstance(response, Awaited):
        response = await response.build()
    if isinstance(response, Later):
        response = await background.run(response.build)
    return response


def _depends_on_changes(request: Request) -> bool:
    """Whether a response may report changes; health and version do not."""
    return not request.path.startswith(_STATELESS)


def _start(response: Response | Joined | StreamingResponse, length: int | None = None) -> Message:
    headers = response.headers
    if length is not None:
        headers = [*headers, (b"content-length", str(length).encode())]
    return {"type": "http.response.start", "status": response.status, "headers": headers}


async def _send_joined(response: Joined, send: Send, *, is_head: bool) -> None:
    """Send a list piece by piece."""
    await send(_start(response, len(response)))
    if not is_head:
        for piece in response:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def _read(receive: Receive) -> bytes | None:
    """The body of a request; None if the client left."""
    message = await receive()
    if message["type"] == "http.disconnect":
        return None
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        return body
    chunks = [body]
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        chunks.append(message.get("body", b""))
    return b"".join(chunks)


async def _stream(response: StreamingResponse, receive: Receive, send: Send) -> None:
    """Send chunks until there are no more, or the client has left."""
    await send(_start(response))
    # Without a first chunk some servers hold back even the headers.
    await send({"type": "http.response.body", "body": b"", "more_body": True})
    task = asyncio.current_task()
    assert task is not None
    leaving = asyncio.ensure_future(_until_disconnected(receive, task))
    try:
        async for chunk in response.chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    except asyncio.CancelledError:
        if not leaving.done():
            raise
    finally:
        leaving.cancel()
        aclose = getattr(response.chunks, "aclose", None)
        if aclose is not None:
            await aclose()


async def _until_disconnected(receive: Receive, task: asyncio.Task[Any]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    task.cancel()


async def _other(scope: Message, receive: Receive, send: Send) -> None:
    """Lifespan events, which are neither HTTP nor WebSockets."""
    assert scope["type"] == "lifespan", scope["type"]
    with contextlib.suppress(asyncio.CancelledError):
        while (await receive())["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
