from __future__ import annotations

import asyncio
from typing import Any

from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod
from tests.server import calling, live_stage

ROOT = "/apis/metrics.k8s.io/v1beta1"
PODS = f"{ROOT}/namespaces/default/pods"
TABLE = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}
USES = {"kubestage.dev/cpu-usage": "250m", "kubestage.dev/memory-usage": "100Mi"}


def cluster() -> Stage:
    """Two nodes, three pods: two that use something, and one that has no node."""
    stage = Stage()
    stage.load([make_node("n1"), make_node("n2")])
    for name, node in (("a", "n1"), ("b", "n1"), ("c", "")):
        pod = make_pod(name, labels={"app": name})
        pod["metadata"]["annotations"] = dict(USES)
        pod["spec"]["schedulerName"] = "nobody"
        if node:
            pod["spec"]["nodeName"] = node
        stage.store.create(pod)
    return stage


async def ask(served: Any, path: str, **more: Any) -> Any:
    return await calling.call(served.app, "GET", path, **more)


def test_a_clock_that_jumps_goes_on_until_usage_is_known() -> None:
    async def story() -> None:
        async with live_stage.served(stage=cluster()) as served:
            await served.quiet()
            listed = (await ask(served, PODS)).json
            assert listed["kind"] == "PodMetricsList"
            assert [each["metadata"]["name"] for each in listed["items"]] == ["a", "b"]
            item = listed["items"][0]
            assert item["containers"][0]["usage"] == {"cpu": "250m", "memory": "100Mi"}
            assert item["metadata"]["labels"] == {"app": "a"}
            assert item["window"].endswith("s")
            assert "kind" not in item
            now = served.stage.now
            await ask(served, PODS)
            assert served.stage.now == now

    asyncio.run(story())


def test_a_node_uses_what_its_pods_use() -> None:
    async def story() -> None:
        async with live_stage.served(stage=cluster()) as served:
            await served.quiet()
            found = (await ask(served, f"{ROOT}/nodes")).json
            assert found["kind"] == "NodeMetricsList"
            used = {each["metadata"]["name"]: each["usage"] for each in found["items"]}
            idle = {"cpu": "0", "memory": "0"}
            assert used == {"n1": {"cpu": "500m", "memory": "200Mi"}, "n2": idle}
            one = (await ask(served, f"{ROOT}/nodes/n1")).json
            assert (one["kind"], one["usage"]["cpu"]) == ("NodeMetrics", "500m")

    asyncio.run(story())


def test_selectors_choose_among_pods() -> None:
    async def story() -> None:
        async with live_stage.served(stage=cluster()) as served:
            await served.quiet()
            for query in ({"labelSelector": "app=b"}, {"fieldSelector": "metadata.name=b"}):
                items = (await ask(served, f"{ROOT}/pods", **query)).json["items"]
                assert [each["metadata"]["name"] for each in items] == ["b"]
            assert (await ask(served, PODS, labelSelector="(")).status == 400

    asyncio.run(story())


def test_what_is_not_known_is_not_found() -> None:
    async def story() -> None:
        async with live_stage.served(stage=cluster()) as served:
            await served.quiet()
            one = (await ask(served, f"{PODS}/a")).json
            assert (one["kind"], one["apiVersion"]) == ("PodMetrics", "metrics.k8s.io/v1beta1")
            unknown = (await ask(served, f"{PODS}/c")).json
            assert unknown["message"] == 'podmetrics.metrics.k8s.io "default/c" not found'
            assert (await ask(served, f"{PODS}/gone")).json["message"] == 'pods "gone" not found'
            for path in ("moons", "pods/a", "namespaces/default/nodes", "nodes/n1/x"):
                assert (await ask(served, f"{ROOT}/{path}")).status == 404
            assert (await calling.call(served.app, "DELETE", f"{PODS}/a")).status == 405

    asyncio.run(story())


def test_a_clock_that_stands_still_is_not_moved_by_a_question() -> None:
    async def story() -> None:
        async with live_stage.served(stage=cluster()) as served:
            await served.quiet()
            served.pacer.pause()
            now = served.stage.now
            assert (await ask(served, PODS)).json["items"] == []
            assert served.stage.now == now
            served.pacer.resume()
            assert len((await ask(served, PODS)).json["items"]) == 2

    asyncio.run(story())


def test_without_controllers_nothing_is_known() -> None:
    async def story() -> None:
        app = calling.application(cluster())
        answer = await calling.call(app, "GET", f"{ROOT}/nodes")
        assert answer.json["items"] == []

    asyncio.run(story())


def test_usage_comes_as_a_table_too() -> None:
    async def story() -> None:
        async with live_stage.served(stage=cluster()) as served:
            await served.quiet()
            table = (await ask(served, PODS, headers=TABLE)).json
            names = [each["name"] for each in table["columnDefinitions"]]
            assert names == ["Name", "cpu", "memory", "Window"]
            assert [row["cells"][:3] for row in table["rows"]] == [
                ["a", "250m", "100Mi"],
                ["b", "250m", "100Mi"],
            ]

    asyncio.run(story())
