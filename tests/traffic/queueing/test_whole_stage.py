"""A whole stage, with its autoscaler: movement by movement it comes to the same as in bulk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.traffic.requests import DISCIPLINES, ROUTINGS
from tests.traffic import stages

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.aliases import Json


HPA = ("autoscaling/v2", "HorizontalPodAutoscaler")
EVENT = ("v1", "Event")
RISING: Json = {
    "sum": [
        {"poisson": {"rps": 6}},
        {"step": {"rps": 20, "after": "40s"}},
        {"uniform": {"requests": 300, "start": "20s", "duration": "80s"}},
    ]
}


def autoscaler() -> Json:
    cpu = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}
    down = {"stabilizationWindowSeconds": 30}
    return {
        "apiVersion": HPA[0],
        "kind": HPA[1],
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 1,
            "maxReplicas": 8,
            "metrics": [{"type": "Resource", "resource": cpu}],
            "behavior": {"scaleDown": down},
        },
    }


def told(stage: Stage) -> Json:
    """All that is known of requests, replicas and decisions at the end of a run."""
    assert stage.traffic is not None
    record = stage.traffic.records()["default/load"]
    return {
        "summary": record.summary(),
        "table": record.table(),
        "responses": record.responses(),
        "replicas": stage.traffic.streams["default/load"].requests.replicas(),
        "hpa": [each["status"] for each in stage.store.list(HPA).items],
        "deployments": [each["spec"] for each in stage.store.list(stages.DEPLOYMENT).items],
        "events": [
            (each["reason"], each["message"], each["lastTimestamp"])
            for each in stage.store.list(EVENT).items
            if each["involvedObject"]["kind"] == HPA[1]
        ],
    }


def lived(service: Json, routing: str, *, traces: bool) -> list[Json]:
    requests = {"cpu": "exp(100ms)", "io": "uniform(0s,50ms)", "timeout": "2s"}
    traffic = stages.traffic(
        RISING, request=requests, service=service, routing=routing, duration="150s"
    )
    deployment = stages.deployment(1, launch_delay="3s", terminate_delay="2s")
    stage = stages.living(deployment, traffic, autoscaler(), seed=3, traces=traces)
    found = []
    for _ in range(4):
        stage.run("60s")
        found.append(told(stage))
    return found


@pytest.mark.parametrize(
    ("discipline", "routing"), list(zip(DISCIPLINES, ROUTINGS, strict=True)), ids=DISCIPLINES
)
def test_each_movement_or_all_in_bulk_come_to_the_same(discipline: str, routing: str) -> None:
    service = {"discipline": discipline, "maxRequests": 40}
    in_bulk = lived(service, routing, traces=False)
    assert lived(service, routing, traces=True) == in_bulk
    reasons = [reason for reason, _, _ in in_bulk[-1]["events"]]
    assert "SuccessfulRescale" in reasons
    assert in_bulk[-1]["summary"]["requests"] > 3_000
    assert in_bulk[-1]["summary"]["in_flight"] == 0
