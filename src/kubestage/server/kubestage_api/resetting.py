"""Emptying the cluster while it is served."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from kubestage.scenario import wiping
from kubestage.scenario.resource import SCENARIO
from kubestage.server import slices
from kubestage.server.kubestage_api import states
from kubestage.server.kubestage_api.shapes import Emptied, Nothing

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from kubestage.server.kubestage_api.call import Call
    from kubestage.server.live import Live

FAILED: Final = "the cluster was emptied while the Scenario was {}"
_GRAIN: Final = 16


async def reset(call: Call) -> Emptied:
    """Remove all that not every cluster has."""
    call.body(Nothing)
    live = call.live
    removed = await to_the_end(live, _reset(live))
    return Emptied(removed=removed, resource_version=live.store.resource_version)


async def to_the_end(live: Live, work: Coroutine[Any, Any, Any]) -> Any:
    """Do work that must not be left half done, even if its client goes or is sent away."""
    task = asyncio.ensure_future(work)
    states.of(live).go_on(task)
    return await asyncio.shield(task)


async def _reset(live: Live) -> int:
    async with states.standstill(live, "emptied"):
        removed = await empty(live)
        recorder = states.of(live).recorder
        if recorder is not None:
            recorder.begin_anew()
    return removed


async def empty(live: Live) -> int:
    """Empty the cluster, while no time passes; how many objects were removed.

    Watches are told of each. Nobody is asked: neither grace periods nor finalizers hold up the end
    of everything.
    """
    before = _count(live)
    scenarios = live.stage.scenarios
    if scenarios is not None:
        scenarios.fail(FAILED.format(scenarios.state))
    await slices.in_slices(_pieces(live))
    return before - _count(live)


def _pieces(live: Live) -> Iterator[None]:
    store = live.store
    yield from wiping.wipe(store, _GRAIN)
    row = store.kind(SCENARIO)
    for key in tuple(store.read(row)):
        store.remove(row, key)
        yield
    store.settle()


def _count(live: Live) -> int:
    return sum(len(each.objects) for each in live.store.ledger.collections())
