"""WaitForControlledPodsRunning waits for each controller, and names the pods that do not run."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.measure.waits.controlled_pods import WaitForControlledPodsRunning
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import Asked, make, pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "i"}]}}


def controller(kind: str, name: str, replicas: int, **spec: Any) -> Json:
    field = "parallelism" if kind == "Job" else "replicas"
    return {
        "apiVersion": {"Job": "batch/v1", "ReplicationController": "v1"}.get(kind, "apps/v1"),
        "kind": kind,
        "metadata": {"name": name, "namespace": "ns"},
        "spec": {field: replicas, "template": TEMPLATE, **spec},
    }


def started(
    cluster: FakeCluster, kind: str = "StatefulSet", **raw: Any
) -> WaitForControlledPodsRunning:
    measurement = make(WaitForControlledPodsRunning, cluster)
    assert isinstance(measurement, WaitForControlledPodsRunning)
    version = controller(kind, "x", 0)["apiVersion"]
    asked = Asked(measurement, action="start", apiVersion=version, kind=kind, **raw)
    cluster.moments.run(0.1)
    assert asked.outcome.errors == ()
    return measurement


@pytest.mark.parametrize("kind", ["StatefulSet", "ReplicaSet", "ReplicationController", "Job"])
def test_a_wait_ends_at_a_look_five_seconds_apart_from_its_beginning(kind: str) -> None:
    cluster = FakeCluster()
    measurement = started(cluster, kind)
    cluster.moments.run(0.9)
    cluster.put(controller(kind, "a", 2))
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(6.5)
    for name in ("a-0", "a-1"):
        cluster.put(pod(name, owner=f"{kind}/ns/a"))
    cluster.moments.run(60)
    assert (gathered.at_s, gathered.outcome.errors) == (11, ())
    (rows,) = gathered.outcome.latencies
    assert (rows.objects, rows.took_ns) == (["ns/a"], [10 * 10**9])


def test_gathering_takes_one_look_even_if_all_is_well() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(60)
    assert (gathered.at_s, gathered.outcome.errors) == (5.1, ())


def test_pods_of_a_deployment_are_those_of_its_replica_sets() -> None:
    cluster = FakeCluster()
    measurement = started(cluster, "Deployment")
    cluster.put(controller("Deployment", "a", 1))
    cluster.put(pod("early", owner="ReplicaSet/ns/a-1"))
    cluster.put(pod("stranger", owner="Deployment/ns/a"))
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(22)
    assert not gathered.is_answered
    replica_set = controller("ReplicaSet", "a-1", 1)
    owner = {"kind": "Deployment", "uid": "Deployment/ns/a", "controller": True}
    replica_set["metadata"]["ownerReferences"] = [owner]
    cluster.put(replica_set)
    cluster.moments.run(60)
    assert (gathered.at_s, gathered.outcome.errors) == (25.1, ())


def test_a_deployment_is_gone_with_the_last_pod_of_its_replica_sets() -> None:
    cluster = FakeCluster()
    measurement = started(cluster, "Deployment")
    deployment, replica_set = controller("Deployment", "a", 1), controller("ReplicaSet", "a-1", 1)
    owner = {"kind": "Deployment", "uid": "Deployment/ns/a", "controller": True}
    replica_set["metadata"]["ownerReferences"] = [owner]
    for obj in (deployment, replica_set, pod("p", owner="ReplicaSet/ns/a-1")):
        cluster.put(obj)
    cluster.moments.run(10)
    for obj in (deployment, replica_set):
        cluster.remove(obj)
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(12)
    assert not gathered.is_answered
    cluster.remove(pod("p"))
    cluster.moments.run(60)
    assert (gathered.at_s, gathered.outcome.errors) == (25.1, ())


def node(name: str, *taints: Json, **labels: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"taints": list(taints)},
    }


def test_a_daemon_set_wants_a_pod_on_every_node_that_takes_it() -> None:
    cluster = FakeCluster()
    cluster.put(node("n1", pool="a"))
    cluster.put(node("n2", pool="b"))
    cluster.put(node("n3", {"key": "mine", "effect": "NoSchedule"}, pool="a"))
    cordoned = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    cluster.put(node("n4", cordoned, pool="a"))
    measurement = started(cluster, "DaemonSet")
    daemon_set = controller("DaemonSet", "a", 99)
    template = {"spec": {**TEMPLATE["spec"], "nodeSelector": {"pool": "a"}}}
    daemon_set["spec"]["template"] = template
    cluster.put(daemon_set)
    for number in (1, 4):
        made = pod(f"a-{number}", owner="DaemonSet/ns/a")
        cluster.put({**made, "spec": {**made["spec"], "nodeSelector": {"pool": "a"}}})
    gathered = Asked(measurement, action="gather")
    cluster.put(node("n5", pool="a"))
    cluster.moments.run(12)
    assert not gathered.is_answered
    cluster.remove(node("n5"))
    cluster.moments.run(60)
    assert (gathered.at_s, gathered.outcome.errors) == (15.1, ())


def test_pods_of_an_older_template_do_not_count_unless_told_so() -> None:
    ended = []
    for check in (True, False):
        cluster = FakeCluster()
        measurement = started(cluster, checkIfPodsAreUpdated=check)
        newer = {"spec": {"containers": [{"name": "c", "image": "newer"}]}}
        cluster.put(controller("StatefulSet", "a", 1, template=newer))
        cluster.put(pod("a-0", owner="StatefulSet/ns/a"))
        gathered = Asked(measurement, action="gather")
        cluster.moments.run(22)
        updated = pod("a-0", owner="StatefulSet/ns/a")
        cluster.put({**updated, "spec": {**updated["spec"], **newer["spec"]}})
        cluster.moments.run(60)
        ended.append(gathered.at_s)
    assert ended == [25.1, 5.1]


def test_the_time_limit_begins_anew_when_the_spec_changes_and_not_with_the_status() -> None:
    cluster = FakeCluster()
    measurement = started(cluster, operationTimeout="30s")
    cluster.put(controller("StatefulSet", "a", 1))
    cluster.moments.run(20)
    cluster.put(controller("StatefulSet", "a", 2))
    cluster.moments.run(20)
    cluster.put({**controller("StatefulSet", "a", 2), "status": {"replicas": 1}})
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(60)
    assert gathered.at_s == 50.1
    assert gathered.outcome.errors[0] == "1 objects timed out: StatefulSets: ns/a"


def test_what_timed_out_is_told_with_the_pods_that_do_not_run() -> None:
    cluster = FakeCluster()
    measurement = started(cluster, operationTimeout="1m")
    cluster.put(controller("StatefulSet", "a", 2))
    cluster.put(controller("StatefulSet", "b", 0))
    cluster.put(pod("a-0", owner="StatefulSet/ns/a"))
    cluster.put(pod("a-1", owner="StatefulSet/ns/a", phase="Unscheduled"))
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(100)
    outcome = gathered.outcome
    assert gathered.at_s == 60.1
    first, second = outcome.errors
    assert first == "1 objects timed out: StatefulSets: ns/a"
    assert second == (
        "ns/a: got context deadline exceeded while waiting for 2 pods to be running in "
        "namespace(ns), controlledBy(a) - summary of pods : Pods: 2 created, 2 desired, 1 running "
        "(1 updated), 0 pending scheduled, 1 not scheduled, 0 inactive, 0 terminating, 0 unknown, "
        "0 runningButNotReady - not running: ns/a-1 (PendingNotScheduled)"
    )
    (summary,) = outcome.summaries
    assert summary.name == "WaitForControlledPodsRunning_1767225660_failedpods"
    assert json.loads(summary.content) == [
        {
            "namespace": "ns",
            "controlledBy": "ns/a",
            "name": "a-1",
            "host": "",
            "status": "PendingNotScheduled",
        }
    ]


def test_pods_that_will_not_go_are_deleted_by_force() -> None:
    cluster = FakeCluster()
    measurement = started(cluster, operationTimeout="1m", namespace="ns", labelSelector="app=web")
    stateful_set = controller("StatefulSet", "a", 1)
    stateful_set["metadata"]["labels"] = {"app": "web"}
    cluster.put(stateful_set)
    cluster.put(pod("a-0", owner="StatefulSet/ns/a"))
    cluster.moments.run(10)
    cluster.remove(stateful_set)
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(100)
    assert gathered.outcome.errors[0] == "1 objects timed out: StatefulSets: ns/a"
    call = cluster.calls[-1]
    assert (call.verb, call.resource.kind, call.namespace) == ("deletecollection", "Pod", "ns")
    assert (call.label_selector, call.body["gracePeriodSeconds"]) == ("app=web", 0)


def test_a_margin_lets_pods_be_missing() -> None:
    cluster = FakeCluster()
    measurement = started(cluster, countErrorMargin=1)
    cluster.put(controller("StatefulSet", "a", 3))
    for number, phase in enumerate(("Running", "Running", "Failed")):
        cluster.put(pod(f"a-{number}", owner="StatefulSet/ns/a", phase=phase))
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(60)
    assert (gathered.at_s, gathered.outcome.errors) == (5.1, ())


def ended_at(phases: list[str], replicas: int, margin: int = 0) -> float:
    """When the wait for a set of pods in these phases ends."""
    cluster = FakeCluster()
    measurement = started(cluster, countErrorMargin=margin, operationTimeout="20s")
    cluster.put(controller("StatefulSet", "a", replicas))
    for number, phase in enumerate(phases):
        cluster.put(pod(f"a-{number}", owner="StatefulSet/ns/a", phase=phase))
    Asked(measurement, action="gather")
    cluster.moments.run(60)
    waited = measurement.objects["ns/a"]
    return waited.took_ns / 1e9 if waited.status == "running" else -1


def test_even_what_is_well_from_the_beginning_is_looked_at_after_five_seconds() -> None:
    assert ended_at(["Running"], 1) == 5


def test_a_pod_that_is_about_to_run_stands_in_the_way() -> None:
    assert ended_at(["Running", "Pending"], 1) == -1
    assert ended_at(["Running", "Failed"], 1) == 5


def test_a_margin_bounds_what_may_be_missing_too_many_or_inactive() -> None:
    assert ended_at(["Running", "Running", "Pending"], 3, margin=1) == 5
    assert ended_at(["Running", "Pending", "Pending"], 3, margin=1) == -1
    assert ended_at(["Running", "Running", "Pending", "Pending"], 3, margin=1) == -1
    assert ended_at(["Running", "Running", "Failed", "Failed"], 3, margin=1) == -1


def test_what_was_told_is_not_told_again() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    cluster.put(controller("StatefulSet", "a", 0))
    told = []
    for _ in range(2):
        gathered = Asked(measurement, action="gather")
        cluster.moments.run(20)
        told.append([rows.objects for rows in gathered.outcome.latencies])
    assert told == [[["ns/a"]], []]


def test_a_list_is_newer_than_the_watch_until_the_watch_has_told_as_much() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    known = cluster.put(controller("StatefulSet", "a", 0))
    newer = {**known, "metadata": {**known["metadata"], "resourceVersion": "5"}}
    cluster.answers["list", "StatefulSet"] = {"items": [newer]}
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(12)
    assert not gathered.is_answered
    for number in range(4):
        cluster.put({**controller("StatefulSet", "a", 0), "status": {"replicas": number}})
    cluster.moments.run(10)
    assert (gathered.at_s, gathered.outcome.errors) == (15.1, ())


def test_a_watch_that_does_not_know_all_that_was_listed_is_waited_for() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    known = cluster.put(controller("StatefulSet", "a", 0))
    other = {**known, "metadata": {**known["metadata"], "name": "b"}}
    cluster.answers["list", "StatefulSet"] = {"items": [known, other]}
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(12)
    cluster.put(controller("StatefulSet", "b", 0))
    cluster.moments.run(10)
    assert (gathered.at_s, gathered.outcome.errors) == (17.1, ())


def test_objects_that_are_not_known_in_time_are_an_error() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    stray = {"metadata": {"name": "stray", "namespace": "ns", "resourceVersion": "99"}}
    cluster.answers["list", "StatefulSet"] = {"items": [stray]}
    gathered = Asked(measurement, action="gather", syncTimeout="12s")
    cluster.moments.run(60)
    assert gathered.at_s == 12.1
    assert gathered.outcome.errors == (
        "timed out while waiting for controlled pods: timed out waiting for the condition",
    )


def test_an_object_that_is_no_controller_is_named() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    cluster.put({**controller("StatefulSet", "a", 1), "spec": {}})
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(60)
    assert gathered.outcome.errors == (
        "incorrect objects number: 0/1 StatefulSets are running with all pods",
        "ns/a cannot be waited for: its spec has no template of pods",
    )


def test_stopping_forgets_and_lets_it_start_again() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    cluster.put(controller("StatefulSet", "a", 1))
    cluster.moments.run(1)
    Asked(measurement, action="stop")
    assert Asked(measurement, action="gather").outcome.errors == (
        "metric WaitForControlledPodsRunning has not been started",
    )
    cluster.put(pod("a-0", owner="StatefulSet/ns/a"))
    Asked(measurement, action="start", apiVersion="apps/v1", kind="StatefulSet")
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(60)
    assert gathered.outcome.errors == ()


def test_what_is_not_said_is_an_error() -> None:
    measurement = make(WaitForControlledPodsRunning, FakeCluster())
    with pytest.raises(InputError, match="apiVersion is missing"):
        Asked(measurement, action="start", kind="Job")
    with pytest.raises(InputError, match="use start, gather or stop"):
        Asked(measurement, action="pause")


def test_it_pickles_while_it_waits() -> None:
    cluster = FakeCluster()
    measurement = started(cluster, "Deployment")
    cluster.put(controller("Deployment", "a", 0))
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(1)
    copy, copied = pickle.loads(pickle.dumps((measurement, gathered)))
    copy.cluster.moments.run(60)
    assert copied.at_s == 5.1
    assert not gathered.is_answered
