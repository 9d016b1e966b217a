"""Virtual time does not go on because a scheduler says that it is there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kubestage.testing import make_deployment, make_horizontal_pod_autoscaler, make_node
from tests.server.live_stage import NODES, Served, served
from tests.server.scheduler_contract import scheduler_calls as calls

if TYPE_CHECKING:
    from kubestage.aliases import Json

LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
AUTOSCALERS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"


async def quiet_after(stage: Served, method: str, path: str, body: Json) -> int:
    """When time stands still again after a write."""
    await stage.call(method, path, body)
    await asyncio.sleep(0)
    await stage.quiet()
    return stage.stage.clock.now_ns


def test_leases_and_events_move_no_clock_that_autoscalers_would_follow() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n"))
            await stage.call("POST", DEPLOYMENTS, make_deployment("web", replicas=1, cpu="100m"))
            autoscaler = make_horizontal_pod_autoscaler("web")
            stood_ns = await quiet_after(stage, "POST", AUTOSCALERS, autoscaler)
            lease: Json = {"metadata": {"name": "kube-scheduler"}, "spec": {}}
            assert await quiet_after(stage, "POST", LEASES, lease) == stood_ns
            path = f"{LEASES}/kube-scheduler"
            for number in range(1, 4):
                lease = await stage.call("GET", path)
                lease["spec"] = {"holderIdentity": "me", "leaseTransitions": number}
                assert await quiet_after(stage, "PUT", path, lease) == stood_ns
            pod = (await stage.call("GET", "/api/v1/namespaces/default/pods"))["items"][0]
            about = {**pod, "apiVersion": "v1", "kind": "Pod"}
            event = calls.event(about, "Warning", "FailedScheduling", "Scheduling", "no")
            path = calls.events_path("default")
            assert await quiet_after(stage, "POST", path, event) == stood_ns
            change = {"metadata": {"labels": {"a": "b"}}}
            merge = {"content-type": "application/merge-patch+json"}
            await stage.call("PATCH", f"{DEPLOYMENTS}/web", change, headers=merge)
            await stage.quiet()
            assert stage.stage.clock.now_ns > stood_ns

    asyncio.run(story())
