"""What an HPA measures is found beside what it aims at, whatever the metric's type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.results.life import hpa_metrics
from kubestage.results.life.hpa_metrics import MetricReading

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _hpa(spec: list[Json], current: list[Json]) -> Json:
    return {"spec": {"metrics": spec}, "status": {"currentMetrics": current}}


CASES: dict[str, tuple[Json, Json, MetricReading]] = {
    "utilization": (
        {"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 50}}},
        {
            "type": "Resource",
            "resource": {
                "name": "cpu",
                "current": {"averageUtilization": 71, "averageValue": "355m"},
            },
        },
        MetricReading("cpu utilization", "%", 71.0, 50.0),
    ),
    "average value of a resource": (
        {"type": "Resource", "resource": {"name": "memory", "target": {"averageValue": "1Ki"}}},
        {"type": "Resource", "resource": {"name": "memory", "current": {"averageValue": "2Ki"}}},
        MetricReading("memory per pod", "bytes", 2048.0, 1024.0),
    ),
    "container": (
        {
            "type": "ContainerResource",
            "containerResource": {
                "name": "cpu",
                "container": "web",
                "target": {"averageValue": "500m"},
            },
        },
        {
            "type": "ContainerResource",
            "containerResource": {
                "name": "cpu",
                "container": "web",
                "current": {"averageValue": "250m"},
            },
        },
        MetricReading("cpu per pod of web", "cores", 0.25, 0.5),
    ),
    "pods": (
        {"type": "Pods", "pods": {"metric": {"name": "rps"}, "target": {"averageValue": "10"}}},
        {"type": "Pods", "pods": {"metric": {"name": "rps"}, "current": {"averageValue": "7500m"}}},
        MetricReading("rps per pod", "", 7.5, 10.0),
    ),
    "object": (
        {
            "type": "Object",
            "object": {
                "metric": {"name": "hits"},
                "describedObject": {"kind": "Service", "name": "front"},
                "target": {"value": "2k"},
            },
        },
        {
            "type": "Object",
            "object": {
                "metric": {"name": "hits"},
                "describedObject": {"kind": "Service", "name": "front"},
                "current": {"value": "3k"},
            },
        },
        MetricReading("hits of front", "", 3000.0, 2000.0),
    ),
    "external": (
        {"type": "External", "external": {"metric": {"name": "queue"}, "target": {"value": "30"}}},
        {"type": "External", "external": {"metric": {"name": "queue"}, "current": {"value": "45"}}},
        MetricReading("queue", "", 45.0, 30.0),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_type_has_its_place(name: str) -> None:
    spec, current, expected = CASES[name]
    assert list(hpa_metrics.readings(_hpa([spec], [current]))) == [expected]


def test_metrics_go_by_what_they_are_not_by_their_position() -> None:
    specs = [spec for spec, _, _ in CASES.values()]
    currents = [{}, *reversed([current for _, current, _ in CASES.values()])]
    expected = [reading for _, _, reading in CASES.values()]
    assert list(hpa_metrics.readings(_hpa(specs, currents))) == expected


def test_what_is_not_measured_is_none() -> None:
    spec, _, expected = CASES["utilization"]
    assert list(hpa_metrics.readings(_hpa([spec], []))) == [
        MetricReading("cpu utilization", "%", None, expected.target)
    ]
