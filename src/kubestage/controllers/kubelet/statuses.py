"""What the kubelet reports of a pod: its phase, its conditions and its containers."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.controllers.kubelet import ephemeral
from kubestage.controllers.kubelet.phases import FAILED, RUNS, SUCCEEDED
from kubestage.store.outlines import outline

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.pod import Pod


_OWN: Final = frozenset(
    {
        "PodScheduled", "Ready", "Initialized", "ContainersReady", "PodReadyToStartContainers",
        "AllContainersRestarting", "PodResizePending", "PodResizeInProgress",
    }
)  # fmt: skip
_KEPT: Final = (
    "resourceClaimStatuses", "extendedResourceClaimStatus", "nodeAllocatableResourceClaimStatuses",
)  # fmt: skip

Verdict = tuple[bool, str, str]
"""Whether a condition is met, and why in one word and in many."""

_YES: Final[Verdict] = (True, "", "")


class Since(NamedTuple):
    """Since when the conditions are as they are: what is met and the time, each."""

    sandbox: tuple[bool, str] = (False, "")
    initialized: tuple[bool, str] = (False, "")
    ready: tuple[bool, str] = (False, "")
    containers: tuple[bool, str] = (False, "")
    scheduled: str = ""


NOTHING_YET: Final = Since()

_STATUS: Final = outline(
    dict.fromkeys((
        "observedGeneration", "phase", "conditions", "hostIP", "hostIPs", "startTime",
        "containerStatuses", "qosClass",
    )),
    (
        "podIP", "podIPs", "initContainerStatuses", "ephemeralContainerStatuses",
        "allocatedResources", "resources", "reason", "message", *_KEPT,
    ),
)  # fmt: skip
_CONDITION: Final = outline(
    {"type": "", "observedGeneration": 0, "status": "", "lastProbeTime": None,
     "lastTransitionTime": ""},
    ("reason", "message"),
)  # fmt: skip
_ADDRESS: Final = outline({"ip": ""})


def build(pod: Pod, stored: Json, stamp: str) -> Json:
    """The status of a pod as it is now. `stored` is the one in the store, parts of which stay."""
    node = pod.node
    assert node is not None
    statuses = [each.status() for each in pod.containers]
    if len(statuses) > 1:
        statuses.sort(key=_name)
    status = _STATUS.copy()
    status["observedGeneration"], status["phase"] = pod.generation, pod.phase
    status["conditions"] = _all_conditions(pod, stored, stamp)
    status["hostIP"], status["hostIPs"] = node.ip, node.ips
    status["startTime"] = pod.start_time
    status["containerStatuses"] = statuses
    status["qosClass"] = pod.qos
    if pod.ip:
        status["podIP"] = pod.ip
        status["podIPs"] = _addresses(pod, stored)
    if pod.inits:
        status["initContainerStatuses"] = [each.status() for each in pod.inits]
    if pod.ephemerals:
        status["ephemeralContainerStatuses"] = ephemeral.statuses(pod)
    allocation = pod.plan.allocation
    if allocation.requests is not None:
        status["allocatedResources"] = allocation.requests
    if pod.resize is not None and pod.resize.held is not None:
        allocation = pod.resize.held.allocation
    status["resources"] = allocation.running if pod.phase == RUNS else allocation.effective
    if pod.reason:
        status["reason"] = pod.reason
    if pod.message:
        status["message"] = pod.message
    if len(stored) > 3:
        for part in _KEPT:
            if part in stored:
                status[part] = stored[part]
    return status


def _addresses(pod: Pod, stored: Json) -> list[Json]:
    """The addresses of a pod, which stay while it is there."""
    known: list[Json] | None = stored.get("podIPs")
    if known is not None and len(known) == 1 and known[0].get("ip") == pod.ip:
        return known
    address = _ADDRESS.copy()
    address["ip"] = pod.ip
    return [address]


def rejected(pod: Pod, stored: Json, reason: str, message: str) -> Json:
    """The status of a pod that its node refused; as upstream, without conditions."""
    status: Json = {
        "observedGeneration": pod.generation,
        "phase": FAILED,
        "reason": reason,
        "message": f"Pod was rejected: {message}",
        "startTime": pod.start_time,
        "qosClass": pod.qos,
    }
    others = of_others(stored.get("conditions") or ())
    if others:
        status["conditions"] = [*others]
    return status


def recall(conditions: list[Json] | None) -> Since:
    """Since when the conditions of a status are as they are."""
    if not conditions:
        return NOTHING_YET
    if len(conditions) == 1 and conditions[0]["type"] == "PodScheduled":
        return _scheduled_at(conditions[0].get("lastTransitionTime") or "")
    times = {
        each["type"]: (each["status"] == "True", each.get("lastTransitionTime") or "")
        for each in conditions
    }
    none = (False, "")
    return Since(
        times.get("PodReadyToStartContainers", none),
        times.get("Initialized", none),
        times.get("Ready", none),
        times.get("ContainersReady", none),
        times.get("PodScheduled", none)[1],
    )


@functools.lru_cache(maxsize=64)
def _scheduled_at(time: str) -> Since:
    return Since(scheduled=time)


def _name(status: Json) -> str:
    name: str = status["name"]
    return name


def of_others(conditions: Iterable[Json]) -> Sequence[Json]:
    """The conditions that are not the kubelet's to write."""
    return tuple([each for each in conditions if each["type"] not in _OWN])


