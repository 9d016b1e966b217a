"""A served cluster with controllers at work, for tests of identities; time stands still."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from kubestage.server.assembly import AssemblyOptions, Served
from kubestage.server.pacing import Mode
from kubestage.server.security.settings import SecuritySettings
from kubestage.stage import Stage
from tests.server import calling

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

START = "2026-05-01T00:00:00Z"


class Cluster:
    """What clients of it see."""

    def __init__(self, served: Served) -> None:
        self.served = served

    @property
    def stage(self) -> Stage:
        return self.served.live.stage

    async def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        sent = {"host": "localhost", **headers}
        return await calling.call(self.served.application, method, path, body, sent)


@contextlib.asynccontextmanager
async def served_cluster(token: str | None = None) -> AsyncIterator[Cluster]:
    stage = Stage(start=START)
    stage.add_controllers()
    security = SecuritySettings(token=token)
    served = Served(stage, AssemblyOptions(mode=Mode.PAUSED, scheduler="none", security=security))
    served.start()
    try:
        yield Cluster(served)
    finally:
        await served.close()
