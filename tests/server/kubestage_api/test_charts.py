"""Charts over HTTP: of a cluster that lives, of a part of its time, and of a kept load."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import msgspec

from kubestage.results.history.cluster_history import HistoryLimits
from kubestage.results.life.replay import LifeReplay
from kubestage.results.load import database_rows
from kubestage.server import chart_record
from kubestage.server.assembly import AssemblyOptions, Served
from kubestage.server.clusters import ClusterEntry
from kubestage.server.kubestage_api import documents
from kubestage.server.pacing import Mode
from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_node
from tests.deadlines import HANG_S
from tests.results.load.loads import ABOUT, make_result
from tests.server import calling

if TYPE_CHECKING:
    import pathlib
    from collections.abc import AsyncIterator

    import pytest

    from kubestage.aliases import Json
    from kubestage.store.log import Change

LOCAL = {"host": "localhost"}
CHARTS = "/kubestage/v1/charts"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
TRAFFIC: Json = {
    "apiVersion": "kubestage.dev/v1alpha1",
    "kind": "Traffic",
    "metadata": {"name": "shoppers", "namespace": "default"},
    "spec": {
        "target": {"kind": "Deployment", "name": "web"},
        "pattern": {"poisson": {"rps": 20}},
        "request": {"cpu": "exp(100ms)", "timeout": "10s"},
    },
}
GROUP: Json = {
    "apiVersion": "kubestage.dev/v1alpha1",
    "kind": "NodeGroup",
    "metadata": {"name": "small"},
    "spec": {
        "minSize": 1,
        "maxSize": 3,
        "price": 0.2,
        "template": {"capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"}},
    },
}


class Server:
    """A server in this process, and requests to it."""

    def __init__(self, first: Stage | ClusterEntry, **options: Any) -> None:
        self.served = Served(first, AssemblyOptions(**{"mode": Mode.PAUSED, **options}))

    async def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        place, _, query = path.partition("?")
        app, sent = self.served.application, {**LOCAL, **named}
        return await calling.call(app, method, place, body, headers=sent, **dict(parse_qsl(query)))

    async def get(self, path: str) -> Json:
        answer = await self.call("GET", path)
        assert answer.status == 200, answer.json
        found: Json = answer.json
        return found

    async def create(self, path: str, body: Json) -> None:
        answer = await self.call("POST", path, body)
        assert answer.status == 201, answer.json

    async def advance(self, duration: str) -> None:
        path = "/kubestage/v1/clock/advance"
        answer = await self.call("POST", path, {"duration": duration})
        assert answer.status == 200, answer.json

    async def rows(self) -> dict[str, Json]:
        return {each["name"]: each for each in (await self.get(CHARTS))["charts"]}


@contextlib.asynccontextmanager
async def serving(
    first: Stage | ClusterEntry | None = None, **options: Any
) -> AsyncIterator[Server]:
    if first is None:
        first = Stage(1)
        first.add_scheduler()
        first.add_controllers()
    server = Server(first, **options)
    server.served.start()
    try:
        async with asyncio.timeout(HANG_S):
            yield server
    finally:
        await server.served.close()


def values(spec: Json, series: str) -> list[float]:
    rows = [row for each in spec["datasets"].values() for row in each]
    return [row["value"] for row in rows if row.get("series") == series]


async def populated(server: Server) -> None:
    await server.create("/api/v1/nodes", make_node("a", cpu="4"))
    await server.create(DEPLOYMENTS, make_deployment("web", replicas=2, cpu="1"))
    await server.advance("5m")


def test_an_empty_cluster_says_what_its_charts_need() -> None:
    async def story() -> None:
        async with serving() as server:
            found = await server.get(CHARTS)
            assert all(each["isEmpty"] and each["why"] for each in found["charts"])
            answer = await server.call("GET", f"{CHARTS}/response-times")
            assert answer.status == 404
            assert "create a Traffic" in answer.json["message"]

    asyncio.run(story())


def test_charts_follow_the_cluster() -> None:
    async def story() -> None:
        async with serving() as server:
            await populated(server)
            name = "replicas-deployment-default-web"
            assert not (await server.rows())[name]["isEmpty"]
            assert values(await server.get(f"{CHARTS}/{name}"), "active")[-1] == 2
            before = await server.get(CHARTS)
            scale = {"spec": {"replicas": 3}, "metadata": {"name": "web", "namespace": "default"}}
            await server.call("PUT", f"{DEPLOYMENTS}/web/scale", {
                "apiVersion": "autoscaling/v1", "kind": "Scale", **scale,
            })  # fmt: skip
            await server.advance("1m")
            assert values(await server.get(f"{CHARTS}/{name}"), "active")[-1] == 3
            after = await server.get(CHARTS)
            assert after["sequence"] > before["sequence"]
            assert after["end"] > before["end"]
            assert await server.get(CHARTS) == after

    asyncio.run(story())


def test_requests_cost_and_usage_are_drawn() -> None:
    async def story() -> None:
        async with serving() as server:
            await populated(server)
            await server.create("/apis/kubestage.dev/v1alpha1/nodegroups", GROUP)
            path = "/apis/kubestage.dev/v1alpha1/namespaces/default/traffics"
            await server.create(path, TRAFFIC)
            await server.advance("5m")
            rows = await server.rows()
            name = "response-times-default-shoppers"
            assert rows[name]["subject"] == "default/shoppers"
            assert len(values(await server.get(f"{CHARTS}/{name}"), "p95")) > 10
            outcomes = await server.get(f"{CHARTS}/responses-default-shoppers")
            assert max(values(outcomes, "completed")) > 10
            assert not rows["cost"]["isEmpty"]
            assert values(await server.get(f"{CHARTS}/cost"), "idle")

    asyncio.run(story())


def test_a_part_of_the_time() -> None:
    async def story() -> None:
        async with serving() as server:
            await populated(server)
            query = "from=2026-01-01T00:01:00Z&to=2026-01-01T00:02:00.5Z"
            spec = await server.get(f"{CHARTS}/pods?{query}")
            about = spec["usermeta"]["kubestage"]
            assert (about["start"], about["seconds"]) == ("2026-01-01T00:01:00Z", 60.5)
            assert values(spec, "active")[0] == 2
            for wrong, words in (
                ("from=yesterday", "from: "),
                ("from=2026-01-01T00:02:00Z&to=2026-01-01T00:01:00Z", "from: must be before to"),
                ("form=2026-01-01T00:02:00Z", 'did you mean from?'),
            ):  # fmt: skip
                answer = await server.call("GET", f"{CHARTS}/pods?{wrong}")
                assert answer.status == 400
                assert words in answer.json["message"]
            answer = await server.call("GET", f"{CHARTS}/pod")
            assert answer.status == 404
            assert 'did you mean "pods"?' in answer.json["message"]

    asyncio.run(story())


def test_a_large_chart_is_compressed() -> None:
    async def story() -> None:
        async with serving() as server:
            await populated(server)
            path = "/apis/kubestage.dev/v1alpha1/namespaces/default/traffics"
            await server.create(path, TRAFFIC)
            await server.advance("10m")
            chart = f"{CHARTS}/response-times-default-shoppers"
            answer = await server.call("GET", chart, accept_encoding="gzip")
            assert (b"content-encoding", b"gzip") in answer.headers
            plain = await server.get(chart)
            assert msgspec.json.decode(gzip.decompress(answer.body)) == plain

    asyncio.run(story())


def test_a_reset_does_not_end_the_record() -> None:
    async def story() -> None:
        async with serving() as server:
            await populated(server)
            await server.get(CHARTS)
            answer = await server.call("POST", "/kubestage/v1/reset", {})
            assert answer.status == 200
            await populated(server)
            spec = await server.get(f"{CHARTS}/pods")
            assert values(spec, "active")[-1] == 2
            assert 0 in values(spec, "active")

    asyncio.run(story())


def test_a_server_without_a_past_says_so() -> None:
    async def story() -> None:
        async with serving(past=HistoryLimits(most_changes=0)) as server:
            answer = await server.call("GET", CHARTS)
            assert answer.status == 409
            assert "--past-changes 0" in answer.json["message"]

    asyncio.run(story())


def test_changes_are_taken_in_before_they_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chart_record, "_LOOK_EVERY_S", 0.001)

    async def story() -> None:
        async with serving(past=HistoryLimits(most_changes=200)) as server:
            await server.create("/api/v1/nodes", make_node("a", cpu="4"))
            for turn in range(40):
                name = f"web-{turn}"
                await server.create(DEPLOYMENTS, make_deployment(name, replicas=1, cpu="100m"))
                await server.advance("10s")
                await server.call("DELETE", f"{DEPLOYMENTS}/{name}")
                await server.advance("1m")
            found = await server.get(CHARTS)
            history = server.served.live.state.timeline
            assert history is not None
            assert history.history.forgotten > 200
            assert found["begin"] == "2026-01-01T00:00:00Z"
            spec = await server.get(f"{CHARTS}/pods")
            assert values(spec, "active").count(1) >= 30

    asyncio.run(story())


def test_a_burst_of_pods_pays_nothing_for_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is taken in while the cluster works; much is, once its clock is quiet."""
    taken: list[bool] = []
    take = LifeReplay._take

    async def story() -> None:
        async with serving(mode=Mode.JUMP) as server:
            pacer = server.served.pacer

            def counted(replay: LifeReplay, at_ns: int, change: Change) -> None:
                taken.append(pacer.is_quiet)
                take(replay, at_ns, change)

            monkeypatch.setattr(LifeReplay, "_take", counted)
            monkeypatch.setattr(chart_record, "_LOOK_EVERY_S", 0.001)
            monkeypatch.setattr(chart_record, "_MANY", 50)
            await server.create("/api/v1/nodes", make_node("a", cpu="64"))
            await server.create(DEPLOYMENTS, make_deployment("web", replicas=60, cpu="100m"))
            while len(taken) < 300:
                await asyncio.sleep(0.001)
        assert all(taken)

    asyncio.run(story())


