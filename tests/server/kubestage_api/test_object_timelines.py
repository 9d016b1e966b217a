"""Timelines of nodes and workloads over HTTP."""

from __future__ import annotations

from typing import Any

from tests.server.clusters import API, Server, serving
from tests.server.test_pacing import tell

TIMELINE = f"{API}/history/timeline"
WEB = {"kind": "Deployment", "group": "apps", "namespace": "default", "name": "web"}


async def _read(server: Server, **query: Any) -> Any:
    return await server.call("GET", TIMELINE, **query)


def test_the_timeline_of_a_workload_in_parts() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.deploy(3)
            await server.advance("10s")
            whole = await _read(server, **WEB)
            assert whole["leftOut"] == 0
            assert whole["entries"][0]["text"] == "created with 3 replicas"
            assert [series["name"] for series in whole["series"]][:2] == ["desired", "ready"]
            assert whole["series"][1]["points"][-1][1] == 3
            newest = await _read(server, **WEB, limit=2)
            older = await _read(server, **WEB, limit=1000, before=newest["leftOut"])
            assert older["entries"] + newest["entries"] == whole["entries"]

    tell(story())


def test_the_timeline_of_a_node() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.deploy(3)
            await server.advance("10s")
            found = await _read(server, kind="Node", name="a")
            placed = [each for each in found["entries"] if each["kind"] == "pod"]
            assert placed
            assert all(each["subject"].startswith("pod/default/web-") for each in placed)
            assert found["series"][2]["points"][-1][1] == len(placed)
            assert found["autoscalers"] == []

    tell(story())


def test_what_it_refuses() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.refused(400, "GET", TIMELINE, name="a")
            await server.refused(400, "GET", TIMELINE, kind="Deployment", name="web")
            await server.refused(400, "GET", TIMELINE, kind="Node", name="a", limit=0)
            await server.refused(400, "GET", TIMELINE, kind="Node", name="a", before=-1)
            await server.refused(404, "GET", TIMELINE, kind="Node", name="nowhere")
            await server.refused(404, "GET", TIMELINE, **{**WEB, "kind": "Nonsense"})
            await server.refused(404, "GET", TIMELINE, **WEB)

    tell(story())
