"""kr8s, which reads the older discovery, one group after the other."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import kr8s.asyncio
import pytest
from kr8s.asyncio.objects import Deployment, Pod

from tests.deadlines import HANG_S

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.server.served import Served

# It knows versions of Kubernetes up to 1.35, and says so.
pytestmark = pytest.mark.filterwarnings("ignore:Kubernetes version:UserWarning")


@contextlib.asynccontextmanager
async def connected(served: Served) -> AsyncIterator[Any]:
    api = await kr8s.asyncio.api(kubeconfig=str(served.kubeconfig))
    try:
        yield api
    finally:
        assert api._session is not None
        await api._session.aclose()


def manifest(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {"containers": [{"name": "c", "image": "nginx"}]},
    }


def test_a_pod_from_its_creation_to_its_end(served: Served, name: str) -> None:
    async def story() -> None:
        async with connected(served) as api:
            pod = await Pod(manifest(name), api=api)
            await pod.create()
            await pod.wait("condition=Ready", timeout=HANG_S)
            assert await pod.ready()
            await pod.label({"tier": "web"})
            selector = f"app={name},tier=web"
            found = [each.name async for each in api.get("pods", label_selector=selector)]
            assert found == [name]
            await pod.patch({"metadata": {"annotations": {"note": "x"}}})
            await pod.refresh()
            assert pod.annotations["note"] == "x"
            await pod.delete()
            await pod.wait("delete", timeout=HANG_S)
            assert not await pod.exists()

    asyncio.run(story())


def test_a_deployment_is_scaled(served: Served, name: str) -> None:
    async def story() -> None:
        template = {"metadata": {"labels": {"app": name}}, "spec": manifest(name)["spec"]}
        spec = {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": template}
        async with connected(served) as api:
            deployment = await Deployment({"metadata": {"name": name}, "spec": spec}, api=api)
            await deployment.create()
            await deployment.scale(3)
            await deployment.wait("condition=Available", timeout=HANG_S)
            assert deployment.replicas == 3
            await deployment.delete()

    asyncio.run(story())


def test_it_finds_every_kind(served: Served) -> None:
    async def story() -> None:
        async with connected(served) as api:
            kinds = {each["kind"] for each in await api.api_resources()}
            assert {"Pod", "Scenario", "Traffic", "ResourceClaim", "Event"} <= kinds
            assert (await api.version())["minor"] == "36"

    asyncio.run(story())
