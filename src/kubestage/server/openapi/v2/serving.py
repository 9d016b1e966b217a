"""The answer to ``/openapi/v2``: its form, and whether the client has it already."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from kubestage.server import background, negotiation, version
from kubestage.server.openapi.v2 import document
from kubestage.server.response import JSON, TEXT, Response

if TYPE_CHECKING:
    from kubestage.objects.kinds import KindTable
    from kubestage.server.live import Live
    from kubestage.server.request import Request

# The second spelling is the older one, and no valid media type.
_PROTOBUF: Final = (
    document.PROTOBUF.decode(),
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
)
_ONE_AT_A_TIME: Final = threading.Lock()


async def respond(live: Live, request: Request) -> Response:
    """The document in the form that the client prefers."""
    form = _form(request.header(b"accept"))
    if form is None:
        offered = ", ".join((JSON.decode(), *_PROTOBUF))
        text = f"406: Not Acceptable\n\nAvailable representations: {offered}"
        return Response(406, text.encode(), TEXT, [(b"vary", b"Accept")])
    packed = "gzip" in request.header(b"accept-encoding")
    # NOTE: the first one takes a good part of a second: others are served meanwhile.
    etag, body = await background.run(
        _built, live.store.kinds.copy(), is_json=form == JSON, packed=packed
    )
    headers = [(b"etag", etag), (b"vary", b"Accept"), (b"vary", b"Accept-Encoding")]
    if etag in [each.strip() for each in request.header(b"if-none-match").encode().split(b",")]:
        return Response(304, b"", form, headers)
    if packed:
        headers.append((b"content-encoding", b"gzip"))
    return Response(200, body, form, headers)


def _built(kinds: KindTable, *, is_json: bool, packed: bool) -> tuple[bytes, bytes]:
    """The ETag and the body."""
    with _ONE_AT_A_TIME:
        whole = document.of(kinds, version.document()["gitVersion"])
        if packed:
            body = whole.compressed_json if is_json else whole.compressed_protobuf
        else:
            body = whole.json if is_json else whole.protobuf
        return whole.etag.encode(), body


def _form(accept: str) -> bytes | None:
    for name, _ in negotiation.clauses(accept or "*/*"):
        if name in ("*/*", "application/*", "application/json"):
            return JSON
        if name in _PROTOBUF:
            return document.PROTOBUF
    return None
