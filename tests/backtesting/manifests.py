"""Autoscalers and series for backtests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.backtesting import csv_reading, target

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.backtesting.series import MetricSeries
    from kubestage.backtesting.target import BacktestTarget


def make_hpa(target_percent: int = 50, **spec: Any) -> Json:
    goal = {"type": "Utilization", "averageUtilization": target_percent}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 1,
            "maxReplicas": 20,
            "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": goal}}],
            **spec,
        },
    }


def make_vpa(mode: str | None = None, **spec: Any) -> Json:
    policy = {} if mode is None else {"updatePolicy": {"updateMode": mode}}
    return {
        "apiVersion": "autoscaling.k8s.io/v1",
        "kind": "VerticalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": {
            "targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            **policy,
            **spec,
        },
    }


def unknown_workload(replicas: int = 2, cpu: str = "1") -> BacktestTarget:
    return target.unknown_workload("web", replicas, {"cpu": cpu})


def totals(*rows: tuple[float, float], metric: str = "cpu") -> MetricSeries:
    """A metric at some seconds, summed over all pods."""
    lines = "\n".join(f"{at},{value}" for at, value in rows)
    return csv_reading.read(f"time,total\n{lines}", "m.csv").called(metric)
