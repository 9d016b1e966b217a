"""A living run as it might have been recorded, with something in every table."""

from __future__ import annotations

import math
from typing import Any

from kubestage.results.life.life import Life
from kubestage.results.life.tables import LifeRows

WEB = "deployment/default/web"
GIB = 2.0**30


def make_life(seconds: int = 1800, *, failures: bool = True, rows: LifeRows | None = None) -> Life:
    """Half an hour in which load rises and falls, replicas follow, and nodes follow them."""
    rows = rows or LifeRows()
    for at in range(0, seconds + 1, 3):
        _sample(rows, at, seconds)
    for at in range(0, seconds, 2):
        _requests(rows, at, seconds, failures=failures)
    for at in range(0, seconds, 4):
        rows.add("responses", "default/web", at + 0.25, 200 + 400 * abs(math.sin(at * 1.7)) ** 6)
    for at in range(0, seconds, 15):
        slow = 3 if failures and 630 <= at < 700 else 1
        rows.add("percentiles", at, "default/web", 15, 220.0 * slow, 420.0 * slow, 610.0 * slow)
    for at, before, after in ((300, 2, 4), (615, 4, 6), (1500, 6, 3)):
        way = "above" if after > before else "below"
        reason = f"cpu resource utilization (percentage of request) {way} target"
        rows.add("decisions", at, "rescale", "default/web", WEB, before, after, reason)
    rows.add("decisions", 700, "node added", "small", "node/small-1", 1, 2, "")
    rows.add("decisions", 900, "eviction", "default/web", "pod/default/web-1", None, None, "")
    return Life("0.1", 7, "2026-01-01T00:00:00Z", seconds, 3, SUMMARY, rows.tables())


def _group(name: str, hours: float, cost: float | None, added: int) -> dict[str, Any]:
    return {
        "group": name,
        "nodeHours": hours,
        "cost": cost,
        "nodesAdded": added,
        "nodesRemoved": 0,
        "nodesLowest": 1,
        "nodesHighest": 2,
        "nodesAtEnd": 2,
    }


def _load(at: float, seconds: float) -> float:
    return 20 + 60 * math.sin(math.pi * at / seconds) ** 2


def _replicas(at: float) -> tuple[int, int, int]:
    desired = 2 if at < 300 else 4 if at < 615 else 6 if at < 1500 else 3
    active = 2 if at < 320 else 4 if at < 800 else 6 if at < 1500 else 3
    return desired, max(desired - active, 0), active


def _sample(rows: LifeRows, at: int, seconds: int) -> None:
    desired, launching, active = _replicas(at)
    rows.add("replicas", at, WEB, desired, launching, active, 0)
    busy = min(_load(at, seconds) * 0.05 / active, 1.0)
    rows.add("utilization", at, "default/web", busy)
    current = None if at < 60 else round(busy * 100)
    rows.add("metrics", at, "default/web", WEB, "cpu utilization", "%", current, 50.0)
    if at >= 120:
        upper = 0.6 * (1 + 1440 * 60 / at)
        rows.add("recommendations", at, "default/web", "web", "cpu", 0.4, 0.6, upper, 0.5)
        bounds = (0.2 * GIB, 0.25 * GIB, 3 * GIB, 0.5 * GIB)
        rows.add("recommendations", at, "default/web", "web", "memory", *bounds)
    small = 1 if at < 700 else 2
    rows.add("nodes", at, "", 2, 0, 2)
    rows.add("nodes", at, "small", small, 1 if 630 <= at < 700 else 0, small)
    pending = 2 if 630 <= at < 700 else 0
    rows.add(
        "cluster", at, pending, launching, active, 0, 2 + small, 2 + small, 500 * active, 4000, 0
    )


def _requests(rows: LifeRows, at: int, seconds: int, *, failures: bool) -> None:
    arrived = round(2 * _load(at, seconds))
    failed = 3 if failures and 630 <= at < 700 else 0
    slow = 1 + 2 * (failed > 0)
    response: tuple[Any, ...] = (250.0 * slow, 220.0 * slow, 420.0 * slow, 610.0 * slow)
    counts = (arrived, arrived - failed, failed, failed, 0, 0, 0, 0, 0, round(arrived * 0.15))
    rows.add("requests", float(at), "default/web", WEB, arrived / 2, *counts, *response)


SUMMARY: dict[str, Any] = {
    "seconds": 1800.0,
    "traffic": [
        {
            "traffic": "default/web",
            "requests": 90_000,
            "completed": 89_880,
            "failed": 105,
            "failedByReason": {
                "Timeout": 105,
                "NoReplica": 0,
                "Overloaded": 0,
                "Interrupted": 0,
                "NoAnswer": 0,
            },
            "inFlight": 15,
            "responseMs": {"mean": 250.0, "p50": 220.0, "p95": 1260.0, "p99": 1830.0, "max": 4.9e3},
        }
    ],
    "workloads": [
        {
            "workload": WEB,
            "replicaHours": 2.25,
            "replicasLowest": 2,
            "replicasHighest": 6,
            "replicasAtEnd": 3,
        }
    ],
    "replicaHours": 2.25,
    "autoscalers": [
        {
            "autoscaler": "horizontalpodautoscaler/default/web",
            "rescales": 3,
            "rescalesUp": 2,
            "rescalesDown": 1,
        },
        {"autoscaler": "verticalpodautoscaler/default/web", "evictions": 1, "resizes": 0},
    ],
    "nodeGroups": [
        _group("", 1.0, None, 0),
        _group("small", 0.8, 0.16, 1),
    ],
    "nodeHours": 1.8,
    "cost": 0.16,
}