def test_a_kept_load_has_its_verdicts(tmp_path: pathlib.Path) -> None:
    database_rows.write(tmp_path / "load.sqlite", [make_result()], ABOUT, [])

    async def story() -> None:
        stage = Stage(1)
        stage.add_scheduler()
        entry = ClusterEntry(stage=stage, kind="load", load_report=tmp_path)
        async with serving(entry) as server:
            rows = await server.rows()
            load = [name for name, row in rows.items() if row["group"] == "Load"]
            assert load[:3] == ["verdicts", "steps", "latencies-1-pods"]
            spec = await server.get(f"{CHARTS}/verdicts")
            bars = [row for each in spec["datasets"].values() for row in each if "verdict" in row]
            assert "missed" in [row["verdict"] for row in bars]
            threshold = next(row["threshold"] for row in bars if "pod_startup p99" in row["name"])
            assert threshold == "5 s"
            assert (await server.get(f"{CHARTS}/latencies-1-pods"))["datasets"]
            assert (await server.get(f"{CHARTS}/steps"))["datasets"]

    asyncio.run(story())


def test_the_document_has_charts() -> None:
    document = documents.document()
    assert {CHARTS, f"{CHARTS}/{{name}}"} <= set(document["paths"])
    row = document["components"]["schemas"]["ChartRow"]["properties"]
    assert set(row) == {"name", "title", "group", "isEmpty", "why", "subject"}
