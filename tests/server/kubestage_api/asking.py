"""Requests to our own API, in the process."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from kubestage.server.kubestage_api import recorders
from tests.server import calling, live_stage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kubestage.aliases import Json
    from tests.server.calling import Answer
    from tests.server.live_stage import Served


ROOT = "/kubestage/v1"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
OBJECTS = ("Deployment", "Node", "Pod", "ReplicaSet", "ConfigMap", "Scenario")


@contextlib.asynccontextmanager
async def served(**more: Any) -> AsyncIterator[Served]:
    """A stage whose clock runs, and of which attempts and runs are kept."""
    async with live_stage.served(**more) as stage:
        recorders.start_recording(stage.live)
        try:
            yield stage
        finally:
            recorders.close(stage.live)


async def ask(stage: Served, method: str, path: str, body: Any = None, **more: Any) -> Answer:
    """One request, whatever its answer."""
    return await calling.call(stage.app, method, ROOT + path, body, **more)


async def told(stage: Served, method: str, path: str, body: Any = None, **more: Any) -> Json:
    """One request that must succeed; its answer."""
    return await stage.call(method, ROOT + path, body, **more)


async def refused(
    stage: Served, status: int, method: str, path: str, body: Any = None, **more: Any
) -> str:
    """One request that must be refused, as Kubernetes refuses; why."""
    answer = await ask(stage, method, path, body, **more)
    found: Json = answer.json
    assert answer.status == status, found
    assert (found["kind"], found["code"], found["status"]) == ("Status", status, "Failure")
    return str(found["message"])


def names(stage: Served) -> dict[str, list[str]]:
    """The objects of a few kinds that are there."""
    return {
        each.kind.kind: sorted(each.objects)
        for each in stage.live.store.collections()
        if each.kind.kind in OBJECTS and each.objects
    }
