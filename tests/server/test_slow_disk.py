"""A disk that takes its time: how far a stage gets ahead of it, and who waits for it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kubestage.errors import ApiError
from kubestage.server import pacing
from kubestage.testing import make_deployment, make_node
from tests.deadlines import HANG_S
from tests.server import calling
from tests.server.live_stage import NODES, Served

if TYPE_CHECKING:
    import pytest

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
REPLICAS = 40


class Disk:
    """Keeps changes when it is told to, or fails."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self.revision = served.live.store.revision
        self.failure: ApiError | None = None
        self.is_slow = False
        self._waiting: list[asyncio.Future[None]] = []
        served.live.set_durability(self)

    async def until(self, revision: int) -> None:
        while self.failure is None and self.revision < revision:
            if not self.is_slow:
                self.keep()
                continue
            future = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            await future
        if self.failure is not None:
            raise self.failure

    def keep(self) -> None:
        self.revision = self._served.live.store.revision
        self._wake()

    def fail(self) -> None:
        self.failure = ApiError("the disk is full")
        self._wake()

    def hold(self) -> None:
        """Nothing to do."""

    def release(self) -> None:
        """Nothing to do."""

    def take_back(self) -> None:
        """Nothing to do."""

    def close(self) -> None:
        self.failure = None

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            each.set_result(None)


async def begin() -> tuple[Served, Disk]:
    """A cluster with a disk that keeps nothing from now on, and much to do."""
    served = Served()
    disk = Disk(served)
    served.pacer.start()
    await served.call("POST", NODES, make_node("n1", pods=100, cpu="100"))
    await served.quiet()
    disk.keep()
    disk.is_slow = True
    served.stage.store.create(make_deployment("web", replicas=REPLICAS))
    served.pacer.wake()
    return served, disk


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def available(served: Served) -> int:
    web = served.stage.store.get(("apps/v1", "Deployment"), "web", "default")
    found: int = (web.get("status") or {}).get("availableReplicas", 0)
    return found


def test_a_stage_waits_when_too_much_is_not_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "_MOST_UNSAFE", 20)
    # One piece of work at a time.
    monkeypatch.setattr(pacing, "_SLICE_S", 0.0)
    monkeypatch.setattr(pacing, "_SHORT_SLICE_S", 0.0)

    async def story() -> None:
        served, disk = await begin()
        store = served.live.store
        while store.revision - disk.revision <= 20:
            await asyncio.sleep(0)
        await turns(20)
        stood_at = store.revision
        await turns(2000)
        assert store.revision == stood_at
        assert available(served) < REPLICAS
        while available(served) < REPLICAS:
            disk.keep()
            await asyncio.sleep(0)
        await served.pacer.close()

    asyncio.run(asyncio.wait_for(story(), HANG_S))


def test_a_stage_goes_on_when_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "_MOST_UNSAFE", 20)

    async def story() -> None:
        served, disk = await begin()
        await turns(50)
        disk.fail()
        while available(served) < REPLICAS:
            await asyncio.sleep(0)
        assert not served.pacer.failure
        await served.pacer.close()

    asyncio.run(asyncio.wait_for(story(), HANG_S))


def test_whoever_asks_how_we_are_does_not_wait_for_the_disk() -> None:
    async def story() -> None:
        served, disk = await begin()
        reading = asyncio.ensure_future(calling.call(served.app, "GET", NODES))
        for path in ("/readyz", "/livez", "/healthz", "/version"):
            assert (await calling.call(served.app, "GET", path)).status == 200
        await turns(100)
        assert not reading.done()
        disk.is_slow = False
        disk.keep()
        assert (await reading).status == 200
        await served.pacer.close()

    asyncio.run(asyncio.wait_for(story(), HANG_S))
