"""The charts of the cluster: which there are, and each as Vega-Lite with its data."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.errors import BadRequest, Conflict, NotFound
from kubestage.golang import times
from kubestage.server import background
from kubestage.server.kubestage_api.chart_shapes import ChartRow, Charts

with lazy.imports():
    from kubestage.results.charts import served

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.chart_record import ChartRecord
    from kubestage.server.kubestage_api.call import ApiCall

_OFF: Final = (
    "charts are drawn from the past, which is not recorded here: start kubestage serve without "
    "--past-changes 0"
)


async def index(call: ApiCall) -> Charts:
    """All charts, the empty ones with what they need."""
    record = _record(call)
    found = await record.charts()
    rows = [
        ChartRow(
            name=each.name,
            title=each.title,
            group=each.group,
            is_empty=each.is_empty,
            why=each.why,
            subject=each.subject,
        )
        for each in found.entries
    ]
    return Charts(
        charts=rows,
        begin=times.rfc3339_nano(record.begin_ns),
        end=times.rfc3339_nano(record.begin_ns + round(found.life.seconds * 1e9)),
        sequence=found.revision,
        resolution_seconds=found.life.resolution_seconds,
    )


async def get(call: ApiCall) -> Json:
    """One chart."""
    name = call.path_params["name"]
    begin_ns, end_ns = call.time("from"), call.time("to")
    if begin_ns is not None and end_ns is not None and begin_ns >= end_ns:
        raise BadRequest("from: must be before to")
    found = await _record(call).charts(begin_ns, end_ns)
    entry = served.find(found.entries, name)
    if entry is None:
        names = [each.name for each in found.entries]
        near = difflib.get_close_matches(name, names, n=1)
        hint = f'did you mean "{near[0]}"?' if near else "GET /kubestage/v1/charts lists them"
        raise NotFound(f'there is no chart "{name}": {hint}')
    if name not in found.drawn:
        found.drawn[name] = (
            None
            if entry.is_empty
            else await background.run(served.specification, entry, found.life)
        )
    spec = found.drawn[name]
    if spec is None:
        raise NotFound(f'the chart "{name}" is empty: {entry.why or "nothing happened then"}')
    return spec


def _record(call: ApiCall) -> ChartRecord:
    record = call.live.state.charts
    if record is None:
        raise Conflict(_OFF)
    return record
