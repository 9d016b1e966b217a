"""Stages whose nodes fall silent: what that means for requests and for what is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.metrics.settings import MetricsSettings
from kubestage.testing import make_node
from tests.traffic import stages

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.aliases import Json

NODE = ("v1", "Node")


def two_replicas(traffic: Json | None = None, *, traces: bool = False) -> Stage:
    """Two pods on a node each, and their requests."""
    stage = stages.living(traces=traces)
    stage.store.delete(NODE, "node-1")
    nodes = [make_node("n1", cpu="1"), make_node("n2", cpu="1")]
    stage.apply([*nodes, stages.deployment(2), *([traffic] if traffic else [])])
    return stage


def ten_a_second(timeout: str = "10s") -> Json:
    request = {"cpu": "100ms", "io": "0s", "timeout": timeout}
    return stages.traffic({"constant": {"rps": 10}}, startAfter="10s", request=request)


def annotate(stage: Stage, **notes: str | None) -> None:
    annotations = {f"kubestage.dev/{name.replace('_', '-')}": text for name, text in notes.items()}
    stage.store.patch(NODE, "n1", {"metadata": {"annotations": annotations}})


def failed(stage: Stage) -> dict[str, int]:
    assert stage.traffic is not None
    summary = stage.traffic.records()["default/load"].summary()["failed"]
    return {reason: count for reason, count in summary.items() if count}


@pytest.mark.parametrize("traces", [False, True])
def test_half_of_the_requests_are_lost_until_the_pods_are_not_ready(traces: bool) -> None:
    stage = two_replicas(ten_a_second(), traces=traces)
    stage.run("30s")
    assert failed(stage) == {}
    annotate(stage, heartbeat="stopped")
    stage.run("40s")
    # Those of the last ten seconds have not reached their timeout.
    assert failed(stage)["Timeout"] in range(150, 153)
    stage.run("30s")
    lost = failed(stage)
    # A node is missed 40 to 50 seconds after it fell silent.
    assert 200 <= lost.pop("Timeout") <= 251
    assert lost == {}
    before = failed(stage)
    stage.run("60s")
    assert failed(stage) == before


def test_a_node_that_is_back_soon_serves_again() -> None:
    stage = two_replicas(ten_a_second("1s"))
    stage.run("30s")
    annotate(stage, fails_after="10s", recovers_after="20s")
    stage.run("30s")
    annotate(stage, fails_after=None, recovers_after=None)
    stage.run("20s")
    assert failed(stage) in ({"Timeout": 100}, {"Timeout": 101})


def test_without_a_timeout_there_is_no_answer() -> None:
    stage = two_replicas(ten_a_second("forever"))
    stage.run("30s")
    annotate(stage, heartbeat="stopped")
    stage.run("20s")
    assert failed(stage) in ({"NoAnswer": 100}, {"NoAnswer": 101})


def test_a_traffic_that_comes_later_knows_the_silent_node() -> None:
    stage = two_replicas()
    stage.run("10s")
    annotate(stage, heartbeat="stopped")
    stage.run("1s")
    stage.apply([ten_a_second("1s")])
    stage.run("21s")
    assert failed(stage)["Timeout"] in range(49, 52)


def test_nothing_is_measured_of_replicas_on_a_silent_node() -> None:
    stage = two_replicas(ten_a_second())
    assert stage.metrics is not None
    stage.metrics.require()
    resolution_ns = MetricsSettings().resolution_ns
    stage.run(4 * resolution_ns)
    board = stage.metrics.board
    (gone,) = (
        pod["metadata"]["name"]
        for pod in stage.store.read(stages.POD).values()
        if pod["spec"]["nodeName"] == "n1"
    )

    def measured() -> tuple[set[str], set[str]]:
        rates = board.values("default", "pods", "requests_per_second")
        return set(board.pods("default")), set(rates)

    assert [gone in names for names in measured()] == [True, True]
    annotate(stage, heartbeat="stopped")
    stage.run(2 * resolution_ns)
    assert [(len(names), gone in names) for names in measured()] == [(1, False), (1, False)]
