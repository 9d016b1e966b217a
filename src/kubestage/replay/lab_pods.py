"""What the kubelet of the recordings writes into the status of a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json

_STARTED: Final = ("PodReadyToStartContainers", "Initialized")
_READINESS: Final = ("Ready", "ContainersReady")
_STEP_NS: Final = 1_000_000_000

TERMINATED_EXIT_CODE: Final = 143


def annotation(pod: Json, name: str) -> str | None:
    """How a pod states that it behaves."""
    found: str | None = (pod["metadata"].get("annotations") or {}).get(f"lab/{name}")
    return found


def exit_code(pod: Json) -> int | None:
    """With what the pod's container will end by itself; None if it runs on."""
    metadata = pod["metadata"]
    index = (metadata.get("annotations") or {}).get("batch.kubernetes.io/job-completion-index")
    failure = int(annotation(pod, "exit-code") or 1)
    if index is not None and index in (annotation(pod, "fail-indexes") or "").split(","):
        return failure
    if index is not None and index in (annotation(pod, "complete-indexes") or "").split(","):
        return 0
    if annotation(pod, "fail") is not None:
        return failure
    return 0 if annotation(pod, "complete") is not None else None


def exits_after_ns(pod: Json) -> int:
    """How long the pod's container runs before it ends by itself."""
    return round(float(annotation(pod, "after") or 0.2) * _STEP_NS)


def running(pod: Json, at: str, address: str) -> Json:
    """The status of a pod that has just started."""
    is_ready = annotation(pod, "never-ready") is None
    names = [each["name"] for each in pod["spec"]["containers"]]
    status = {
        **(pod.get("status") or {}),
        "phase": "Running",
        "hostIP": "192.0.2.1",
        "podIP": address,
        "podIPs": [{"ip": address}],
        "startTime": at,
        "containerStatuses": [_container(pod, each, at, is_ready) for each in names],
    }
    fresh = [_condition(kind, "True", at) for kind in _STARTED]
    for kind in _READINESS:
        if is_ready:
            fresh.append(_condition(kind, "True", at))
        else:
            message = f"containers with unready status: [{' '.join(names)}]"
            fresh.append(_condition(kind, "False", at, "ContainersNotReady", message))
    return with_conditions(status, *fresh)


def _container(pod: Json, name: str, at: str, is_ready: bool) -> Json:
    found: Json = {
        "name": name,
        "state": {"running": {"startedAt": at}},
        "lastState": {},
        "ready": is_ready,
        "restartCount": int(annotation(pod, "restarts") or 0),
        "image": next(each["image"] for each in pod["spec"]["containers"] if each["name"] == name),
        "imageID": "",
        "started": True,
    }
    return found


def ended(pod: Json, at: str, code: int) -> Json:
    """The status of a pod whose container has ended."""
    before = pod.get("status") or {}
    reason = "PodFailed" if code else "PodCompleted"
    ending = {"exitCode": code, "reason": "Error" if code else "Completed", "finishedAt": at}
    known = before.get("containerStatuses") or [
        _container(pod, each["name"], at, is_ready=False) for each in pod["spec"]["containers"]
    ]
    status = {
        **before,
        "phase": "Failed" if code else "Succeeded",
        "containerStatuses": [
            {**each, "ready": False, "started": False, "state": {"terminated": ending}}
            for each in known
        ],
    }
    fresh = [_condition(kind, "False", at, reason) for kind in _READINESS]
    if annotation(pod, "disrupted") is not None and code != TERMINATED_EXIT_CODE:
        fresh.append(_condition("DisruptionTarget", "True", at, "TerminationByKubelet", "lab"))
    return with_conditions(status, *fresh)


def flipped(pod: Json, at: str, is_ready: bool) -> Json:
    """The status of a pod whose readiness is set by hand: its message stays."""
    status: Json = pod.get("status") or {}
    fresh = []
    for kind in _READINESS:
        words: Json = next(
            (each for each in status.get("conditions") or () if each["type"] == kind), {}
        )
        reason = "" if is_ready else "ContainersNotReady"
        new = _condition(kind, "True" if is_ready else "False", at, reason)
        if "message" in words:
            new["message"] = words["message"]
        fresh.append(new)
    known = status.get("containerStatuses") or ()
    containers = [{**each, "ready": is_ready} for each in known]
    return with_conditions({**status, "containerStatuses": containers}, *fresh)


def with_conditions(status: Json, *fresh: Json) -> Json:
    """A status with conditions replaced, in their places, or added."""
    new = {each["type"]: each for each in fresh}
    updated = [new.pop(each["type"], each) for each in status.get("conditions") or ()]
    return {**status, "conditions": [*updated, *new.values()]}


def _condition(kind: str, status: str, at: str, reason: str = "", message: str = "") -> Json:
    found: Json = {
        "type": kind,
        "status": status,
        "lastProbeTime": None,
        "lastTransitionTime": at,
    }
    if reason:
        found["reason"] = reason
    if message:
        found["message"] = message
    return found
