"""How a pod is doing, in one line."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.tables import cells

if TYPE_CHECKING:
    from kubestage.objects.tables.cells import Cell, Object

_COMPLETED: Final = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}
_GATED: Final = "SchedulingGated"


@dataclasses.dataclass(slots=True)
class _Summary:
    """What the statuses of the containers add up to."""

    reason: str
    ready: int = 0
    restarts: int = 0
    last_restart_ns: int = cells.ZERO_TIME_NS

    def count_restarts(self, status: Object) -> None:
        self.restarts += cells.number(status, "restartCount")
        terminated = cells.part(status, "lastState").get("terminated")
        if terminated is not None:
            finished_ns = cells.instant(terminated.get("finishedAt"))
            self.last_restart_ns = max(self.last_restart_ns, finished_ns)


def conditions(pod: Object) -> list[dict[str, str]]:
    """The row's own conditions: kubectl may hide pods that are done."""
    phase = cells.text(pod, "status", "phase")
    if phase not in _COMPLETED:
        return []
    message = _COMPLETED[phase]
    return [{"type": "Completed", "status": "True", "reason": phase, "message": message}]


def row(pod: Object, now_ns: int) -> list[Cell]:
    """The cells of a pod."""
    spec, status = cells.part(pod, "spec"), cells.part(pod, "status")
    sidecars = {
        container.get("name")
        for container in cells.items(spec, "initContainers")
        if container.get("restartPolicy") == "Always"
    }
    total = len(cells.items(spec, "containers")) + sum(
        container.get("restartPolicy") == "Always"
        for container in cells.items(spec, "initContainers")
    )
    summary = _summarize(spec, status, sidecars)
    restarts = str(summary.restarts)
    if summary.restarts and summary.last_restart_ns != cells.ZERO_TIME_NS:
        restarts += f" ({cells.span(now_ns - summary.last_restart_ns)} ago)"
    return [
        cells.name(pod),
        f"{summary.ready}/{total}",
        _final_reason(pod, summary.reason),
        restarts,
        cells.age(pod, now_ns),
        _ip(status) or cells.NONE,
        cells.text(spec, "nodeName") or cells.NONE,
        cells.text(status, "nominatedNodeName") or cells.NONE,
        _readiness_gates(spec, status),
    ]


def _summarize(spec: Object, status: Object, sidecars: set[Any]) -> _Summary:
    reason = cells.text(status, "reason") or cells.text(status, "phase")
    for condition in cells.items(status, "conditions"):
        if condition.get("type") == "PodScheduled" and condition.get("reason") == _GATED:
            reason = _GATED
    sidecar_summary = _Summary(reason)
    summary = _Summary(reason)
    initializing = False
    for index, container in enumerate(cells.items(status, "initContainerStatuses")):
        is_sidecar = container.get("name") in sidecars
        summary.count_restarts(container)
        if is_sidecar:
            sidecar_summary.count_restarts(container)
        state = cells.part(container, "state")
        terminated = state.get("terminated")
        if terminated is not None and not terminated.get("exitCode"):
            continue
        if is_sidecar and container.get("started"):
            summary.ready += bool(container.get("ready"))
            continue
        summary.reason = _init_reason(state, index, len(cells.items(spec, "initContainers")))
        initializing = True
        break
    if initializing and not _is_true(status, "Initialized"):
        return summary
    sidecar_summary.reason, sidecar_summary.ready = summary.reason, summary.ready
    _count_containers(status, sidecar_summary)
    return sidecar_summary


def _init_reason(state: Object, index: int, total: int) -> str:
    terminated = state.get("terminated")
    if terminated is not None:
        return f"Init:{_terminated_reason(terminated)}"
    waiting = cells.text(state, "waiting", "reason")
    if waiting and waiting != "PodInitializing":
        return f"Init:{waiting}"
    return f"Init:{index}/{total}"


def _terminated_reason(terminated: Object) -> str:
    reason = cells.text(terminated, "reason")
    if reason:
        return reason
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{cells.number(terminated, 'exitCode')}"


def _count_containers(status: Object, summary: _Summary) -> None:
    runs = False
    error = ""
    for container in reversed(cells.items(status, "containerStatuses")):
        summary.count_restarts(container)
        state = cells.part(container, "state")
        waiting = cells.text(state, "waiting", "reason")
        terminated = state.get("terminated")
        if waiting:
            summary.reason = waiting
        elif terminated is not None:
            summary.reason = _terminated_reason(terminated)
            if terminated.get("exitCode"):
                error = summary.reason
        elif container.get("ready") and state.get("running") is not None:
            runs = True
            summary.ready += 1
    if summary.reason != "Completed":
        return
    if runs and _is_ready(status):
        summary.reason = "Running"
    elif error:
        summary.reason = error
    elif runs:
        summary.reason = "NotReady"


def _is_true(status: Object, condition_type: str) -> bool:
    """Whether the first condition of that type is true."""
    for condition in cells.items(status, "conditions"):
        if condition.get("type") == condition_type:
            return bool(condition.get("status") == "True")
    return False


def _is_ready(status: Object) -> bool:
    return any(
        condition.get("type") == "Ready" and condition.get("status") == "True"
        for condition in cells.items(status, "conditions")
    )


def _final_reason(pod: Object, reason: str) -> str:
    if not cells.is_deleted(pod):
        return reason
    status = cells.part(pod, "status")
    if status.get("reason") == "NodeLost":
        return "Unknown"
    return reason if status.get("phase") in _COMPLETED else "Terminating"


def _ip(status: Object) -> str:
    """The address; the older field wins if both are set and differ."""
    addresses = cells.items(status, "podIPs")
    first = cells.text(addresses[0], "ip") if addresses else ""
    return cells.text(status, "podIP") or first


def _readiness_gates(spec: Object, status: Object) -> str:
    gates = cells.items(spec, "readinessGates")
    if not gates:
        return cells.NONE
    passed = sum(_is_true(status, gate.get("conditionType", "")) for gate in gates)
    return f"{passed}/{len(gates)}"
