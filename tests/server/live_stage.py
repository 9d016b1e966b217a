"""A stage that is being served, with its clock, for tests: in the process, or on a socket."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING, Any

import uvicorn

from kubestage.scenario import resource
from kubestage.server.app import Application
from kubestage.server.assembly import set_up
from kubestage.server.live import Live
from kubestage.stage import Stage
from tests.deadlines import HANG_S
from tests.scenario import building
from tests.server import calling

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from kubestage.aliases import Json
    from kubestage.server.pacing import Pacer


NODES = "/api/v1/nodes"
PODS = "/api/v1/namespaces/default/pods"
SCENARIOS = f"/apis/{resource.API_VERSION}/scenarios"
ENDED = ("Succeeded", "Failed", "Paused")


class Served:
    """A stage, its clock and its application."""

    def __init__(
        self, *, alive: bool = True, scheduler: bool = True, stage: Stage | None = None, **more: Any
    ) -> None:
        self.stage = Stage() if stage is None else stage
        if scheduler and self.stage.scheduler is None:
            self.stage.add_scheduler()
        if alive and self.stage.controllers is None:
            self.stage.add_controllers()
        self.live = Live(self.stage)
        self.app = Application(self.live)
        self.pacer: Pacer = set_up(self.live, **more)

    async def call(self, method: str, path: str, body: Any = None, **more: Any) -> Json:
        """One request that must succeed; its answer."""
        answer = await calling.call(self.app, method, path, body, **more)
        assert answer.status < 300, answer.json
        found: Json = answer.json
        return found

    async def quiet(self) -> None:
        """Wait until the clock has nothing to go on for."""
        async with asyncio.timeout(HANG_S):
            while not self.pacer.is_quiet:
                await asyncio.sleep(0.001)

    async def scenario(self, name: str = "it", phases: tuple[str, ...] = ENDED) -> Json:
        """The status of a Scenario once it is in one of these phases."""
        async with asyncio.timeout(HANG_S):
            while True:
                status: Json = building.status(self.stage, name)
                if status.get("phase") in phases:
                    return status
                await asyncio.sleep(0.005)


@contextlib.asynccontextmanager
async def served(**more: Any) -> AsyncIterator[Served]:
    """A stage whose clock runs."""
    stage = Served(**more)
    stage.pacer.start()
    try:
        yield stage
    finally:
        await stage.pacer.close()


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def listening(stage: Served) -> AsyncIterator[str]:
    """The address at which a stage is served on a socket."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        config = uvicorn.Config(
            stage.app, lifespan="off", log_config=None, timeout_graceful_shutdown=1
        )
        server = _Server(config)
        task = asyncio.create_task(server.serve([sock]))
        try:
            yield f"http://127.0.0.1:{sock.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task
