"""What a recorder keeps of requests, of busy replicas and of nodes with a price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_node
from tests.results.life import living
from tests.results.life.lives import WEB

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _traffic(rps: int = 10, kind: str = "Deployment", **spec: Any) -> Json:
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "Traffic",
        "metadata": {"name": "shoppers", "namespace": "default"},
        "spec": {
            "target": {"kind": kind, "name": "web"},
            "pattern": {"constant": {"rps": rps}},
            "request": {"cpu": "50ms", "io": "50ms", "timeout": "5s"},
            "startAfter": "60s",
            **spec,
        },
    }


def _web(replicas: int = 2) -> Json:
    web = make_deployment("web", replicas=replicas, cpu="1")
    [container] = web["spec"]["template"]["spec"]["containers"]
    container["resources"]["limits"] = {"cpu": "1"}
    return web


def test_requests_are_told_in_rows_in_a_sample_and_in_short() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="8"))
    stage.apply([_web(), _traffic()])
    stage.run("300.5s")
    life = living.ended(recorder)
    [told] = life.summary["traffic"]
    assert (told["traffic"], told["failed"]) == ("default/shoppers", 0)
    assert told["requests"] == pytest.approx(2400, abs=10)
    assert told["completed"] + told["inFlight"] == told["requests"]
    assert told["responseMs"]["p50"] == pytest.approx(100, rel=0.02)
    rows = life.rows("requests")
    assert sum(row["arrived"] for row in rows) == told["requests"]
    # Half a second with six arrivals: the one at the very end counts, too.
    assert rows[-1]["rps"] == pytest.approx(12)
    assert {row["workload"] for row in rows} == {WEB}
    assert all(row["responseMs"] >= 100 for row in life.rows("responses"))
    bands = life.rows("percentiles")
    assert {row["seconds"] for row in bands} == {5.0, 0.5}
    assert bands[-1]["p99Ms"] == pytest.approx(100, rel=0.02)


@pytest.mark.parametrize("duration", ["100s", "100.1s", "100.2s"])
def test_rows_add_up_to_the_whole(duration: str) -> None:
    """Also where requests end in the very last instant."""
    stage, recorder = living.recorded(make_node("a", cpu="8"))
    stage.apply([_web(), _traffic()])
    stage.run(duration)
    life = living.ended(recorder)
    [told] = life.summary["traffic"]
    rows = life.rows("requests")
    assert sum(row["completed"] for row in rows) == told["completed"]
    assert rows[-1]["processing"] == told["inFlight"]
    assert rows[-1]["atSeconds"] < life.seconds


def test_replicas_are_as_busy_as_their_requests_need() -> None:
    """10 requests a second of 50 ms are half a core, shared by two replicas of one core each."""
    stage, recorder = living.recorded(make_node("a", cpu="8"))
    stage.apply([_web(), _traffic()])
    stage.run("5m")
    late = [
        row["utilization"]
        for row in living.ended(recorder).rows("utilization")
        if row["atSeconds"] > 120
    ]
    assert sum(late) / len(late) == pytest.approx(0.25, rel=0.02)


def test_failures_are_told_with_their_reasons() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="8"))
    stage.apply([_web(0), _traffic()])
    stage.run("2m")
    [told] = living.ended(recorder).summary["traffic"]
    assert told["failedByReason"]["NoReplica"] == told["failed"] == told["requests"] > 500


def test_a_service_stands_for_the_workloads_that_it_selects() -> None:
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": _web()["spec"]["selector"]["matchLabels"], "ports": [{"port": 80}]},
    }
    stage, recorder = living.recorded(make_node("a", cpu="8"))
    other = make_deployment("db", replicas=4, cpu="100m")
    stage.apply([_web(3), other, service, _traffic(kind="Service")])
    stage.run("2m")
    rows = living.ended(recorder).rows("replicas")
    last = {row["workload"]: row for row in rows if row["atSeconds"] == rows[-1]["atSeconds"]}
    assert last["service/default/web"]["active"] == 3
    assert last["service/default/web"]["desired"] == 3


def test_traffic_that_is_gone_has_had_its_requests() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="8"))
    stage.apply([_web(), _traffic()])
    stage.run("2m")
    stage.store.delete(("kubestage.dev/v1alpha1", "Traffic"), "shoppers", "default")
    stage.run("2m")
    [told] = living.ended(recorder).summary["traffic"]
    assert told["requests"] == pytest.approx(600, abs=10)


def test_nodes_of_a_priced_group_cost_money() -> None:
    group = {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "NodeGroup",
        "metadata": {"name": "small"},
        "spec": {
            "minSize": 0,
            "maxSize": 3,
            "price": 0.25,
            "template": {"spec": {}, "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"}},
        },
    }
    node = make_node("a", cpu="8")
    node["metadata"]["labels"] = {"kubestage.dev/node-group": "small"}
    stage, recorder = living.recorded(node, group, make_node("b"))
    stage.run("30m")
    life = living.ended(recorder)
    small = living.named(life.summary["nodeGroups"], "group", "small")
    assert small["cost"] == pytest.approx(0.25 * small["nodeHours"], abs=1e-6)
    assert small["cost"] > 0
    assert living.named(life.summary["nodeGroups"], "group", "")["cost"] is None
    assert life.summary["cost"] == small["cost"]


def test_a_run_that_is_looked_at_is_the_same_run() -> None:
    looked, _ = living.recorded(make_node("a", cpu="8"), seed=3)
    plain = Stage(3)
    plain.add_scheduler()
    plain.load([make_node("a", cpu="8")])
    plain.add_controllers()
    for stage in (looked, plain):
        stage.apply([_web(), _traffic(pattern={"poisson": {"rps": 30}})])
        stage.run("3m")
    assert looked.traffic is not None
    assert plain.traffic is not None
    one, other = (each.records()["default/shoppers"] for each in (looked.traffic, plain.traffic))
    assert one.summary() == other.summary()
    for kind in (("v1", "Pod"), ("v1", "Event"), ("apps/v1", "Deployment")):
        assert dict(looked.store.read(kind)) == dict(plain.store.read(kind))
