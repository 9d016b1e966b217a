"""Emptying the cluster while it is served."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Final

from kubestage.scenario import wiping
from kubestage.scenario.resource import SCENARIO
from kubestage.server import slices
from kubestage.server.bootstrap import installing
from kubestage.server.kubestage_api.shapes import NoBody, ResetResult
from kubestage.server.pacing import Mode, Pacer
from kubestage.stage import few_collections

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Iterator

    from kubestage.server.kubestage_api.call import ApiCall
    from kubestage.server.live import Live

FAILED: Final = "the cluster was emptied while the Scenario was {}"
_GRAIN: Final = 16


async def reset(call: ApiCall) -> ResetResult:
    """Remove all that not every cluster has."""
    call.body(NoBody)
    live = call.live
    removed = await to_the_end(live, _reset(live))
    return ResetResult(removed=removed, resource_version=live.store.resource_version)


async def to_the_end(live: Live, work: Coroutine[Any, Any, Any]) -> Any:
    """Do work that must not be left half done, even if its client goes or is sent away."""
    task = asyncio.ensure_future(work)
    live.state.add_whole_task(task)
    return await asyncio.shield(task)


@contextlib.asynccontextmanager
async def standstill(live: Live, operation: str) -> AsyncIterator[None]:
    """Stop the clock while one request changes the whole cluster; a second one is refused.

    Controllers are notified of each change, and act on all of them when time goes on.
    """
    state, pacer = live.state, live.pace
    state.check_free()
    state.operation = operation
    paced = pacer if isinstance(pacer, Pacer) else None
    before = None if paced is None else (paced.mode, paced.speed)
    try:
        if paced is not None:
            paced.set_mode(Mode.PAUSED)
        with few_collections():
            yield
    finally:
        state.operation = ""
        if paced is not None and before is not None:
            paced.set_mode(*before)
            paced.wake()


@contextlib.contextmanager
def as_one(live: Live) -> Iterator[None]:
    """Have what happens in this block kept as a whole, or not at all.

    A client that reads or writes meanwhile gets the answer afterwards, when all of it is safe.
    """
    live.durability.hold()
    try:
        yield
    finally:
        live.durability.release()


async def _reset(live: Live) -> int:
    async with standstill(live, "emptied"):
        with as_one(live):
            removed = await empty(live)
        recorder = live.state.recorder
        if recorder is not None:
            recorder.begin_anew()
    return removed


async def empty(live: Live) -> int:
    """Empty the cluster, while no time passes; how many objects were removed.

    Watches receive each removal. Neither grace periods nor finalizers hold up the end
    of everything.
    """
    before = live.store.object_count
    scenarios = live.stage.scenarios
    if scenarios is not None:
        scenarios.fail(FAILED.format(scenarios.state))
    await slices.in_slices(_pieces(live))
    return before - live.store.object_count


def _pieces(live: Live) -> Iterator[None]:
    store = live.store
    yield from wiping.wipe(store, _GRAIN)
    row = store.kind(SCENARIO)
    for key in tuple(store.read(row)):
        store.remove(row, key)
        yield
    store.settle()
    installing.restore(live.stage)
