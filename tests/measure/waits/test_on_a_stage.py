"""Waiting for controllers on a stage, where Deployments, Jobs and nodes behave as they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.measure.facilities import Facilities
from kubestage.measure.measurements import Measurements
from kubestage.measure.registry import Registry
from kubestage.measure.results import MeasurementResult
from kubestage.stage import Stage
from kubestage.testing import make_node
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json


class Staged:
    """A stage with nodes, and the measurements of a test on it."""

    def __init__(self, nodes: int = 4) -> None:
        self.stage = Stage(seed=1)
        self.stage.add_scheduler()
        self.stage.add_controllers()
        self.stage.load([make_node(f"n{number}", cpu="2", pods=20) for number in range(nodes)])
        cluster = self.stage.cluster()
        self.moments = cluster.moments
        facilities = Facilities(nodes=nodes)
        self.all = Measurements(Registry(), cluster, self.stage.streams, facilities)

    def perform(self, method: str, **raw: Any) -> tuple[MeasurementResult, float]:
        """What a measurement says, and when."""
        told = list[tuple[MeasurementResult, float]]()
        pending = self.all.perform(method, "it", raw)
        pending.then(lambda outcome: told.append((outcome, self.moments.now_ns / SECOND_NS)))
        self.stage.run_until(lambda: bool(told))
        return told[0]


def workload(kind: str, name: str, cpu: str = "100m", **spec: Any) -> Json:
    labels = {"app": name}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    restart = {"restartPolicy": "Never"} if kind == "Job" else {}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container], **restart}}
    selector = {} if kind == "Job" else {"selector": {"matchLabels": labels}}
    return {
        "apiVersion": "batch/v1" if kind == "Job" else "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "default", "labels": {"group": "load"}},
        "spec": {"template": template, **selector, **spec},
    }


WAIT = {"labelSelector": "group = load", "operationTimeout": "3m"}


def test_a_deployment_is_waited_for_through_scaling_updates_and_deletion() -> None:
    staged = Staged()
    about = {"apiVersion": "apps/v1", "kind": "Deployment", **WAIT}
    staged.perform("WaitForControlledPodsRunning", action="start", **about)
    staged.stage.apply([workload("Deployment", "web", replicas=5)])
    outcome, first_s = staged.perform("WaitForControlledPodsRunning", action="gather")
    assert outcome.errors == ()
    assert outcome.latencies[0].objects == ["default/web"]
    changed = workload("Deployment", "web", cpu="200m", replicas=8)
    staged.stage.apply([changed])
    outcome, second_s = staged.perform("WaitForControlledPodsRunning", action="gather")
    assert outcome.errors == ()
    pods = staged.stage.store.list(("v1", "Pod")).items
    requests = [pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] for pod in pods]
    assert requests == ["200m"] * 8
    staged.stage.store.delete(("apps/v1", "Deployment"), "web", "default")
    outcome, third_s = staged.perform("WaitForControlledPodsRunning", action="gather")
    assert outcome.errors == ()
    assert staged.stage.store.list(("v1", "Pod")).items == []
    assert first_s < second_s < third_s


def test_pods_that_find_no_node_are_named_with_the_schedulers_words() -> None:
    staged = Staged(nodes=1)
    about = {"apiVersion": "apps/v1", "kind": "Deployment", **WAIT}
    staged.perform("WaitForControlledPodsRunning", action="start", **about)
    staged.stage.apply([workload("Deployment", "web", cpu="1500m", replicas=2)])
    outcome, at_s = staged.perform("WaitForControlledPodsRunning", action="gather")
    assert at_s >= 180
    first, second = outcome.errors
    assert first == "1 objects timed out: Deployments: default/web"
    said = "Unschedulable 0/1 nodes are available: 1 Insufficient cpu"
    assert f"(PendingNotScheduled: {said}" in second
    assert len(outcome.summaries) == 1


def test_a_daemon_set_has_a_pod_on_every_node() -> None:
    staged = Staged(nodes=3)
    about = {"apiVersion": "apps/v1", "kind": "DaemonSet", **WAIT}
    staged.perform("WaitForControlledPodsRunning", action="start", **about)
    staged.stage.apply([workload("DaemonSet", "agent")])
    outcome, _ = staged.perform("WaitForControlledPodsRunning", action="gather")
    assert outcome.errors == ()
    assert len(staged.stage.store.list(("v1", "Pod")).items) == 3


def test_jobs_are_waited_for_and_timed() -> None:
    staged = Staged()
    staged.perform("WaitForFinishedJobs", action="start", labelSelector="group = load")
    staged.perform("JobLifecycleLatency", action="start", labelSelector="group = load")
    for number in range(3):
        job = workload("Job", f"job-{number}", completions=2, parallelism=2)
        notes = {"kubestage.dev/run-duration": "30s"}
        job["spec"]["template"]["metadata"]["annotations"] = notes
        staged.stage.apply([job])
    outcome, _ = staged.perform("WaitForFinishedJobs", action="gather")
    assert outcome.errors == ()
    outcome, _ = staged.perform("JobLifecycleLatency", action="gather")
    assert outcome.warnings == ()
    created, ran = outcome.latencies
    assert created.metric == "create_to_start"
    assert sorted(ran.objects) == ["default/job-0", "default/job-1", "default/job-2"]
    assert all(took_ns >= 30 * SECOND_NS for took_ns in ran.took_ns)


def test_nodes_that_fail_are_missed_and_come_back() -> None:
    staged = Staged(nodes=4)
    about = {"failureRate": 0.5, "interval": "10s", "simulatedDowntime": "1h"}
    staged.perform("ChaosMonkey", action="start", **about)
    counts = {"minDesiredNodeCount": 2, "maxDesiredNodeCount": 2}
    outcome, _ = staged.perform("WaitForNodes", **counts)
    assert outcome.errors == ()
    staged.perform("ChaosMonkey", action="stop")
    outcome, _ = staged.perform("WaitForNodes", minDesiredNodeCount=4, maxDesiredNodeCount=4)
    assert outcome.errors == ()


def test_two_runs_say_the_same_at_the_same_times() -> None:
    told = []
    for _ in range(2):
        staged = Staged()
        about = {"apiVersion": "apps/v1", "kind": "Deployment", **WAIT}
        staged.perform("WaitForControlledPodsRunning", action="start", **about)
        staged.perform("SchedulingThroughput", action="start", measurmentInterval="1s")
        staged.stage.apply([workload("Deployment", "web", replicas=20)])
        told.append(
            [
                staged.perform("WaitForControlledPodsRunning", action="gather"),
                staged.perform("SchedulingThroughput", action="gather", threshold=1),
            ]
        )
    assert told[0] == told[1]
    outcome, _ = told[0][1]
    assert outcome.errors == ()
