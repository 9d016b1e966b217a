"""What a recorder keeps of a living cluster: exact sums, samples at whole seconds, decisions."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.results.life import life as lives
from kubestage.results.life import recorder as recorders
from kubestage.results.life.autoscalers import EVICTION, RESCALE, RESIZE
from kubestage.testing import make_deployment, make_node, make_pod
from tests.results.life import living
from tests.results.life.lives import WEB

if TYPE_CHECKING:
    from kubestage.aliases import Json

HPA: Json = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "maxReplicas": 9,
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
    },
}


def _node(name: str, group: str = "", **fields: Any) -> Json:
    node = make_node(name, **fields)
    if group:
        node["metadata"]["labels"] = {"kubestage.dev/node-group": group}
    return node


@pytest.mark.parametrize(
    ("seconds", "expected"), [(1, 1), (600, 1), (601, 2), (1800, 3), (7 * 86400, 1008)]
)
def test_a_run_is_looked_at_six_hundred_times_at_whole_seconds(seconds: int, expected: int) -> None:
    found = recorders.resolution_ns(seconds * living.SECOND_NS)
    assert found == expected * living.SECOND_NS


def test_replica_hours_are_the_time_that_pods_had_a_node() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="4"))
    stage.apply([make_deployment("web", replicas=2, cpu="1")])
    stage.run("30m")
    stage.apply([make_deployment("web", replicas=3, cpu="1")])
    stage.run("30m")
    web = living.named(living.ended(recorder).summary["workloads"], "workload", WEB)
    assert web["replicaHours"] == pytest.approx(2 * 0.5 + 3 * 0.5, abs=1e-6)
    assert (web["replicasHighest"], web["replicasAtEnd"]) == (3, 3)


def test_a_pod_without_a_node_costs_no_time() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="1"))
    stage.apply([make_deployment("web", replicas=3, cpu="1")])
    stage.run("1h")
    life = living.ended(recorder)
    assert life.summary["replicaHours"] == pytest.approx(1.0, abs=1e-6)
    assert life.rows("cluster")[-1]["pending"] == 2


def test_a_pod_that_nobody_made_is_of_no_workload() -> None:
    stage, recorder = living.recorded(make_node("a"))
    stage.apply([make_pod("lone", cpu="1")])
    stage.run("1m")
    life = living.ended(recorder)
    assert life.summary["workloads"] == []
    assert life.rows("cluster")[-1]["active"] == 1


def test_replicas_are_seen_launching_then_active_then_terminating() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="4"))
    web = make_deployment("web", replicas=2, cpu="1")
    slow = {"kubestage.dev/launch-delay": "5s", "kubestage.dev/terminate-delay": "7s"}
    web["spec"]["template"]["metadata"]["annotations"] = slow
    stage.apply([web])
    stage.run("20s")
    stage.apply([{**web, "spec": {**web["spec"], "replicas": 1}}])
    stage.run("3s")
    rows = {row["atSeconds"]: row for row in living.ended(recorder).rows("replicas")}
    counts = {
        at: [row[name] for name in ("desired", "launching", "active", "terminating")]
        for at, row in rows.items()
    }
    assert counts[3.0] == [2, 2, 0, 0]
    assert counts[15.0] == [2, 0, 2, 0]
    assert counts[22.0] == [1, 0, 1, 1]


def test_node_hours_and_cost_go_by_group() -> None:
    stage, recorder = living.recorded(_node("a", "small"), _node("b"))
    group = recorder.nodes
    stage.run("30m")
    stage.load([_node("c", "small")])
    stage.run("30m")
    stage.store.delete(("v1", "Node"), "a")
    stage.run("1h")
    assert group.all["small"].nodes.level == 1
    life = living.ended(recorder)
    small = living.named(life.summary["nodeGroups"], "group", "small")
    assert small["nodeHours"] == pytest.approx(1 + 0.5 + 1)
    assert (small["nodesAdded"], small["nodesRemoved"]) == (1, 1)
    assert (small["nodesLowest"], small["nodesHighest"]) == (1, 2)
    assert small["cost"] is None
    assert life.summary["nodeHours"] == pytest.approx(2.5 + 2)
    told = [(row["decision"], row["by"], row["after"]) for row in life.rows("decisions")]
    assert told == [("node added", "small", 2), ("node removed", "small", 1)]


def test_cpu_that_is_requested_is_that_of_pods_on_nodes() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="4"))
    stage.apply([make_deployment("web", replicas=3, cpu="1500m")])
    stage.run("1m")
    last = living.ended(recorder).rows("cluster")[-1]
    assert (last["requestedCpu"], last["allocatableCpu"]) == (3000, 4000)
    assert (last["pending"], last["active"]) == (1, 2)


def _event(number: int, reason: str, kind: str, name: str, message: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"e{number}", "namespace": "default"},
        "involvedObject": {"kind": kind, "namespace": "default", "name": name},
        "reason": reason,
        "message": message,
    }


@pytest.mark.parametrize("says_before", [True, False])
def test_a_rescale_is_told_by_the_hpas_status_and_its_reason_by_the_event(
    says_before: bool,
) -> None:
    stage, recorder = living.recorded(make_node("a", cpu="8"), HPA)
    stage.apply([make_deployment("web", replicas=2, cpu="1")])
    stage.run("1m")
    stage.apply([make_deployment("web", replicas=5, cpu="1")])
    message = "New size: 5; reason: cpu above target"
    event = _event(1, "SuccessfulRescale", HPA["kind"], "web", message)
    if says_before:
        stage.store.create(event)
    hpa = stage.store.get(("autoscaling/v2", HPA["kind"]), "web")
    status = {**hpa["status"], "lastScaleTime": stage.now, "desiredReplicas": 5}
    stage.store.update({**hpa, "status": status}, subresource="status")
    if not says_before:
        stage.store.create(event)
    [rescale] = recorder.autoscalers.decisions
    assert (rescale.sort, rescale.by, rescale.subject) == (RESCALE, "default/web", WEB)
    assert (rescale.before, rescale.after, rescale.reason) == (2, 5, "cpu above target")


def test_what_an_hpa_went_by_is_told_at_the_moment_of_its_rescale() -> None:
    target = {"type": "Utilization", "averageUtilization": 50}
    spec = {"type": "Resource", "resource": {"name": "cpu", "target": target}}
    hpa = {**HPA, "spec": {**HPA["spec"], "metrics": [spec]}}
    stage, recorder = living.recorded(make_node("a", cpu="9"), hpa)
    stage.run("61.5s")
    found = stage.store.get(("autoscaling/v2", HPA["kind"]), "web")
    current = {"averageUtilization": 99, "averageValue": "990m"}
    measured = [{"type": "Resource", "resource": {"name": "cpu", "current": current}}]
    status = {"lastScaleTime": stage.now, "desiredReplicas": 5, "currentMetrics": measured}
    stage.store.update({**found, "status": {**found["status"], **status}}, subresource="status")
    stage.run("1s")
    rows = living.ended(recorder).rows("metrics")
    assert (61.5, 99.0) in [(row["atSeconds"], row["current"]) for row in rows]


ACTIVE = {
    "type": "ScalingActive",
    "status": "True",
    "message": "the HPA was able to successfully calculate a replica count from cpu resource",
}


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (2, 5, "cpu resource above target"),
        (5, 2, "All metrics below target"),
        (12, 9, "Current number of replicas above Spec.MaxReplicas"),
        (1, 2, "Current number of replicas below Spec.MinReplicas"),
    ],
)
def test_where_the_event_was_held_back_the_conditions_tell_why(
    before: int, after: int, reason: str
) -> None:
    hpa = {**HPA, "spec": {**HPA["spec"], "minReplicas": 2}}
    stage, recorder = living.recorded(hpa)
    stage.apply([make_deployment("web", replicas=before)])
    stage.apply([make_deployment("web", replicas=after)])
    stored = stage.store.get(("autoscaling/v2", HPA["kind"]), "web")
    status = {"lastScaleTime": stage.now, "desiredReplicas": after, "conditions": [ACTIVE]}
    stage.store.update({**stored, "status": status}, subresource="status")
    [rescale] = recorder.autoscalers.decisions
    assert (rescale.before, rescale.after, rescale.reason) == (before, after, reason)


def test_what_a_vpa_does_to_a_pod_is_counted_for_the_vpa_of_its_workload() -> None:
    vpa = {
        "apiVersion": "autoscaling.k8s.io/v1",
        "kind": "VerticalPodAutoscaler",
        "metadata": {"name": "up", "namespace": "default"},
        "spec": {"targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
    }
    stage, recorder = living.recorded(make_node("a", cpu="8"), vpa)
    stage.apply([make_deployment("web", replicas=1, cpu="1")])
    stage.run("5s")
    pod = next(iter(stage.store.read(("v1", "Pod")))).partition("/")[2]
    for number, reason in enumerate(("EvictedByVPA", "InPlaceResizedByVPA", "Killing")):
        stage.store.create(_event(number, reason, "Pod", pod, ""))
    told = [(each.sort, each.by) for each in recorder.autoscalers.decisions]
    assert told == [(EVICTION, "default/up"), (RESIZE, "default/up")]


def test_a_stage_with_a_recorder_can_be_forked() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="8"))
    stage.apply([make_deployment("web", replicas=1, cpu="1")])
    stage.run("5s")
    copied, also = pickle.loads(pickle.dumps((stage, recorder)))
    for each in (stage, copied):
        each.run("55s")
    assert lives.encode(living.ended(also)) == lives.encode(living.ended(recorder))


def test_a_life_can_be_written_and_read() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="8"))
    stage.run("5s")
    life = living.ended(recorder)
    again = lives.decode(lives.encode(life))
    assert again.summary == life.summary
    assert lives.encode(again) == lives.encode(life)
    assert [row["atSeconds"] for row in life.rows("cluster")] == [0, 1, 2, 3, 4, 5]
