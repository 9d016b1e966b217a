"""DaemonSets on small stages, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage import testing
from kubestage.controllers.daemonset.loop import DaemonSetController
from tests.controllers import pod_hands
from tests.controllers.stages import stage_with

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


SET = ("apps/v1", "DaemonSet")
REVISION = ("apps/v1", "ControllerRevision")
NODE = ("v1", "Node")


def make_set(pod_spec: Json | None = None, **spec: Any) -> Json:
    """A set named agent."""
    made: Json = testing.make_daemon_set("agent")
    made["spec"]["template"]["spec"] |= pod_spec or {}
    made["spec"] |= spec
    return made


def rolling(**limits: int | str) -> Json:
    """The strategy of a rolling update."""
    return {"type": "RollingUpdate", "rollingUpdate": limits}


def staged(*objects: Json, nodes: int = 3) -> Stage:
    """A stage of some nodes, where only the loop of DaemonSets is at work."""
    named = [testing.make_node(f"n{number}") for number in range(nodes)]
    stage = stage_with(DaemonSetController, objects=[*named, *objects])
    stage.run(pod_hands.MOMENT_NS)
    return stage


def running(nodes: int = 3, **spec: Any) -> Stage:
    """A stage with a set whose pods are all ready."""
    stage = staged(make_set(**spec), nodes=nodes)
    pod_hands.work_until_quiet(stage)
    return stage


def set_image(stage: Stage, image: str) -> None:
    """Give a set's pods another image."""
    template = stage.store.get(SET, "agent")["spec"]["template"]
    containers = [{**template["spec"]["containers"][0], "image": image}]
    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    stage.store.patch(SET, "agent", patch)
    stage.run(pod_hands.MOMENT_NS)


def patch_node(stage: Stage, name: str, **fields: Any) -> None:
    """Change a node."""
    stage.store.patch(NODE, name, fields)
    stage.run(pod_hands.MOMENT_NS)


def status(stage: Stage) -> Json:
    """A set's status."""
    found: Json = stage.store.get(SET, "agent")["status"]
    return found


def on_nodes(stage: Stage) -> dict[str, list[str]]:
    """The names of the pods by node."""
    found: dict[str, list[str]] = {}
    for name, pod in pod_hands.pods(stage).items():
        found.setdefault(pod_hands.node_of(pod), []).append(name)
    return {node: found[node] for node in sorted(found)}


def images(stage: Stage) -> list[str]:
    """The images of the pods, in order."""
    found = pod_hands.pods(stage).values()
    return sorted(pod["spec"]["containers"][0]["image"] for pod in found)


def available(stage: Stage) -> int:
    """How many nodes have a pod that is ready and stays."""
    nodes = {
        pod_hands.node_of(pod)
        for pod in pod_hands.pods(stage).values()
        if "deletionTimestamp" not in pod["metadata"]
        and (pod["status"].get("conditions") or [{}])[-1].get("type") == "Ready"
        and pod["status"]["conditions"][-1]["status"] == "True"
    }
    return len(nodes)
