"""Past moments over HTTP: the API of that moment, which nothing can change."""

from __future__ import annotations

import asyncio
import weakref
from typing import Any

import pytest

from kubestage.results.history.cluster_history import HistoryLimits
from kubestage.server import past
from kubestage.testing import make_node, make_pod
from tests.server import calling
from tests.server.clusters import API, DEPLOYMENTS, LOCAL, NODES, PODS, Server, serving
from tests.server.test_pacing import tell

EMPTY = "/at/2026-01-01T00:00:00.5Z"
FULL = "/at/2026-01-01T00:00:05Z"


async def live_on(server: Server) -> None:
    """Half a second of nothing, then pods, of which one fits nowhere."""
    await server.advance("1s")
    await server.deploy(2)
    path = "/api/v1/namespaces/default/pods"
    await server.call("POST", path, make_pod("big", cpu="9", labels={"size": "large"}))
    await server.advance("9s")


def test_each_moment_has_the_objects_of_that_moment() -> None:
    async def story() -> None:
        async with serving() as server:
            await live_on(server)
            assert await server.names(EMPTY + PODS) == []
            assert await server.names(EMPTY + NODES) == ["a", "b"]
            there = await server.names(PODS)
            assert len(there) == 3
            assert await server.names(FULL + PODS) == there
            await server.call("DELETE", f"{DEPLOYMENTS}/web")
            await server.call("POST", NODES, make_node("c"))
            await server.advance("1m")
            assert await server.names(PODS) == ["big"]
            assert await server.names(FULL + PODS) == there
            pod = await server.call("GET", f"{FULL}/api/v1/namespaces/default/pods/{there[1]}")
            assert pod["status"]["phase"] == "Running"
            before = f"/at/2026-01-01T00:00:01.000000001Z/api/v1/namespaces/default/pods/{there[1]}"
            assert (await server.call("GET", before))["status"]["phase"] == "Pending"

    tell(story())


def test_a_past_moment_has_all_that_can_be_read() -> None:
    async def story() -> None:
        async with serving() as server:
            await live_on(server)
            await server.call("PATCH", f"{NODES}/a", {"spec": {"unschedulable": True}},
                              headers={"content-type": "application/merge-patch+json"})  # fmt: skip
            await server.advance("10s")
            table = "application/json;as=Table;v=v1;g=meta.k8s.io"
            found = await server.call("GET", FULL + PODS, headers={"accept": table})
            assert {row["cells"][2] for row in found["rows"]} == {"Running", "Pending"}
            chosen = await server.call("GET", FULL + PODS, labelSelector="size=large")
            assert [each["metadata"]["name"] for each in chosen["items"]] == ["big"]
            events = await server.call("GET", f"{FULL}/api/v1/events")
            assert "FailedScheduling" in {each["reason"] for each in events["items"]}
            assert (await server.call("GET", f"{FULL}/apis"))["kind"] == "APIGroupList"
            assert (await server.ask("HEAD", FULL + PODS)).body == b""
            packing = await server.call("GET", f"{FULL}{API}/packing")
            assert packing["nodeCount"] == 2

    tell(story())


def test_why_a_pod_waited_is_answered_as_of_that_moment() -> None:
    async def story() -> None:
        async with serving() as server:
            await live_on(server)
            await server.call("POST", NODES, make_node("large", cpu="16"))
            await server.advance("5m")
            path = f"{API}/explanations/default/big"
            now = await server.call("GET", path)
            assert (now["status"], now["node"]) == ("Scheduled", "large")
            then = await server.call("GET", FULL + path)
            assert (then["status"], then["node"], then["nodes"]) == ("Pending", None, 2)
            assert [each["result"] for each in then["attempts"]] == ["unschedulable"]
            assert len(now["attempts"]) > 1
            assert not then["advice"]["fits"]
            assert then["advice"]["changes"]

    tell(story())


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", NODES, make_node("c")),
        ("DELETE", f"{NODES}/a", None),
        ("POST", f"{API}/clock/advance", {"duration": "1s"}),
        ("PUT", f"{API}/scheduler/configuration", {}),
        ("POST", f"{API}/reset", {}),
    ],
)
def test_the_past_cannot_be_changed(method: str, path: str, body: Any) -> None:
    async def story() -> None:
        async with serving() as server:
            await live_on(server)
            message = await server.refused(403, method, EMPTY + path, body)
            assert message == "this is the past: fork it to change it"
            assert await server.names(EMPTY + NODES) == ["a", "b"]

    tell(story())


def test_moments_that_are_not_known_are_refused_with_both_bounds() -> None:
    async def story() -> None:
        async with serving(past=HistoryLimits(most_changes=20)) as server:
            await live_on(server)
            found = await server.call("GET", f"{API}/history")
            assert found["begin"] >= "2026-01-01T00:00:01Z"
            for time in ("2025-01-01T00:00:00Z", "2027-01-01T00:00:00Z"):
                message = await server.refused(404, "GET", f"/at/{time}{PODS}")
                assert found["begin"] in message
                assert found["end"] in message
            message = await server.refused(400, "GET", f"/at/yesterday{PODS}")
            assert "write it as 2026-01-01T00:05:00.25Z" in message
            message = await server.refused(404, "GET", f"{FULL}{API}/clock")
            assert f"{API}/packing" in message

    tell(story())


def test_a_watch_of_the_past_has_the_first_state_and_stays() -> None:
    async def story() -> None:
        async with serving() as server:
            await live_on(server)
            application = server.served.application
            opened = await calling.watch(application, FULL + PODS, LOCAL)
            assert [(await opened.next())["type"] for _ in range(3)] == ["ADDED"] * 3
            await server.advance("1m")
            await server.deploy(1, "other")
            assert opened.waiting() == 0
            await opened.leave()

    tell(story())


def test_a_moment_is_built_once_and_only_a_few_are_kept() -> None:
    async def story() -> None:
        async with serving() as server:
            await live_on(server)
            moments = server.served.clusters.first.past
            assert moments is not None
            paths = [f"2026-01-01T00:00:0{second}Z" for second in range(6)]
            first = await asyncio.gather(*(moments.at(paths[0]) for _ in range(3)))
            assert first[0] is first[1] is first[2] is await moments.at(paths[0])
            for each in paths:
                await moments.at(each)
            assert len(moments._built) == past._MOST
            gone = weakref.ref(first[0])
            first.clear()
            # Without a search for cycles: a server next to never does one.
            assert gone() is None

    tell(story())


def test_a_moment_that_is_not_over_is_read_again() -> None:
    async def story() -> None:
        async with serving() as server:
            now = "/at/2026-01-01T00:00:00Z"
            assert await server.names(now + NODES) == ["a", "b"]
            await server.call("POST", NODES, make_node("c"))
            assert await server.names(now + NODES) == ["a", "b", "c"]

    tell(story())
