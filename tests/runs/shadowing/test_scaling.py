"""Predictions about HPAs and node autoscalers, one change after the other."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.runs.predicting import Predictor
from kubestage.runs.shadowing.node_arrivals import ArrivalTwin
from kubestage.runs.shadowing.replica_steps import ReplicaTwin
from kubestage.sources.usage import UsageSample
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

NOW = 1_772_359_200 * 10**9
MINUTE = 60 * 10**9
POOL = "cloud.google.com/gke-nodepool"


def _hpa(metric: Json | None = None, desired: int = 2, **more: Any) -> Json:
    target = {"type": "Utilization", "averageUtilization": 50}
    known = {"type": "Resource", "resource": {"name": "cpu", "target": target}}
    conditions = [{"type": "AbleToScale", "status": "True"}]
    return {
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"minReplicas": 1, "maxReplicas": 10, "metrics": [metric or known],
                 "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
        "status": {"currentReplicas": 2, "desiredReplicas": desired, "conditions": conditions,
                   **more},
    }  # fmt: skip


def _deployment() -> Json:
    labels = {"app": "web"}
    return {
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels},
                 "template": {"metadata": {"labels": labels}, "spec": {"containers": []}}},
        "status": {"replicas": 2},
    }  # fmt: skip


def _pod(name: str) -> Json:
    pod = make_pod(name, cpu="1", labels={"app": "web"})
    pod["metadata"] |= {"namespace": "shop", "uid": name}
    pod["spec"]["nodeName"] = "a"
    started = "2026-03-01T08:00:00Z"
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": started}
    pod["status"] = {"phase": "Running", "startTime": started, "conditions": [ready]}
    return pod


def _usage(cpu: float, at_ns: int = NOW) -> list[UsageSample]:
    return [
        UsageSample(at_ns=at_ns, namespace="shop", pod=name, container="main",
                    cpu_nanocores=int(cpu * 10**9), memory_bytes=1, window_ns=15 * 10**9)
        for name in ("web-1", "web-2")
    ]  # fmt: skip


class Steps:
    """A twin of one HPA, whose mirror follows."""

    def __init__(self, hpa: Json) -> None:
        self.report: list[Json] = []
        self.hpa = hpa
        self._predictor = Predictor()
        self._predictor.put_all([make_node("a"), _deployment(), _pod("web-1"), _pod("web-2"), hpa])
        self.twin = ReplicaTwin(self._predictor.store, self.report.append)

    def step(self, desired: int) -> Json:
        """The HPA is seen to desire something else; what is report of that."""
        after = copy.deepcopy(self.hpa)
        after["status"]["desiredReplicas"] = desired
        self.twin.on_scaler(self.hpa, after, NOW)
        self._predictor.put(after)
        self.hpa = after
        return self.report[-1]


def test_a_step_that_was_predicted_is_exact() -> None:
    steps = Steps(_hpa())
    steps.twin.on_usage(_usage(0.9), NOW)
    (prediction,) = steps.report
    assert (prediction["type"], prediction["predicted"]) == ("stepPrediction", 4)
    # It is report once.
    steps.twin.on_usage(_usage(0.9, NOW + MINUTE), NOW + MINUTE)
    assert len(steps.report) == 1
    assert steps.step(4)["hit"] is True
    counts = steps.twin.counts
    assert (counts.steps, counts.exact, counts.direction) == (1, 1, 1)


def test_a_step_of_another_size_is_explained() -> None:
    steps = Steps(_hpa())
    steps.twin.on_usage(_usage(0.9), NOW)
    report = steps.step(7)
    assert (report["hit"], report["predicted"], report["to"]) == (False, 4, 7)
    assert report["why"] == "4 by its metrics, 4 within its limits"
    assert (steps.twin.counts.exact, steps.twin.counts.direction) == (0, 1)


def test_a_step_that_does_not_come_is_a_false_alarm() -> None:
    steps = Steps(_hpa())
    steps.twin.on_usage(_usage(0.9), NOW)
    # What was recommended holds for five minutes.
    later = NOW + 6 * MINUTE
    steps.twin.on_usage(_usage(0.5, later), later)
    assert steps.twin.counts.false_alarms == 1


@pytest.mark.parametrize("samples", [[], None])
def test_what_cannot_be_read_is_unknown(samples: list[UsageSample] | None) -> None:
    external: Json = {"type": "External", "external": {
        "metric": {"name": "queue"}, "target": {"type": "Value", "value": "10"}}}  # fmt: skip
    steps = Steps(_hpa(external if samples is None else None))
    steps.twin.on_usage(_usage(0.9) if samples is None else samples, NOW)
    report = steps.step(5)
    assert report["hit"] is None
    assert report["why"]
    assert (steps.twin.counts.steps, steps.twin.counts.unknown) == (1, 1)


def test_an_hpa_without_a_status_has_made_no_step() -> None:
    steps = Steps(_hpa())
    fresh = {**_hpa(), "status": {"currentReplicas": 0, "desiredReplicas": 0}}
    steps.twin.on_scaler(None, fresh, NOW)
    steps.twin.on_scaler(fresh, _hpa(), NOW)
    assert steps.twin.counts.steps == 0


def _large(name: str = "large", **labels: str) -> Json:
    pod = make_pod(name, cpu="8", node_selector=labels)
    pod["metadata"] |= {"namespace": "shop", "uid": name}
    return pod


def _arrivals(*objects: Json) -> tuple[ArrivalTwin, list[Json]]:
    report: list[Json] = []
    predictor = Predictor()
    predictor.put_all(objects)
    return ArrivalTwin(predictor, report.append), report


def _nodes() -> list[Json]:
    used = make_pod("used", cpu="12")
    used["metadata"] |= {"namespace": "shop", "uid": "used"}
    used["spec"]["nodeName"] = "big-1"
    return [
        make_node("small-1", cpu="2", labels={POOL: "small"}),
        make_node("big-1", cpu="16", labels={POOL: "big", "disk": "ssd"}), used,
    ]  # fmt: skip


def _autoscaler() -> Json:
    obj = _deployment()
    obj["metadata"] = {"name": "cluster-autoscaler", "namespace": "kube-system"}
    return obj


def test_a_node_is_expected_of_the_pools_that_help() -> None:
    twin, report = _arrivals(*_nodes(), _autoscaler())
    twin.on_waiting([_large(), _large("nowhere", disk="tape")], NOW)
    assert [(each["pod"], each["predicted"]) for each in report] == [
        ("shop/large", ["big"]), ("shop/nowhere", []),
    ]  # fmt: skip
    # Each is report once.
    twin.on_waiting([_large()], NOW)
    assert len(report) == 2
    twin.on_node(None, make_node("big-2", labels={POOL: "big"}), NOW)
    twin.on_node(None, make_node("small-2", labels={POOL: "small"}), NOW)
    assert [each["hit"] for each in report[2:]] == [True, False]
    assert "other pools" in report[3]["why"]
    twin.on_waiting([], NOW)
    twin.on_node(None, make_node("big-3", labels={POOL: "big"}), NOW)
    assert "no pod was known" in report[4]["why"]
    counts = twin.counts
    assert (counts.arrivals, counts.expected, counts.unexpected) == (3, 1, 2)


def test_without_an_autoscaler_nothing_is_predicted() -> None:
    twin, report = _arrivals(*_nodes())
    twin.on_waiting([_large()], NOW)
    twin.on_node(None, make_node("big-2", labels={POOL: "big"}), NOW)
    assert report == []
    assert twin.counts.arrivals == 0
