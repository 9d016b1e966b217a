"""Small scenarios with a status, written down by hand, and the record of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.results.run_record import RunRecord
from kubestage.scheduler.record import Decision
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json


API_VERSION = "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1"
NO_ROOM = "0/1 nodes are available: 1 Insufficient cpu."


def created(step: int, obj: Json, identity: str = "") -> Json:
    name = identity or f"make-{obj['metadata']['name']}"
    told = {"operation": {"object": obj}, "result": obj}
    return {"id": name, "step": step, "operation": "Create", "create": told}


def deleted(step: int, kind: str, name: str, namespace: str | None = None) -> Json:
    meta = {"name": name} if namespace is None else {"name": name, "namespace": namespace}
    operation = {"typeMeta": {"apiVersion": "v1", "kind": kind}, "objectMeta": meta}
    told = {"operation": operation}
    return {"id": f"end-{name}", "step": step, "operation": "Delete", "delete": told}


def done(step: int) -> Json:
    return {
        "id": "the-end",
        "step": step,
        "operation": "Done",
        "done": {"operation": {"done": True}},
    }


def pod_event(step: int, operation: str, pod: Json, attempts: list[Json], **told: Any) -> Json:
    """PodScheduled, PodUnscheduled or PodPreempted."""
    field = operation[0].lower() + operation[1:]
    node = told.get("boundTo")
    spec = {**pod["spec"], "nodeName": node} if node else pod["spec"]
    result = {
        "pod": {**pod, "spec": spec},
        "boundTo": None,
        "preemptedBy": None,
        "createdAt": 0,
        "boundAt": None,
        "preemptedAt": None,
        "scheduleResult": attempts,
    }
    identity = f"{operation.lower()}-{pod['metadata']['name']}-{step}"
    return {"id": identity, "step": step, "operation": operation, field: result | told}


def attempt(number: int, step: int, node: str = "", message: str = "") -> Json:
    result = "scheduled" if node else "unschedulable"
    told: Json = {"step": step, "attempt": number, "result": result, "profile": "default-scheduler"}
    return told | ({"node": node} if node else {"message": message}) | {
        "evaluatedNodes": 1,
        "feasibleNodes": 1 if node else 0,
    }  # fmt: skip


def scenario(
    timeline: dict[str, list[Json]], name: str = "story", phase: str = "Succeeded"
) -> Json:
    last = max((int(step) for step in timeline), default=0)
    return {
        "apiVersion": API_VERSION,
        "kind": "Scenario",
        "metadata": {"name": name},
        "spec": {"events": []},
        "status": {
            "phase": phase,
            "message": "",
            "schedulerStatus": "Stoped",
            "stepStatus": {"step": last, "phase": "Finished"},
            "step": last,
            "scenarioResult": {"simulatorVersion": "0.1.0", "timeline": timeline},
        },
    }


def rivalry() -> Json:
    """One node, a pod that gets it, a stronger one that takes it, a third that stays pending."""
    node = make_node("n1", cpu="1")
    weak, strong, late = (
        make_pod(name, cpu="1", priority=priority)
        for name, priority in (("weak", 0), ("strong", 10), ("late", 0))
    )
    placed = attempt(1, 0, "n1")
    refused, taken = attempt(2, 1, message=NO_ROOM), attempt(3, 1, "n1")
    refused["preemption"] = {"nominatedNode": "n1", "victims": ["default/weak"]}
    too_late = attempt(4, 1, message=NO_ROOM)
    gone = {"boundTo": "n1", "boundAt": 0, "preemptedBy": "default/strong", "preemptedAt": 1}
    return scenario(
        {
            "0": [
                created(0, node),
                created(0, weak),
                pod_event(0, "PodScheduled", weak, [placed], boundTo="n1", boundAt=0),
            ],
            "1": [
                created(1, strong),
                created(1, late),
                pod_event(1, "PodPreempted", weak, [placed], **gone),
                pod_event(
                    1, "PodScheduled", strong, [refused, taken],
                    createdAt=1, boundTo="n1", boundAt=1,
                ),
                pod_event(1, "PodUnscheduled", late, [too_late], createdAt=1),
            ],
            "2": [done(2)],
        }
    )  # fmt: skip


def story(number: int) -> Json:
    """The full explanation of an attempt at the rivalry."""
    fits = number in (1, 3)
    verdict = "passed" if fits else {"code": "Unschedulable", "reasons": ["Insufficient cpu"]}
    told: Json = {
        "pod": "default/any",
        "feasible": ["n1"] if fits else [],
        "filter": {"n1": {"NodeName": "passed", "NodeResourcesFit": verdict}},
    }
    if fits:
        told["score"] = {"n1": {"ImageLocality": {"raw": 7, "normalized": 50, "final": number}}}
    return told


def write_record(path: pathlib.Path, obj: Json, detailed: bool = True) -> None:
    """The record that a run with this status would have left."""
    with RunRecord(path, {"scenario": obj["metadata"]["name"]}) as record:
        seen: set[int] = set()
        for step, events in obj["status"]["scenarioResult"]["timeline"].items():
            for event in events:
                _tell_attempts(record, event, seen, detailed)
                record.event(int(step), event)
            record.step_finished(int(step), int(step) * 1_000)


def _tell_attempts(record: RunRecord, event: Json, seen: set[int], detailed: bool) -> None:
    operation = event["operation"]
    result = event.get(operation[0].lower() + operation[1:])
    if not result or "scheduleResult" not in result:
        return
    pod = result["pod"]["metadata"]
    for each in result["scheduleResult"]:
        if each["attempt"] in seen:
            continue
        seen.add(each["attempt"])
        row = Decision(
            each["attempt"], 10 * each["attempt"], f"{pod['namespace']}/{pod['name']}",
            each["profile"], each["result"], each.get("node", ""), each["evaluatedNodes"],
            each["feasibleNodes"], each.get("message", ""),
        )  # fmt: skip
        told = story(each["attempt"]) if detailed else None
        record.attempt(each["step"], row, f"uid-{pod['name']}", told)
