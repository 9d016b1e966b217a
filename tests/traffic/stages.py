"""Stages with a service, its pods and its requests, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage import Stage
from kubestage.sim.recorder import MemoryRecorder
from kubestage.testing import make_node

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.settings import Settings


DEPLOYMENT = ("apps/v1", "Deployment")
POD = ("v1", "Pod")
TRAFFIC = ("kubestage.dev/v1alpha1", "Traffic")


def deployment(replicas: int = 1, **annotations: str) -> Json:
    """A Deployment of pods with one core each."""
    container = {
        "name": "web",
        "image": "web",
        "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}},
    }
    notes = {f"kubestage.dev/{name.replace('_', '-')}": text for name, text in annotations.items()}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}, "annotations": notes},
                "spec": {"containers": [container]},
            },
        },
    }


def traffic(pattern: Json, *, target: str = "Deployment", **spec: Any) -> Json:
    """Requests for it, of 100 ms CPU and no I/O unless told otherwise."""
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "Traffic",
        "metadata": {"name": "load", "namespace": "default"},
        "spec": {
            "target": {"kind": target, "name": "web"},
            "pattern": pattern,
            "request": {"cpu": "100ms", "io": "0s"},
            **spec,
        },
    }


def living(
    *objects: Json, settings: Settings | None = None, seed: int = 0, traces: bool = False
) -> Stage:
    """A stage with a large node and these objects, on which everybody is at work."""
    stage = Stage(seed=seed)
    if traces:
        stage.environment.recorder = MemoryRecorder()
    stage.add_scheduler()
    stage.add_controllers(settings, traces_requests=traces)
    stage.apply([make_node("node-1", cpu="64", memory="256Gi"), *objects])
    return stage


def scale(stage: Stage, replicas: int) -> None:
    """Ask for so many replicas."""
    patch = {"spec": {"replicas": replicas}}
    stage.store.patch(DEPLOYMENT, "web", patch, "default")


def kinds(stage: Stage, *wanted: str) -> list[str]:
    """The movements of some kinds that have happened, in order."""
    done = stage.environment.completed_movements
    return [each.movement.kind for each in done if each.movement.kind in wanted]
