"""The lines of a watch: events, as clients read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage import lazy
from kubestage.server.negotiation import PROTOBUF
from kubestage.server.response import JSON, StreamingResponse

# NOTE: the field numbers are read when the first client uses protobuf.
with lazy.imports():
    from kubestage.server.protobuf import responses

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kubestage.aliases import Json
    from kubestage.errors import ApiError
    from kubestage.server.presentation import ResponseView


def media_type(view: ResponseView) -> bytes:
    """What the lines are in."""
    return responses.WATCH_TYPE if view.form.media_type == PROTOBUF else JSON


def encoded(view: ResponseView, event_type: str, shown: Json) -> bytes:
    """An event as a line of JSON, or as a frame of protobuf."""
    if view.form.media_type == PROTOBUF:
        return responses.frame(event_type, shown)
    return msgspec.json.encode({"type": event_type, "object": shown}) + b"\n"


def refusal(view: ResponseView, error: ApiError) -> StreamingResponse:
    """A watch that ends at once."""
    return StreamingResponse(_refused(view, error), media_type(view))


async def _refused(view: ResponseView, error: ApiError) -> AsyncIterator[bytes]:
    yield encoded(view, "ERROR", error.status)
