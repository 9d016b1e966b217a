"""Clusters whose nodes come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
from kubestage.controllers.settings import Settings
from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_pod

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json


NODE = ("v1", "Node")
POD = ("v1", "Pod")
GROUP = ("kubestage.dev/v1alpha1", "NodeGroup")
DEPLOYMENT = ("apps/v1", "Deployment")


def make_group(
    name: str = "pool",
    *,
    cpu: str = "4",
    memory: str = "16Gi",
    labels: Mapping[str, str] | None = None,
    taints: Iterable[Json] = (),
    resources: Mapping[str, str] | None = None,
    **spec: Any,
) -> Json:
    """A NodeGroup of nodes that come up in a minute, ten at most."""
    template: Json = {"capacity": {"cpu": cpu, "memory": memory, **(resources or {})}}
    if labels:
        template["metadata"] = {"labels": dict(labels)}
    if taints:
        template["spec"] = {"taints": list(taints)}
    return {
        "apiVersion": GROUP[0],
        "kind": GROUP[1],
        "metadata": {"name": name},
        "spec": {"maxSize": 10, "template": template, **spec},
    }


def make_web(
    replicas: int, cpu: str = "1", memory: str = "1Gi", name: str = "web", **pod: Any
) -> Json:
    """A Deployment of pods that ask for so much."""
    wanted = make_pod(cpu=cpu, memory=memory, labels={"app": name}, **pod)
    return make_deployment(name, replicas=replicas, pod=wanted)


def staged(*objects: Json, seed: int = 0, **flags: Any) -> Stage:
    """A stage on which all is at work, with flags of the autoscaler."""
    stage = Stage(seed)
    stage.apply(objects)
    stage.add_scheduler()
    stage.add_controllers(Settings(node_autoscaler=NodeAutoscalerSettings(**flags)))
    return stage


def scale(stage: Stage, replicas: int, name: str = "web") -> None:
    """Have a Deployment be of another size."""
    stage.store.patch(DEPLOYMENT, name, {"spec": {"replicas": replicas}})


def nodes(stage: Stage, group: str = "pool") -> list[str]:
    """The names of a group's nodes, in the order in which they were given."""
    found = [
        node["metadata"]["name"]
        for node in stage.store.list(NODE).items
        if (node["metadata"].get("labels") or {}).get("kubestage.dev/node-group") == group
    ]
    return sorted(found, key=lambda name: (len(name), name))


def target(stage: Stage, group: str = "pool") -> int:
    """How many nodes a group is to have, as it tells."""
    size: int = stage.store.get(GROUP, group)["status"]["targetSize"]
    return size


def pending(stage: Stage) -> int:
    """How many pods have no node."""
    return sum(not pod["spec"].get("nodeName") for pod in stage.store.list(POD).items)


def condition(stage: Stage, kind: str, group: str = "pool") -> tuple[str, str]:
    """Status and reason of a group's condition."""
    found = stage.store.get(GROUP, group)["status"]["conditions"]
    return next((each["status"], each["reason"]) for each in found if each["type"] == kind)


def told(stage: Stage, reason: str) -> list[str]:
    """What the autoscaler has told for a reason, without repetitions."""
    found = {
        each["message"]
        for each in stage.store.list(("v1", "Event")).items
        if each["reason"] == reason and each["source"]["component"] == "cluster-autoscaler"
    }
    return sorted(found)


def taints(stage: Stage, name: str) -> list[str]:
    """The keys of a node's taints."""
    spec = stage.store.get(NODE, name)["spec"]
    return sorted(each["key"] for each in spec.get("taints") or ())
