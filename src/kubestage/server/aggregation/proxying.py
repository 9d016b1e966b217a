"""A request for an API of another server, passed on to it, and its answer passed back."""

from __future__ import annotations

import asyncio
import urllib.parse
from typing import TYPE_CHECKING, Final

from kubestage.errors import BadRequest, GatewayTimeout
from kubestage.server import callers
from kubestage.server.aggregation import headers, places, sending
from kubestage.server.bootstrap.local_apis import API_SERVICE
from kubestage.server.response import Response, StreamingResponse, text_response
from kubestage.store.admission.webhook.call_failed import CallFailed

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.aggregation.remote_api import RemoteApi
    from kubestage.server.live import Live
    from kubestage.server.request import Request

UPGRADE: Final = "connections are not upgraded to API servers behind APIServices: use plain HTTP"
TIMEOUT_S: Final = 60.0
_TOO_LATE: Final = "Timeout: request did not complete within the allotted timeout"
_REDIRECT: Final = "the backend attempted to redirect this request, which is not permitted"
_SAFE: Final = "/:@!$&'()*+,;=~"
_WITHOUT_BODY: Final = (204, 304)


async def serve(live: Live, request: Request, remote: RemoteApi) -> Response | StreamingResponse:
    """Pass a request on; refused with 503 while its server is not available."""
    if headers.is_upgrade(request):
        raise BadRequest(UPGRADE)
    if not is_available(live, remote):
        return text_response("service unavailable\n", 503)
    try:
        place = places.find(live.store, live.outside.urls, remote.backend)
    except CallFailed:
        return text_response("service unavailable\n", 503)
    try:
        async with asyncio.timeout(None if _is_watch(request) else TIMEOUT_S):
            reply = await sending.send(remote, place, _outgoing(live, request))
            return await _passed_back(request, reply)
    except TimeoutError:
        raise GatewayTimeout(_TOO_LATE) from None
    except sending.BadTransport as error:
        return text_response(f"{error}\n", 500)
    except CallFailed as error:
        return text_response(f"error trying to reach service: {error}\n", 503)


def is_available(live: Live, remote: RemoteApi) -> bool:
    """Whether the last check passed, as the APIService has it."""
    obj = live.store.read(API_SERVICE).get(remote.name)
    conditions: list[Json] = ((obj or {}).get("status") or {}).get("conditions") or []
    return any(each["type"] == "Available" and each["status"] == "True" for each in conditions)


def _outgoing(live: Live, request: Request) -> sending.Outgoing:
    path = urllib.parse.quote(request.path, safe=_SAFE)
    if request.query:
        path += "?" + urllib.parse.urlencode(sorted(request.query.items()), doseq=True)
    user = callers.client_of(live, request)
    sent = headers.of_request(request, user)
    return sending.Outgoing(request.method, path, sent, request.body)


def _is_watch(request: Request) -> bool:
    rest = request.path.split("/")[4:5]
    return rest == ["watch"] or request.parameter("watch").lower() in ("1", "true")


async def _passed_back(request: Request, reply: sending.Reply) -> Response | StreamingResponse:
    """An answer of a known length at once, any other as it comes."""
    named = {name.lower(): value for name, value in reply.headers}
    if 300 <= reply.status < 400 and named.get("location"):
        await reply.close()
        return text_response(_REDIRECT, 502)
    sent = headers.of_answer(reply.headers)
    if request.method == "HEAD" or reply.status in _WITHOUT_BODY or "content-length" in named:
        try:
            body = await reply.body()
        finally:
            await reply.close()
        whole = Response(reply.status, body)
        whole.headers = sent
        return whole
    streamed = StreamingResponse(reply.chunks())
    streamed.status, streamed.headers = reply.status, sent
    return streamed
