"""A guard before an application that says yes to everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.server.security.guard import Guard
from kubestage.server.security.settings import RequestLimits, SecuritySettings
from kubestage.server.security.traffic import Traffic
from kubestage.stage import Stage
from tests.server import calling

if TYPE_CHECKING:
    import asyncio

LOCAL = {"host": "127.0.0.1:18080"}


class Inside:
    """What is behind the door: reads a body, takes as long as it is told to, and says yes."""

    def __init__(self, waits: asyncio.Event | None = None) -> None:
        self.served = 0
        self.waits = waits

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            while (await receive()).get("more_body"):
                pass
        if self.waits is not None:
            await self.waits.wait()
        self.served += 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"yes"})


class Door:
    """A guard with what is behind it, and what it counted."""

    def __init__(
        self, inside: Any = None, *, limits: RequestLimits | None = None, **settings: Any
    ) -> None:
        self.stage = Stage()
        self.inside = inside or Inside()
        self.traffic = Traffic(self.stage.store.kinds)
        rules = SecuritySettings(limits=limits or RequestLimits(), **settings)
        self.guard = Guard(self.inside, rules, self.traffic)

    async def call(self, method: str = "GET", path: str = "/api/v1/pods", **more: Any) -> Any:
        headers = {**LOCAL, **more.pop("headers", {})}
        return await calling.call(self.guard, method, path, headers=headers, **more)
