"""Creating a Scenario of many events: in slices, between which others are served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import timestamps
from kubestage.objects.custom import decoding
from kubestage.scenario.resource import SCENARIO
from kubestage.server import background, bodies, options, slices, writing
from kubestage.stage import few_collections
from kubestage.store import event_parts
from kubestage.store.event_window import LARGE

if TYPE_CHECKING:
    from kubestage.server.context import RequestContext
    from kubestage.server.dispatch import Serve
    from kubestage.server.response import Built
    from kubestage.store.event_parts import EventParts

# A Scenario of fewer bytes is taken in at once.
_LEAST_BYTES: Final = 256 * 1024


async def found(context: RequestContext, serve: Serve) -> EventParts | None:
    """The parts of a large Scenario that is to be created; None for every other request."""
    kind, body = context.kind, context.request.body
    if serve is not writing.create or len(body) < _LEAST_BYTES:
        return None
    if (kind.api_version, kind.kind) != SCENARIO:
        return None
    if bodies.media_type(context.request) != "application/json":
        return None
    return await background.run(event_parts.split, body, LARGE)


async def create(context: RequestContext, parts: EventParts) -> Built:
    """Take a Scenario in; until its last event is found to be right, nothing is stored."""
    kind, live = context.kind, context.live
    view = context.view()
    write_options = options.write_options(context.request, "CreateOptions")
    decoded = decoding.decode(parts.head, kind, write_options.field_validation)
    context.warnings += decoded.warnings
    now = timestamps.format_time(live.stage.clock.unix_ns)
    with few_collections():
        await slices.in_slices(parts.prepare(kind, write_options.field_validation, now))
    context.warnings += parts.warnings
    return writing.create_in_parts(context, view, write_options, decoded.object, parts.complete)
