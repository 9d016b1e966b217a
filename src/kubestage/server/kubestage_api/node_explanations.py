"""Why a node of the living cluster was bought, and why it is kept or goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage import lazy
from kubestage.errors import InputError, NotFound
from kubestage.server.kubestage_api import recorders
from kubestage.server.kubestage_api.node_shapes import NodeExplanation

with lazy.imports():
    from kubestage.runs.explain import staged_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.server.kubestage_api.call import ApiCall
    from kubestage.server.live import Live

_NO_CONTROLLERS = "no controllers of kubestage's own are at work, so nothing is decided about nodes"
_BEFORE = "what was decided about it before the server was started is not known"


async def get(call: ApiCall) -> NodeExplanation:
    """A node, or the node of a NodeClaim, and all that is remembered of it."""
    live, name = call.live, call.path_params["name"]
    try:
        found = staged_nodes.of(live.stage, recorders.node_decisions(live), name)
    except InputError as error:
        raise NotFound(str(error)) from None
    found = msgspec.structs.replace(found, notes=list(_notes(live, found.purchase is not None)))
    return msgspec.convert(found.to_dict(), NodeExplanation)


def _notes(live: Live, is_bought: bool) -> Iterator[str]:
    if live.stage.controllers is None:
        yield _NO_CONTROLLERS
    elif not is_bought:
        yield _BEFORE
