"""Rehearsals in virtual time, beside the cluster that is served; it is not changed by them."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.errors import TooManyRequests
from kubestage.server.kubestage_api.editing_shapes import (
    AutoscalingRequest,
    AutoscalingResult,
    ResultTable,
)

with lazy.imports():
    from kubestage.runs import living
    from kubestage.runs.fit import cluster_image
    from kubestage.runs.rehearse import autoscaling
    from kubestage.traffic.fast import compiling

if TYPE_CHECKING:
    from kubestage.results.analysis.table import Table
    from kubestage.runs.fit.cluster_image import ClusterImage
    from kubestage.runs.rehearse.autoscaling import AutoscalingPlan, AutoscalingRehearsal
    from kubestage.server.kubestage_api.call import ApiCall

_LONGEST_S: Final = 20.0
_MOST_WAITING: Final = 4
_TABLES: Final = (
    "requests",
    "replicas",
    "utilization",
    "percentiles",
    "metrics",
    "decisions",
)
_BUSY: Final = "several rehearsals are waiting already: try again when they are done"
_THREAD: Final = ThreadPoolExecutor(1, "rehearsal")
"""One at a time: the cluster that is served keeps its share of the machine."""
_submitted: list[Future[AutoscalingRehearsal]] = []


async def autoscale(call: ApiCall) -> AutoscalingResult:
    """Let a workload, its autoscaler and its traffic live for a while."""
    body = call.body(AutoscalingRequest)
    plan = autoscaling.AutoscalingPlan(
        objects=body.objects,
        duration_ns=living.parse_duration(body.duration, "duration"),
        seed=call.live.stage.seed if body.seed is None else body.seed,
        settings=body.settings,
    )
    plan.check()
    image = cluster_image.image_of(call.live.stage) if body.cluster == "copy" else None
    began_s = time.monotonic()
    found = await _in_turn(plan, image)
    life = found.life
    return AutoscalingResult(
        seconds=life.seconds,
        resolution_seconds=life.resolution_seconds,
        is_complete=found.is_complete,
        took_seconds=round(time.monotonic() - began_s, 3),
        notes=found.notes,
        summary=life.summary,
        tables={name: _table(life.tables.get(name)) for name in _TABLES},
    )


def _table(table: Table | None) -> ResultTable:
    if table is None:
        return ResultTable(columns=[], rows=[])
    return ResultTable(columns=list(table.names), rows=[list(row) for row in table.rows])


async def _in_turn(plan: AutoscalingPlan, image: ClusterImage | None) -> AutoscalingRehearsal:
    """What a rehearsal comes to, when those before it are done; not too many may wait."""
    waiting = [each for each in _submitted if not each.done()]
    if len(waiting) > _MOST_WAITING:
        raise TooManyRequests(_BUSY)
    future = _THREAD.submit(_rehearse, plan, image)
    _submitted[:] = [*waiting, future]
    return await asyncio.wrap_future(future)


def _rehearse(plan: AutoscalingPlan, image: ClusterImage | None) -> AutoscalingRehearsal:
    # Without it a rehearsal takes several times as long.
    compiling.COMPILED.load_soon()
    end_s = time.monotonic() + _LONGEST_S
    return autoscaling.rehearse(plan, image, lambda: time.monotonic() > end_s)
