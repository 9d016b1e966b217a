"""The lives of pods over HTTP: as rows that continue, and as a trace."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from kubestage.results.history.cluster_history import ClusterHistory, HistoryLimits
from kubestage.server.kubestage_api import documents
from kubestage.server.timeline import Timeline
from kubestage.testing import make_deployment, make_node, make_pod
from tests.results.history.test_perfetto import check
from tests.server.kubestage_api.asking import DEPLOYMENTS, refused, served, told
from tests.server.live_stage import NODES, PODS
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.server.live_stage import Served

SLICES = "/history/slices"
EXPORT = "/export"
TRACE = {"format": "perfetto"}


@contextlib.asynccontextmanager
async def recorded(limits: HistoryLimits | None = None) -> AsyncIterator[Served]:
    """A stage with a node and a Deployment on it, whose past is recorded."""
    async with served() as stage:
        history = ClusterHistory(stage.live.store, stage.live.stage.clock, limits)
        history.start()
        stage.live.state.timeline = Timeline(history)
        await stage.call("POST", NODES, make_node("a", cpu="4"))
        await stage.call("POST", DEPLOYMENTS, make_deployment("web", replicas=2, cpu="1"))
        await stage.quiet()
        yield stage


def names(rows: dict[str, Any]) -> list[str]:
    return [name for name, _ in rows["pods"]]


def test_rows_continue_where_the_last_answer_ended() -> None:
    async def story() -> None:
        async with recorded() as stage:
            first = await told(stage, "GET", SLICES)
            assert len(first["pods"]) == 2
            assert first["workloads"] == ["apps/Deployment/default/web"]
            nothing = await told(stage, "GET", SLICES, after=first["sequence"])
            assert nothing["slices"] == nothing["pods"] == nothing["texts"] == []
            await stage.call("POST", PODS, make_pod("huge", cpu="64"))
            await stage.quiet()
            more = await told(stage, "GET", SLICES, after=first["sequence"])
            assert names(more) == ["huge"]
            assert {pod for _, pod, *_ in more["slices"]} == {2}
            whole = await told(stage, "GET", SLICES)
            assert whole["slices"] == first["slices"] + more["slices"]
            assert whole["sequence"] == more["sequence"]
            (instant,) = whole["instants"]
            assert whole["texts"][instant[3]].startswith("0/1 nodes are available")

    tell(story())


def test_a_number_that_nobody_knows_is_gone() -> None:
    async def story() -> None:
        async with recorded() as stage:
            found = await told(stage, "GET", SLICES)
            why = await refused(stage, 410, "GET", SLICES, after=found["sequence"] + 1)
            assert "begin without after" in why
            await refused(stage, 400, "GET", SLICES, after="x")
            await refused(stage, 410, "GET", SLICES, after=-1)

    tell(story())


def test_readers_begin_again_when_much_was_forgotten() -> None:
    async def story() -> None:
        async with recorded(HistoryLimits(most_changes=50)) as stage:
            first = await told(stage, "GET", SLICES)
            for number in range(80):
                labels = {"metadata": {"labels": {"n": str(number)}}}
                stage.live.store.patch(("v1", "Node"), "a", labels)
            await refused(stage, 410, "GET", SLICES, after=first["sequence"])
            again = await told(stage, "GET", SLICES)
            assert not again["isWhole"]
            assert sorted(names(again)) == sorted(names(first))
            assert again["begin"] >= first["begin"]

    tell(story())


def test_the_past_is_exported_as_a_trace() -> None:
    async def story() -> None:
        async with recorded() as stage:
            by_node = await told(stage, "GET", EXPORT, **TRACE)
            check(by_node)
            by_workload = await told(stage, "GET", EXPORT, **TRACE, groupBy="workload")
            check(by_workload)
            processes = [
                each["args"]["name"]
                for each in by_workload["traceEvents"]
                if each["name"] == "process_name"
            ]
            assert processes == ["Cluster", "apps/Deployment/default/web"]

    tell(story())


def test_what_makes_no_sense_is_refused() -> None:
    async def story() -> None:
        async with recorded() as stage:
            why = await refused(stage, 400, "GET", EXPORT, **TRACE, groupBy="zone")
            assert why == 'groupBy: "zone" is unknown: use one of node, workload'
            why = await refused(stage, 400, "GET", EXPORT, groupBy="node")
            assert why == "groupBy: only a trace has groups: add format=perfetto"
            stage.live.state.timeline = None
            assert "not recorded" in await refused(stage, 409, "GET", EXPORT, **TRACE)
            assert "not recorded" in await refused(stage, 409, "GET", SLICES)

    tell(story())


def test_the_document_has_every_list_of_the_answer() -> None:
    async def story() -> None:
        async with recorded() as stage:
            found = await told(stage, "GET", SLICES)
            schemas = documents.document()["components"]["schemas"]
            assert set(schemas["HistorySlices"]["properties"]) == set(found)

    tell(story())
