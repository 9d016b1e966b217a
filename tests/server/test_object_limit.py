"""A full server takes no more, from anybody, and lets go."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.server.assembly import AssemblyOptions, Served
from kubestage.server.security.settings import RequestLimits, SecuritySettings
from kubestage.stage import Stage
from tests.deadlines import HANG_S
from tests.server import calling
from tests.server.served import nodes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kubestage.aliases import Json

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
APPS = "/apis/apps/v1/namespaces/default"
LIMIT = 300
MANY = 2_147_483_647
MERGE = {"content-type": "application/merge-patch+json"}
APPLY = {"content-type": "application/apply-patch+yaml"}


class Full:
    """A server with few places, and a client of it."""

    def __init__(self, limit: int) -> None:
        self.stage = Stage()
        self.stage.load(nodes(4))
        self.stage.add_scheduler()
        self.stage.add_controllers()
        security = SecuritySettings(limits=RequestLimits(objects=limit))
        self.served = Served(self.stage, AssemblyOptions(security=security))

    async def call(self, method: str, path: str, body: Any = None, **more: Any) -> calling.Answer:
        headers = {"host": "localhost", **more.pop("headers", {})}
        return await calling.call(
            self.served.application, method, path, body, headers=headers, **more
        )

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(HANG_S):
            while not condition():
                await asyncio.sleep(0.001)
        assert not self.served.pacer.failure

    @property
    def objects(self) -> int:
        return self.stage.store.object_count

    @property
    def others(self) -> int:
        """All but Events, which may be a few more."""
        return self.objects - len(self.stage.store.read(("v1", "Event")))

    def reasons(self) -> set[str]:
        return {each["reason"] for each in self.stage.store.read(("v1", "Event")).values()}


@contextlib.asynccontextmanager
async def full(limit: int = LIMIT) -> AsyncIterator[Full]:
    server = Full(limit)
    server.served.start()
    try:
        yield server
    finally:
        await server.served.close()


def config_map(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


async def fill(server: Full) -> None:
    for number in range(LIMIT):
        if (await server.call("POST", CONFIG_MAPS, config_map(f"c{number}"))).status != 201:
            return


def workload(kind: str) -> Json:
    labels = {"app": "web"}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "main", "image": "web"}]},
    }
    spec: Json = {"replicas": MANY, "selector": {"matchLabels": labels}, "template": template}
    if kind == "StatefulSet":
        spec |= {"serviceName": "web", "podManagementPolicy": "Parallel"}
    if kind == "Job":
        template["spec"]["restartPolicy"] = "Never"  # type: ignore[index]
        spec = {"parallelism": MANY, "template": template}
    return {"metadata": {"name": "web"}, "spec": spec}


def test_a_full_server_takes_no_more_but_lets_go() -> None:
    async def story() -> None:
        async with full() as server:
            await fill(server)
            refused = await server.call("POST", CONFIG_MAPS, config_map("more"))
            assert refused.status == 403
            assert "--max-objects" in refused.json["message"]
            body = config_map("more")
            patch = await server.call(
                "PATCH", f"{CONFIG_MAPS}/more", body, headers=APPLY, fieldManager="me"
            )
            assert patch.status == 403
            held = server.objects
            assert held <= LIMIT + LIMIT // 10
            # What adds nothing is taken as ever.
            changed = await server.call(
                "PATCH", f"{CONFIG_MAPS}/c0", {"data": {"x": "y"}}, headers=MERGE
            )
            assert changed.status == 200
            assert (await server.call("PUT", f"{CONFIG_MAPS}/c0", config_map("c0"))).status == 200
            review = {"spec": {"nonResourceAttributes": {"path": "/", "verb": "get"}}}
            reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
            assert (await server.call("POST", reviews, review)).status == 201
            for number in range(40):
                answer = await server.call("DELETE", f"{CONFIG_MAPS}/c{number}")
                assert answer.status == 200
            assert (await server.call("POST", CONFIG_MAPS, config_map("more"))).status == 201

    asyncio.run(story())


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet", "Job"])
def test_controllers_fill_the_server_no_further_and_can_be_scaled_down(kind: str) -> None:
    async def story() -> None:
        async with full() as server:
            group = APPS if kind != "Job" else "/apis/batch/v1/namespaces/default"
            path = f"{group}/{kind.lower()}s"
            assert (await server.call("POST", path, workload(kind))).status == 201
            await server.until(lambda: "FailedCreate" in server.reasons())
            pods = server.stage.store.read(("v1", "Pod"))
            assert 100 < len(pods) < LIMIT
            assert server.others <= LIMIT
            assert server.objects <= LIMIT + LIMIT // 10
            field = "parallelism" if kind == "Job" else "replicas"
            patch = {"spec": {field: 2}}
            answer = await server.call("PATCH", f"{path}/web", patch, headers=MERGE)
            assert answer.status == 200, answer.json
            await server.until(lambda: len(pods) == 2)
            assert (await server.call("POST", CONFIG_MAPS, config_map("more"))).status == 201

    asyncio.run(story())


def test_an_import_that_is_too_large_is_refused_as_a_whole() -> None:
    async def story() -> None:
        async with full() as server:
            await server.until(lambda: server.served.pacer.is_quiet)
            held = server.objects
            items = [config_map(f"c{number}") for number in range(LIMIT + 1)]
            for mode in ("add", "replace"):
                body = {"apiVersion": "v1", "kind": "List", "items": items}
                answer = await server.call("POST", "/kubestage/v1/import", body, mode=mode)
                assert answer.status == 403, answer.json
                assert server.objects == held

    asyncio.run(story())