def _all_conditions(pod: Pod, stored: Json, stamp: str) -> list[Json]:
    found = stored.get("conditions")
    if found is not pod.conditions:
        pod.extras = of_others(found or ())
    containers = _containers_ready(pod)
    conditions, pod.since = _conditions(
        pod.generation,
        pod.launched and not pod.is_over,
        _initialized(pod),
        _ready(pod, containers),
        containers,
        pod.since,
        stamp,
    )
    if pod.plan.may_restart_all:
        conditions = [*conditions, _restarting_all(pod, found, stamp)]
    if pod.resize is not None and not pod.is_over:
        conditions = [*pod.resize.conditions(), *conditions]
    if pod.extras:
        conditions = [*pod.extras, *conditions]
    pod.conditions = conditions
    return conditions


@functools.lru_cache(maxsize=4096)
def _conditions(
    generation: int,
    sandbox: bool,
    initialized: Verdict,
    ready: Verdict,
    containers: Verdict,
    since: Since,
    stamp: str,
) -> tuple[list[Json], Since]:
    """The conditions that pods in the same state share, and since when they hold.

    NOTE: pods that change at one moment share one list: making it costs as much as all the rest
    of a status (benchmarks/controllers.py).
    """
    conditions: list[Json] = []
    times: list[tuple[bool, str]] = []
    for kind, (met, reason, message), (was, at) in (
        ("PodReadyToStartContainers", (sandbox, "", ""), since.sandbox),
        ("Initialized", initialized, since.initialized),
        ("Ready", ready, since.ready),
        ("ContainersReady", containers, since.containers),
    ):
        time = at if at and was == met else stamp
        times.append((met, time))
        conditions.append(_condition(kind, generation, met, reason, message, time))
    scheduled = since.scheduled or stamp
    conditions.append(_condition("PodScheduled", generation, True, "", "", scheduled))
    sandboxed, inited, became_ready, containers_ready = times
    return conditions, Since(sandboxed, inited, became_ready, containers_ready, scheduled)


@functools.lru_cache(maxsize=4096)
def _condition(kind: str, generation: int, met: bool, reason: str, message: str, time: str) -> Json:
    """One condition, which all pods share that it holds for since the same second."""
    condition = _CONDITION.copy()
    condition["type"], condition["observedGeneration"] = kind, generation
    condition["status"] = "True" if met else "False"
    condition["lastTransitionTime"] = time
    if reason:
        condition["reason"] = reason
    if message:
        condition["message"] = message
    return condition


def _restarting_all(pod: Pod, found: Any, stamp: str) -> Json:
    """Whether all containers restart because one of them ended in a certain way."""
    reason = {SUCCEEDED: "PodCompleted", FAILED: "PodFailed"}.get(pod.phase, "")
    met = pod.is_resetting
    message = ""
    if met:
        reason = "RestartAllContainersStarted"
        message = "container exited with restart policy rule"
    fresh = dict(_condition("AllContainersRestarting", 0, met, reason, message, stamp))
    del fresh["observedGeneration"]
    for each in found or ():
        if each["type"] == fresh["type"] and each["status"] == fresh["status"]:
            fresh["lastTransitionTime"] = each["lastTransitionTime"]
    return fresh


def _listed(what: str, names: list[str]) -> str:
    return f"containers with {what} status: [{' '.join(names)}]"


def _containers_ready(pod: Pod) -> Verdict:
    if pod.phase == SUCCEEDED:
        return (False, "PodCompleted", "")
    if pod.phase == FAILED:
        return (False, "PodFailed", "")
    unready = [each.plan.name for each in pod.containers if not each.ready]
    if pod.inits:
        sidecars = [each for each in pod.inits if each.plan.is_sidecar]
        unready[:0] = [each.plan.name for each in sidecars if not each.ready]
    return (False, "ContainersNotReady", _listed("unready", unready)) if unready else _YES


def _ready(pod: Pod, containers: Verdict) -> Verdict:
    if not containers[0] or not pod.plan.gates:
        return containers
    met = {each["type"]: each["status"] for each in pod.extras}
    missing = [
        f'the status of pod readiness gate "{gate}" is not "True", but {met[gate]}'
        if gate in met
        else f'corresponding condition of pod readiness gate "{gate}" does not exist.'
        for gate in pod.plan.gates
        if met.get(gate) != "True"
    ]
    return (False, "ReadinessGatesNotReady", ", ".join(missing)) if missing else _YES


def _initialized(pod: Pod) -> Verdict:
    if pod.phase == SUCCEEDED:
        return (True, "PodCompleted", "")
    if not pod.inits or any(each.has_run for each in pod.containers):
        return _YES
    missing = [each.plan.name for each in pod.inits if not _is_initialized(each)]
    return (False, "ContainersNotInitialized", _listed("incomplete", missing)) if missing else _YES


def _is_initialized(container: Container) -> bool:
    return container.started if container.plan.is_sidecar else container.ready
