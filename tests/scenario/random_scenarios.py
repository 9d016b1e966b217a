"""Scenarios that are drawn: nodes and pods come, change and go over some steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hypothesis import strategies as st

from kubestage.testing import make_deployment, make_node, make_pod
from tests.scenario import building
from tests.scenario.building import DEPLOYMENT, NODE, POD, create, delete, done, patch

if TYPE_CHECKING:
    from kubestage.aliases import Json

CPUS: Final = st.sampled_from(("500m", "1", "1500m", "2", "5"))
TAINT: Final = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}
NODE_CHANGES: Final = st.sampled_from(
    (
        {"spec": {"unschedulable": True}},
        {"spec": {"unschedulable": None}},
        {"spec": {"taints": [TAINT]}},
        {"spec": {"taints": None}},
        {"metadata": {"labels": {"disk": "ssd"}}},
    )
)


class Script:
    """Writes events one after the other, and knows what there is at each point.

    Only important pods are changed and deleted by name: no other pod can have them go before.
    """

    def __init__(self, data: st.DataObject, *, workloads: bool) -> None:
        self.events: list[Json] = [building.importance()]
        self._draw = data.draw
        self._nodes: list[str] = []
        self._pods: list[str] = []
        self._workloads: list[str] = []
        self._made = 0
        self._acts = [self._add_node, self._add_pod, self._add_important]
        self._acts += [self._change_node, self._change_pod, self._drop_node, self._drop_pod]
        if workloads:
            self._acts += [self._add_workload, self._scale]

    def write(self) -> list[Json]:
        """The events of a whole scenario."""
        step = 0
        for _ in range(self._draw(st.integers(1, 4), label="steps")):
            for _ in range(self._draw(st.integers(1, 8), label="events")):
                self._draw(st.sampled_from(self._acts))(step)
            step += self._draw(st.integers(1, 3), label="gap")
        self.events.append(done(step))
        return [{**event, "id": f"e{at}"} for at, event in enumerate(self.events)]

    def _name(self, kind: str) -> str:
        self._made += 1
        return f"{kind}{self._made}"

    def _add_node(self, step: int) -> None:
        name = self._name("node")
        self._nodes.append(name)
        self.events.append(create(make_node(name, cpu=self._draw(CPUS)), step))

    def _add_pod(self, step: int) -> None:
        selector = self._draw(st.sampled_from((None, None, {"disk": "ssd"})))
        pod = make_pod(self._name("pod"), cpu=self._draw(CPUS), node_selector=selector)
        self.events.append(create(pod, step))

    def _add_important(self, step: int) -> None:
        name = self._name("boss")
        self._pods.append(name)
        self.events.append(create(building.important(name, cpu=self._draw(CPUS)), step))

    def _change_node(self, step: int) -> None:
        if self._nodes:
            name = self._draw(st.sampled_from(self._nodes))
            change = self._draw(NODE_CHANGES)
            self.events.append(patch(NODE, name, change, step, patchType="merge"))

    def _change_pod(self, step: int) -> None:
        if self._pods:
            name, value = self._draw(st.sampled_from(self._pods)), self._name("v")
            self.events.append(patch(POD, name, {"metadata": {"labels": {"x": value}}}, step))

    def _drop_node(self, step: int) -> None:
        if self._nodes:
            name = self._draw(st.sampled_from(self._nodes))
            self._nodes.remove(name)
            self.events.append(delete(NODE, name, step))

    def _drop_pod(self, step: int) -> None:
        if self._pods:
            name = self._draw(st.sampled_from(self._pods))
            self._pods.remove(name)
            self.events.append(delete(POD, name, step))

    def _add_workload(self, step: int) -> None:
        name = self._name("web")
        self._workloads.append(name)
        replicas, cpu = self._draw(st.integers(0, 4)), self._draw(CPUS)
        self.events.append(create(make_deployment(name, replicas=replicas, cpu=cpu), step))

    def _scale(self, step: int) -> None:
        if self._workloads:
            name = self._draw(st.sampled_from(self._workloads))
            change = {"spec": {"replicas": self._draw(st.integers(0, 4))}}
            self.events.append(patch(DEPLOYMENT, name, change, step))


class Replay:
    """Pods and nodes as the timeline alone tells them."""

    def __init__(self, timeline: dict[str, list[Json]]) -> None:
        self.pods: dict[str, Json] = {}
        self.nodes: dict[str, Json] = {}
        for events in timeline.values():
            for event in events:
                self._take(event)

    def _take(self, event: Json) -> None:
        told = building.pod_result(event)
        if told is not None:
            self._put(told["pod"])
            if event["operation"] == "PodPreempted":
                del self.pods[_key(told["pod"])]
        elif "delete" in event:
            operation = event["delete"]["operation"]
            objects = self._of(operation["typeMeta"]["kind"])
            if objects is not None:
                del objects[_key({"metadata": operation["objectMeta"]})]
        elif "create" in event or "patch" in event:
            self._put((event.get("create") or event["patch"])["result"])

    def _put(self, obj: Json) -> None:
        objects = self._of(obj["kind"])
        if objects is not None:
            objects[_key(obj)] = obj

    def _of(self, kind: str) -> dict[str, Json] | None:
        return {"Pod": self.pods, "Node": self.nodes}.get(kind)


def _key(obj: Json) -> str:
    metadata = obj["metadata"]
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else str(metadata["name"])
