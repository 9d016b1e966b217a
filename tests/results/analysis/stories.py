"""Statuses of Scenarios, told event by event."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

API_VERSION = "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1"
NO_ROOM = "0/1 nodes are available: 1 Insufficient cpu."


class Story:
    """Tells a timeline as a run would; `detail` False is a run at detail summary."""

    def __init__(self, *, detail: bool = True, uids: bool = True) -> None:
        self.timeline: dict[str, list[Json]] = {}
        self._detail = detail
        self._uids = uids
        self._step = 0
        self._made = 0
        self._tries = 0
        self._results: dict[str, Json] = {}

    def step(self, number: int) -> Story:
        """Go on with another step."""
        self._step = number
        self.timeline.setdefault(str(number), [])
        return self

    def node(self, name: str, **told: Any) -> Story:
        return self.create(make_node(name, **told))

    def pod(self, name: str, *, gated: bool = False, **told: Any) -> Story:
        pod = make_pod(name, **told)
        if gated:
            pod["spec"]["schedulingGates"] = [{"name": "example.com/wait"}]
        return self.create(pod)

    def create(self, obj: Json) -> Story:
        stored = self._stored(obj)
        if obj["kind"] == "Pod":
            self._hear_of(stored)
        return self.tell("Create", "create", {"operation": {"object": obj}, "result": stored})

    def patch(self, obj: Json) -> Story:
        """An object has become this one."""
        metadata = obj["metadata"]
        if obj["kind"] == "Pod":
            result = self._results[self._key(metadata["name"])]
            obj = {**obj, "metadata": result["pod"]["metadata"]}
            result["pod"] = obj
        operation = {**_target(obj["kind"], metadata), "patch": "{}"}
        return self.tell("Patch", "patch", {"operation": operation, "result": obj})

    def delete(self, kind: str, name: str, api_version: str = "v1") -> Story:
        operation = _target(kind, {"name": name}, api_version)
        return self.tell("Delete", "delete", {"operation": operation})

    def bind(self, name: str, node: str, **pod: Any) -> Story:
        """A pod gets a node; with keywords it is one that nobody has told of yet."""
        result = self._result(name, pod)
        self._try(result, "scheduled", node)
        result |= {"boundTo": node, "boundAt": self._step}
        spec = {**result["pod"]["spec"], "nodeName": node}
        result["pod"] = {**result["pod"], "spec": spec}
        return self.tell("PodScheduled", "podScheduled", result)

    def refuse(self, name: str, message: str = NO_ROOM, **pod: Any) -> Story:
        """A pod is tried and gets no node."""
        result = self._result(name, pod)
        self._try(result, "unschedulable", None, message)
        condition = {"type": "PodScheduled", "status": "False", "message": message}
        result["pod"] = {**result["pod"], "status": {"conditions": [condition]}}
        return self.tell("PodUnscheduled", "podUnscheduled", result)

    def preempt(self, name: str, by: str) -> Story:
        result = self._result(name, {})
        result |= {"preemptedAt": self._step, "preemptedBy": self._key(by)}
        return self.tell("PodPreempted", "podPreempted", result)

    def finish(self, name: str, phase: str = "Succeeded") -> Story:
        """A pod comes to its end."""
        result = self._results[self._key(name)]
        result["pod"] = {**result["pod"], "status": {"phase": phase}}
        patch = json.dumps({"status": {"phase": phase}})
        operation = {**_target("Pod", {"name": name}), "patch": patch}
        return self.tell("Patch", "patch", {"operation": operation, "result": result["pod"]})

    def tell(self, operation: str, field: str, told: Any) -> Story:
        """Any event."""
        self._made += 1
        event = {"id": f"{operation.lower()}-{self._made}", "step": self._step}
        event |= {"operation": operation, field: dict(told) if isinstance(told, dict) else told}
        self.timeline.setdefault(str(self._step), []).append(event)
        return self

    def status(self) -> Json:
        result = {"simulatorVersion": "0.1.0", "timeline": self.timeline}
        return {"phase": "Succeeded", "message": "", "scenarioResult": result}

    def scenario(self, name: str = "story") -> Json:
        return {
            "apiVersion": API_VERSION,
            "kind": "Scenario",
            "metadata": {"name": name},
            "spec": {"events": []},
            "status": self.status(),
        }

    def _stored(self, obj: Json) -> Json:
        if not self._uids:
            return obj
        uid = f"uid-{obj['metadata']['name']}-{self._made}"
        return {**obj, "metadata": {**obj["metadata"], "uid": uid}}

    def _hear_of(self, pod: Json) -> Json:
        key = self._key(pod["metadata"]["name"])
        result: Json = {
            "pod": pod,
            "boundTo": None,
            "preemptedBy": None,
            "createdAt": self._step,
            "boundAt": None,
            "preemptedAt": None,
            "scheduleResult": [],
        }
        self._results[key] = result
        return result

    def _result(self, name: str, pod: Json) -> Json:
        if pod or self._key(name) not in self._results:
            return self._hear_of(self._stored(make_pod(name, **pod)))
        return self._results[self._key(name)]

    def _try(self, result: Json, outcome: str, node: str | None, message: str = "") -> None:
        if not self._detail:
            return
        self._tries += 1
        attempt = {
            "step": self._step,
            "attempt": self._tries,
            "result": outcome,
            "profile": result["pod"]["spec"].get("schedulerName", "default-scheduler"),
            "evaluatedNodes": 2,
            "feasibleNodes": 1 if node else 0,
        }
        attempt |= {"node": node} if node else {"message": message}
        result["scheduleResult"] = [*result["scheduleResult"], attempt]

    @staticmethod
    def _key(name: str) -> str:
        return name if "/" in name else f"default/{name}"


def _target(kind: str, metadata: Json, api_version: str = "v1") -> Json:
    namespace = {} if kind == "Node" else {"namespace": metadata.get("namespace", "default")}
    return {
        "typeMeta": {"apiVersion": api_version, "kind": kind},
        "objectMeta": {"name": metadata["name"], **namespace},
    }


def rivalry() -> Story:
    """Two nodes over three steps: room for all, then a rival, then one who has to wait."""
    story = Story().step(1).node("a", cpu="2", memory="4Gi").node("b", cpu="2", memory="4Gi")
    story.pod("web", cpu="1", memory="1Gi").bind("web", "a")
    story.pod("batch", cpu="2", memory="1Gi").bind("batch", "b")
    story.step(2).pod("db", cpu="2", memory="2Gi", priority=100)
    story.preempt("batch", by="db").bind("db", "b")
    story.pod("big", cpu="2", memory="1Gi").refuse("big")
    story.step(3).refuse("big").pod("small", cpu="500m", memory="3Gi").bind("small", "a")
    return story
