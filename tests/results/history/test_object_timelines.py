"""The timelines of nodes and workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import Stage
from kubestage.results.history.cluster_history import ClusterHistory, HistoryLimits
from kubestage.results.history.node_timeline import NodeTimeline
from kubestage.results.history.workload_timeline import WorkloadTimeline
from kubestage.testing import make_deployment, make_node, make_pod

if TYPE_CHECKING:
    from kubestage.results.history.object_timeline import ObjectTimeline, Series

NODE = ("v1", "Node")
DEPLOYMENT = ("apps/v1", "Deployment")


def recorded(limits: HistoryLimits | None = None) -> tuple[Stage, ClusterHistory]:
    """Two nodes; a Deployment that is scaled; a cordon; and the end of a node."""
    stage = Stage()
    stage.add_scheduler(recording="none")
    stage.add_controllers()
    stage.apply([make_node("a", cpu="4"), make_node("b", cpu="4")])
    history = ClusterHistory(stage.store, stage.clock, limits)
    history.start()
    stage.run("1s")
    stage.apply([make_deployment("web", replicas=2, cpu="500m")])
    stage.run("1m")
    stage.store.patch(DEPLOYMENT, "web", {"spec": {"replicas": 4}}, "default")
    stage.run("1m")
    stage.store.patch(NODE, "a", {"spec": {"unschedulable": True}})
    stage.run("1m")
    stage.store.delete(NODE, "a")
    stage.run("2m")
    return stage, history


def read(timeline: ObjectTimeline) -> list[tuple[str, str]]:
    for _ in timeline.read():
        pass
    times = [entry.unix_ns for entry in timeline.entries]
    assert times == sorted(times)
    return [(entry.kind, entry.text) for entry in timeline.entries]


def value_at(series: Series, unix_ns: int) -> float:
    return [value for at, value in series.points if at <= unix_ns][-1]


def test_a_node_from_its_pods_to_its_removal() -> None:
    _, history = recorded()
    timeline = NodeTimeline(history, "a")
    found = read(timeline)
    kinds = [kind for kind, _ in found]
    assert kinds.count("pod") >= 2
    assert ("cordon", "cordoned") in found
    assert ("taint", "taint node.kubernetes.io/unschedulable:NoSchedule added") in found
    assert ("deleted", "the node was removed") in found
    assert any("left" in text for kind, text in found if kind == "pod")


def test_what_is_requested_of_a_node_is_the_sum_of_its_pods() -> None:
    _, history = recorded()
    timeline = NodeTimeline(history, "b")
    read(timeline)
    cpu, _, pods = timeline.series
    for unix_ns in history.times:
        there = [
            pod
            for pod in history.objects_at(unix_ns)["", "pods"].values()
            if pod["spec"].get("nodeName") == "b"
            and pod.get("status", {}).get("phase") not in ("Succeeded", "Failed")
        ]
        assert value_at(pods, unix_ns) == len(there)
        assert value_at(cpu, unix_ns) == len(there) * 0.125


def test_a_workload_its_replicas_and_its_pods() -> None:
    _, history = recorded()
    place = ("apps", "deployments")
    timeline = WorkloadTimeline(history, place, "Deployment", "default", "web")
    found = read(timeline)
    assert found[0] == ("created", "created with 2 replicas")
    assert ("rescale", "Deployment default/web scaled from 2 to 4") in found
    placed = [text for kind, text in found if kind == "pod" and "placed on" in text]
    assert len(placed) >= 4
    desired, ready, _ = timeline.series
    assert [value for _, value in desired.points] == [2, 4]
    assert max(value for _, value in ready.points) == 4


def test_autoscalers_and_their_reasons() -> None:
    stage, history = recorded()
    metadata = {"name": "scaler", "namespace": "default"}
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    other = {**target, "name": "other"}
    for name, reference in (("scaler", target), ("other", other)):
        stage.apply(
            [
                {
                    "apiVersion": "autoscaling/v2",
                    "kind": "HorizontalPodAutoscaler",
                    "metadata": {**metadata, "name": name},
                    "spec": {"scaleTargetRef": reference, "minReplicas": 1, "maxReplicas": 3},
                }
            ]
        )
    stage.run("1m")
    place = ("apps", "deployments")
    timeline = WorkloadTimeline(history, place, "Deployment", "default", "web")
    found = read(timeline)
    assert timeline.autoscalers == ["HorizontalPodAutoscaler scaler"]
    assert ("autoscaler", "HorizontalPodAutoscaler default/scaler acts on it") in found
    reasons = [text for kind, text in found if kind == "rescale" and "SuccessfulRescale" in text]
    assert any("New size: 3" in text for text in reasons)


def test_pods_of_others_are_left_out() -> None:
    stage, history = recorded()
    stage.apply([make_pod("alone"), make_deployment("webby", replicas=1)])
    stage.run("10s")
    place = ("apps", "deployments")
    found = read(WorkloadTimeline(history, place, "Deployment", "default", "web"))
    assert not any("alone" in text or "webby" in text for _, text in found)


def test_what_is_forgotten_is_left_out_and_the_numbers_stay() -> None:
    _, whole = recorded()
    _, history = recorded(HistoryLimits(most_changes=20))
    assert history.forgotten
    full, part = (NodeTimeline(each, "b") for each in (whole, history))
    read(full)
    read(part)
    assert len(part.entries) < len(full.entries)
    assert part.entries == full.entries[-len(part.entries) :]
    for one, other in zip(full.series, part.series, strict=True):
        assert value_at(other, history.end_ns) == value_at(one, whole.end_ns)


def test_what_never_was_is_known_as_such() -> None:
    _, history = recorded()
    timeline = NodeTimeline(history, "nowhere")
    assert read(timeline) == []
    assert not timeline.was_there
