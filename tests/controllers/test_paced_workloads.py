"""Workloads under paced controllers: pods come and go at the rate of the loop's client."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.pacing import ControllerPacing
from kubestage.controllers.settings import Settings
from kubestage.stage import Stage
from kubestage.testing import make_node
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.log import Change


POD = ("v1", "Pod")
TEMPLATE: Json = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "c", "image": "app:1"}]},
}


class Cluster:
    """A stage of twenty nodes that counts by the second which pods come and which are to go."""

    def __init__(self, **pacing: Any) -> None:
        self.stage = Stage(seed=3)
        self.stage.load([make_node(f"n{each}", cpu="64", pods=500) for each in range(20)])
        self.stage.add_scheduler()
        self.stage.add_controllers(Settings(pacing=ControllerPacing(**pacing)))
        self.created: Counter[int] = Counter()
        self.condemned: Counter[int] = Counter()
        self.stage.store.subscribe(self.on_change)
        self.stage.run("10s")

    def on_change(self, change: Change) -> None:
        if change.kind.kind != "Pod":
            return
        second = self.stage.clock.now_ns // SECOND_NS
        if change.old is None:
            self.created[second] += 1
        elif (
            "deletionTimestamp" in change.new["metadata"]
            and "deletionTimestamp" not in change.old["metadata"]
        ):
            self.condemned[second] += 1

    @property
    def pods(self) -> int:
        return len(self.stage.store.read(POD))

    def status(self, api_version: str, kind: str) -> Json:
        found: Json = self.stage.store.get((api_version, kind), "web", "default")["status"]
        return found


def workload(kind: str, replicas: int, **more: Any) -> Json:
    spec: Json = {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": "web"}},
        "template": TEMPLATE,
        **more,
    }
    metadata = {"name": "web", "namespace": "default"}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}


def paced(**more: Any) -> Cluster:
    return Cluster(client_qps=20.0, client_burst=30, **more)


def test_a_deployment_comes_up_at_the_rate_of_the_client() -> None:
    cluster = paced()
    cluster.stage.apply(workload("Deployment", 150))
    cluster.stage.run("2s")
    assert 30 <= cluster.pods < 80
    cluster.stage.run("1m")
    assert cluster.pods == 150
    assert all(count <= 21 for second, count in cluster.created.items() if second > 10)
    status = cluster.status("apps/v1", "Deployment")
    assert (status["replicas"], status["availableReplicas"]) == (150, 150)


def test_without_a_limit_it_comes_up_in_an_instant() -> None:
    cluster = Cluster()
    cluster.stage.apply(workload("Deployment", 150))
    cluster.stage.run("1s")
    assert dict(cluster.created) == {10: 150}


def test_a_status_is_told_when_the_pods_are_made() -> None:
    cluster = paced()
    cluster.stage.apply(workload("ReplicaSet", 150))
    cluster.stage.run("3s")
    assert cluster.status("apps/v1", "ReplicaSet")["replicas"] == 0
    cluster.stage.run("1m")
    assert cluster.status("apps/v1", "ReplicaSet")["readyReplicas"] == 150


def test_fewer_replicas_go_at_the_rate_of_the_client() -> None:
    cluster = paced()
    cluster.stage.apply(workload("ReplicaSet", 100))
    cluster.stage.run("1m")
    before = cluster.stage.clock.now_ns // SECOND_NS
    cluster.stage.store.patch(
        ("apps/v1", "ReplicaSet"), "web", {"spec": {"replicas": 0}}, "default"
    )
    cluster.stage.run("2m")
    assert cluster.pods == 0
    assert sum(cluster.condemned.values()) == 100
    assert all(count <= 21 for second, count in cluster.condemned.items() if second > before)


def test_pods_whose_owner_is_gone_are_collected_at_the_rate_of_the_client() -> None:
    cluster = paced()
    cluster.stage.apply(workload("ReplicaSet", 100))
    cluster.stage.run("1m")
    before = cluster.stage.clock.now_ns // SECOND_NS
    cluster.stage.store.delete(("apps/v1", "ReplicaSet"), "web", "default")
    cluster.stage.run("2m")
    assert cluster.pods == 0
    assert len(cluster.condemned) > 3
    assert all(count <= 21 for second, count in cluster.condemned.items() if second > before)


def test_a_job_a_daemon_set_and_a_parallel_stateful_set_keep_to_it_too() -> None:
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "parallelism": 100,
            "completions": 100,
            "template": {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}},
        },
    }
    daemons = workload("DaemonSet", 0)
    del daemons["spec"]["replicas"]
    parallel = workload("StatefulSet", 100, podManagementPolicy="Parallel", serviceName="web")
    for made, count in ((job, 100), (daemons, 20), (parallel, 100)):
        cluster = Cluster(client_qps=10.0, client_burst=5)
        cluster.stage.apply(made)
        cluster.stage.run("1s")
        assert 0 < sum(cluster.created.values()) < 20, made["kind"]
        # Statuses that are written on the way cost no pods.
        cluster.stage.run("12s")
        assert sum(cluster.created.values()) == count, made["kind"]
        assert max(cluster.created.values()) <= 15, made["kind"]


def test_each_loop_has_a_client_of_its_own() -> None:
    cluster = paced()
    cluster.stage.apply(workload("ReplicaSet", 200))
    services = [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": f"s{each}", "namespace": "default"},
            "spec": {"selector": {"app": "other"}, "ports": [{"port": 80}]},
        }
        for each in range(20)
    ]
    cluster.stage.apply(services)
    cluster.stage.run("1s")
    kind = ("discovery.k8s.io/v1", "EndpointSlice")
    assert cluster.pods < 200
    assert len(cluster.stage.store.read(kind)) == 20


def test_the_outcome_is_that_of_a_run_without_a_pace() -> None:
    ends = []
    for cluster in (Cluster(), paced(sync="2ms", informer_delay="5ms")):
        cluster.stage.apply(workload("Deployment", 60))
        cluster.stage.run("1m")
        cluster.stage.apply(workload("Deployment", 25))
        cluster.stage.run("5m")
        status = cluster.status("apps/v1", "Deployment")
        ends.append({key: value for key, value in status.items() if key != "conditions"})
    assert ends[0] == ends[1]
    assert ends[0]["readyReplicas"] == 25


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_seed_gives_the_same_store(seed: int) -> None:
    found = []
    for _ in range(2):
        stage = Stage(seed=seed)
        stage.load([make_node(f"n{each}", cpu="64") for each in range(5)])
        stage.add_scheduler()
        pacing = ControllerPacing(
            client_qps=20.0,
            client_burst=5,
            sync="lognormal(3ms,2ms)",
            informer_delay="uniform(1ms,9ms)",
        )
        stage.add_controllers(Settings(pacing=pacing))
        stage.apply(workload("Deployment", 30))
        stage.run("1m")
        found.append(stage.store.list(POD).items)
    assert found[0] == found[1]
