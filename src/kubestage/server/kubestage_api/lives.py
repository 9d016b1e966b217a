"""The lives of pods: as rows for the page, and as a trace for Perfetto."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from kubestage.results.history import perfetto
from kubestage.server import background, options
from kubestage.server.kubestage_api import history

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.history.perfetto import GroupBy
    from kubestage.server.kubestage_api.call import ApiCall


async def slices(call: ApiCall) -> Json:
    """The rows of all pods, or those that are new."""
    rows = await history.timeline_of(call.live).slices(options.integer(call.request, "after"))
    return await background.run(_encoded, rows)


async def trace(call: ApiCall) -> Json:
    """All that is remembered, as a trace."""
    group_by = cast("GroupBy", call.choice("groupBy", perfetto.GROUPS))
    rows = await history.timeline_of(call.live).slices()
    return await background.run(_traced, rows, group_by)


def _traced(rows: Json, group_by: GroupBy) -> Json:
    return _encoded(perfetto.trace(rows, group_by))


def _encoded(answer: Json) -> Json:
    """An answer whose long lists are JSON already."""
    return {
        name: history.joined(value) if isinstance(value, list) else value
        for name, value in answer.items()
    }
