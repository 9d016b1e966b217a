"""What has been answered leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc

from kubestage.server import negotiation, openapi
from tests.server.fuzz import oracle, worlds
from tests.server.fuzz.replaying import Storm
from tests.server.fuzz.wire import Wire
from tests.server.fuzz.worlds import HEADERS, World

ROUNDS = 2000
BOUND_BYTES = 4 << 20
PODS = "/api/v1/namespaces/default/pods"


async def fruitless(world: World, number: int) -> None:
    """Requests of which nothing remains, each a little different."""
    accept = f"application/json;q=0.{number},text/x-{number}".encode()
    named = (*HEADERS, (b"accept", b"application/json"), (b"x-number", str(number).encode()))
    for request in (
        Wire("GET", f"{PODS}/none-{number}", b"", named),
        Wire("GET", PODS, f"labelSelector=a{number}=b&limit=1".encode(), named),
        Wire("GET", PODS, f"fieldSelector=metadata.name=n{number}".encode(), named),
        Wire("GET", PODS, b"", (*HEADERS, (b"accept", accept))),
        Wire("GET", PODS, b"watch=1", (*HEADERS, (b"user-agent", f"fuzz/{number}".encode()))),
        Wire("GET", f"/apis/group-{number}/v1/things", b"", named),
        Wire("POST", PODS, b"", named, b'{"kind":"Pod","x%d":1}' % number),
        Wire("POST", PODS, b"dryRun=All", named, b'{"metadata":{"name":"p%d"}}' % number),
        Wire("PATCH", f"{PODS}/none", b"fieldManager=m%d" % number, named, b"{}"),
    ):
        await oracle.ask(world.app, request)


def test_requests_of_which_nothing_remains_leave_nothing() -> None:
    async def story() -> None:
        loop = asyncio.get_running_loop()
        world = worlds.still()
        for number in range(300):
            await fruitless(world, number)
        gc.collect()
        tasks, objects = len(asyncio.all_tasks(loop)), _stored(world)
        tracemalloc.start()
        for number in range(300, 300 + ROUNDS // 9):
            await fruitless(world, number)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert grown < BOUND_BYTES
        assert len(asyncio.all_tasks(loop)) == tasks
        assert _stored(world) == objects
        assert world.live.fanout.watchers == 0
        assert not world.live.fanout.followers

    asyncio.run(story())


def test_what_is_kept_for_speed_is_bounded() -> None:
    async def story() -> None:
        world = worlds.still()
        await Storm(world.app, 77, ROUNDS).run()
        encoder = world.app.encoder
        stored = _stored(world)
        assert len(encoder._cached) <= stored
        kept = sum(len(body) for _, body in encoder._cached.values())
        assert encoder._cached_bytes == kept
        assert world.live.fanout.watchers == 0
        assert not any(world.live.fanout._waiting.values())
        assert not any(world.live.fanout._following.values())
        assert negotiation.negotiate.cache_info().currsize <= 512
        assert len(openapi.documents._documents) <= 64
        running = {task for task in asyncio.all_tasks() if not task.done()}
        assert running == {asyncio.current_task()}

    asyncio.run(story())


def _stored(world: World) -> int:
    return world.live.store.object_count


def test_who_gives_up_waiting_is_forgotten_before_anything_happens() -> None:
    async def story() -> None:
        live = worlds.still().live
        log = live.store.collection(("v1", "Pod")).log
        for _ in range(10):
            live.fanout.wait(log).cancel()
        await asyncio.sleep(0)
        assert not any(live.fanout._waiting.values())

    asyncio.run(story())
