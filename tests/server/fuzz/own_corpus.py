"""Requests about what is our own, which no real API server was asked: the seeds of more storms."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import yaml

from tests.server.fuzz import hostile, mutating
from tests.server.fuzz.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
OWN = "/kubestage/v1"
PLURALS = {
    "Scenario": "scenarios",
    "Traffic": "traffics",
    "Deployment": "deployments",
    "HorizontalPodAutoscaler": "horizontalpodautoscalers",
    "VerticalPodAutoscaler": "verticalpodautoscalers",
    "Service": "services",
    "CronJob": "cronjobs",
    "StatefulSet": "statefulsets",
    "Stage": "stages",
}
CALLS: tuple[tuple[str, str, Any], ...] = (
    ("PUT", "/clock", {"mode": "speed", "speed": 10}),
    ("PUT", "/clock", {"mode": "jump"}),
    ("POST", "/clock/advance", {"duration": "10s"}),
    ("POST", "/clock/advance", {"until": "2026-01-01T00:01:00Z"}),
    ("POST", "/clock/pause", {}),
    ("POST", "/clock/resume", {}),
    ("POST", "/import", {"apiVersion": "v1", "kind": "List", "items": [hostile.pod("imported")]}),
    ("POST", "/import", {"pods": [hostile.pod("kss")], "nodes": [], "namespaces": []}),
    (
        "PUT",
        "/scheduler/configuration",
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [{"schedulerName": "default-scheduler"}],
        },
    ),
)
READS = (
    "/clock", "/export", "/runs", "/runs/it", "/runs/it/tables/pods", "/runs/it/pods/default/a",
    "/explanations/default/a", "/openapi", "/scheduler/configuration", "",
)  # fmt: skip


def _documents(file: pathlib.Path) -> list[Any]:
    """What is in a file; the template of a load is no YAML before it is filled in."""
    try:
        return list(yaml.safe_load_all(file.read_text()))
    except yaml.YAMLError:
        assert "{{" in file.read_text()
        return []


def requests() -> Iterator[Wire]:
    """All of them, once."""
    yield hostile.first()
    for file in sorted(EXAMPLES.glob("*/*.yaml")):
        for obj in _documents(file):
            if isinstance(obj, dict) and obj.get("kind") in PLURALS:
                yield _created(obj)
    for method, path, body in CALLS:
        yield hostile.write(method, OWN + path, body, "application/json", b"")
    for path in READS:
        yield Wire("GET", OWN + path, b"", hostile.HEADERS)
    for root in mutating.ROOTS:
        yield Wire("GET", root, b"", hostile.HEADERS)


def _created(obj: dict[str, Any]) -> Wire:
    group, _, version = obj["apiVersion"].rpartition("/")
    root = f"/apis/{group}/{version}" if group else f"/api/{version}"
    placed = json.loads(json.dumps(obj, default=str))
    scope = "" if obj["kind"] in ("Scenario", "Stage") else "/namespaces/hostile"
    if scope:
        placed["metadata"]["namespace"] = "hostile"
    return hostile.post(f"{root}{scope}/{PLURALS[obj['kind']]}", placed)
