"""A whole server in the process, with a cluster that can be looked at, forked and opened."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from kubestage.server.assembly import AssemblyOptions, Served
from kubestage.server.pacing import Mode
from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_node
from tests.server import calling

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kubestage.server.clusters import ClusterEntry
    from tests.server.calling import Answer

API = "/kubestage/v1"
PODS = "/api/v1/pods"
NODES = "/api/v1/nodes"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
LOCAL = {"host": "localhost"}


def stage(*, controllers: bool = True) -> Stage:
    """A stage with a scheduler, and two nodes."""
    made = Stage(implicit_namespaces=False)
    made.add_scheduler(recording="none")
    if controllers:
        made.add_controllers()
    made.apply([make_node("a", cpu="2"), make_node("b", cpu="2")])
    return made


class Server:
    """Requests to it."""

    def __init__(self, served: Served) -> None:
        self.served = served

    async def ask(self, method: str, path: str, body: Any = None, **query: Any) -> Answer:
        """One request, whatever its answer."""
        headers = {**LOCAL, **query.pop("headers", {})}
        return await calling.call(self.served.application, method, path, body, headers, **query)

    async def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """One request that must succeed; its answer."""
        answer = await self.ask(method, path, body, **query)
        assert answer.status < 300, answer.body
        return answer.json

    async def refused(
        self, status: int, method: str, path: str, body: Any = None, **query: Any
    ) -> str:
        """One request that must be refused, as Kubernetes refuses; why."""
        answer = await self.ask(method, path, body, **query)
        assert (answer.status, answer.json["kind"]) == (status, "Status"), answer.body
        return str(answer.json["message"])

    async def names(self, path: str = PODS) -> list[str]:
        """The names of objects."""
        found = await self.call("GET", path)
        return [each["metadata"]["name"] for each in found["items"]]

    async def advance(self, duration: str, prefix: str = "") -> Any:
        """Let time pass."""
        body = {"duration": duration}
        return await self.call("POST", f"{prefix}{API}/clock/advance", body)

    async def deploy(self, replicas: int, name: str = "web", prefix: str = "") -> None:
        """Create a Deployment."""
        await self.call("POST", prefix + DEPLOYMENTS, make_deployment(name, replicas=replicas))


@contextlib.asynccontextmanager
async def serving(
    first: Stage | ClusterEntry | None = None, others: tuple[ClusterEntry, ...] = (), **more: Any
) -> AsyncIterator[Server]:
    """A server whose clock is paused at first."""
    options = AssemblyOptions(**{"mode": Mode.PAUSED, **more})
    served = Served(stage() if first is None else first, options, others=others)
    served.start()
    try:
        yield Server(served)
    finally:
        await served.close()
