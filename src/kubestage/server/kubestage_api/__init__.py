"""Our own API, ``/kubestage/v1``: what Kubernetes has no word for.

Here belong the clock, reset, snapshots, the scheduler's configuration, runs and explanations: one
table of endpoints (`endpoints`), one handler each. Here does not belong what objects are and what
becomes of them: that is asked of the store and the stage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.server.live import Live
    from kubestage.server.request import Request
    from kubestage.server.response import Response


async def handle(live: Live, request: Request) -> Response:
    """Serve a request for a path below ``/kubestage``."""
    # NOTE: whoever only keeps something for this API need not load all of it.
    from kubestage.server.kubestage_api import dispatch  # noqa: PLC0415

    return await dispatch.respond(live, request)
