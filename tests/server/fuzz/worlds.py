"""Servers to send requests to, and what must hold of them whatever was sent."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from kubestage.server.assembly import AssemblyOptions, Served
from kubestage.stage import Stage
from tests.deadlines import HANG_S
from tests.golden import conformance
from tests.server.fuzz import oracle
from tests.server.fuzz.wire import Wire
from tests.server.served import nodes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kubestage.objects.kinds import Kind
    from kubestage.server.live import Live

HEADERS = ((b"host", b"localhost"), (b"user-agent", b"fuzz/1.0"))
_META = b"g=meta.k8s.io"
FORMS = (
    b"application/json",
    b"application/yaml",
    b"application/json;as=Table;v=v1;" + _META,
    b"application/json;as=PartialObjectMetadataList;v=v1;" + _META,
)


class World:
    """A server; `live` is what it serves."""

    def __init__(self, app: Any, live: Live) -> None:
        self.app = app
        self.live = live

    async def quiet(self) -> None:
        """Wait until nothing is under way."""

    async def check(self) -> None:
        """All that is stored can be read, in every form, and watched."""
        await self.quiet()
        self.check_stored()
        for kind in list(self.live.store.kinds):
            await self._check_kind(kind)

    def check_stored(self) -> None:
        """Objects are under their own names, and no version is newer than the newest."""
        newest = self.live.store.revision
        for collection in self.live.store.collections():
            for key, obj in collection.objects.items():
                metadata = obj["metadata"]
                namespace = metadata.get("namespace")
                assert key == (f"{namespace}/{metadata['name']}" if namespace else metadata["name"])
                assert 0 < int(metadata["resourceVersion"]) <= newest

    async def _check_kind(self, kind: Kind) -> None:
        path = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
        path += f"/{kind.plural}"
        for form in FORMS:
            request = Wire("GET", path, b"", (*HEADERS, (b"accept", form)))
            answer = await oracle.ask(self.app, request)
            assert answer.status in (200, 404, 405, 406), answer.body[:500]
        for form in FORMS[:1] + FORMS[2:]:
            query = b"watch=1&allowWatchBookmarks=true&sendInitialEvents=true"
            query += b"&resourceVersionMatch=NotOlderThan"
            request = Wire("GET", path, query, (*HEADERS, (b"accept", form)))
            answer = await oracle.ask(self.app, request)
            assert answer.status in (200, 404, 405, 406), answer.body[:500]
            assert b'"type":"ERROR"' not in answer.body


class BusyWorld(World):
    """A whole server: its door, a scheduler, controllers and a clock that jumps."""

    def __init__(self, served: Served) -> None:
        super().__init__(served.application, served.live)
        self._served = served

    async def quiet(self) -> None:
        """Wait until nothing is under way; the stage must not have broken down."""
        async with asyncio.timeout(HANG_S):
            while not self._served.pacer.is_quiet and not self._served.pacer.failure:
                await asyncio.sleep(0.001)
        assert not self._served.pacer.failure


def still() -> World:
    """A server on which nothing moves by itself, as the one that was recorded."""
    app = conformance.application()
    return World(app, app.live)


@contextlib.asynccontextmanager
async def busy() -> AsyncIterator[BusyWorld]:
    """A server as people run it, with a few nodes."""
    stage = Stage(implicit_namespaces=False)
    stage.load(nodes(4))
    stage.add_scheduler()
    stage.add_controllers()
    served = Served(stage, AssemblyOptions())
    served.start()
    try:
        yield BusyWorld(served)
    finally:
        await served.close()
