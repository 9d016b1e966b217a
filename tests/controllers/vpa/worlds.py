"""Small clusters with a vertical pod autoscaler in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.settings import Settings
from kubestage.stage import Stage
from kubestage.testing import make_node

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.vpa.settings import VpaSettings


VPA = ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler")
POD = ("v1", "Pod")


def deployment(
    name: str = "web",
    *,
    replicas: int = 3,
    cpu_usage: str = "300m",
    memory_usage: str = "300Mi",
    requests: Json | None = None,
    limits: Json | None = None,
) -> Json:
    """A Deployment whose pods use so much."""
    resources: Json = {"requests": requests or {"cpu": "100m", "memory": "512Mi"}}
    if limits is not None:
        resources["limits"] = limits
    usage = {
        "kubestage.dev/cpu-usage": cpu_usage,
        "kubestage.dev/memory-usage": memory_usage,
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}, "annotations": usage},
                "spec": {"containers": [{"name": "app", "image": "x", "resources": resources}]},
            },
        },
    }


def autoscaler(
    name: str = "web", mode: str | None = "Recreate", target: str = "web", **spec: Any
) -> Json:
    """A VerticalPodAutoscaler for a Deployment; further arguments are fields of its spec."""
    policy = {} if mode is None else {"updatePolicy": {"updateMode": mode}}
    ref = {"apiVersion": "apps/v1", "kind": "Deployment", "name": target}
    return {
        "apiVersion": VPA[0],
        "kind": VPA[1],
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"targetRef": ref, **policy, **spec},
    }


def alive(*objects: Json, vpa: VpaSettings | None = None, nodes: int = 3) -> Stage:
    """A stage on which everything is at work, and these objects are there."""
    stage = Stage()
    stage.apply([make_node(f"n{index}", cpu="8") for index in range(nodes)])
    stage.add_scheduler()
    settings = Settings() if vpa is None else Settings(vpa=vpa)
    stage.add_controllers(settings)
    for obj in objects:
        stage.store.create(obj)
    return stage


def status(stage: Stage, name: str = "web") -> Json:
    """What an autoscaler tells."""
    found: Json = stage.store.get(VPA, name).get("status") or {}
    return found


def conditions(stage: Stage, name: str = "web") -> dict[str, str]:
    """The conditions of an autoscaler."""
    return {each["type"]: each["status"] for each in status(stage, name).get("conditions", ())}


def target(stage: Stage, name: str = "web") -> Json:
    """What an autoscaler recommends to its first container."""
    found: Json = status(stage, name)["recommendation"]["containerRecommendations"][0]["target"]
    return found


def pods(stage: Stage) -> list[Json]:
    """All pods."""
    return list(stage.store.list(POD).items)


def resources(pod: Json) -> Json:
    """What the first container of a pod asks for."""
    found: Json = pod["spec"]["containers"][0]["resources"]
    return found


def reasons(stage: Stage) -> list[str]:
    """Why the Events of the autoscaler were written."""
    return [
        each["reason"]
        for each in stage.store.list(("v1", "Event")).items
        if each.get("source", {}).get("component") == "vpa-updater"
    ]
