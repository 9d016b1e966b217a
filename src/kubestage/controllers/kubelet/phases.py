"""The phase of a pod, as the states of its containers decide it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet.containers import RUNNING, TERMINATED

if TYPE_CHECKING:
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.pod import Pod


PENDING: Final = "Pending"
RUNS: Final = "Running"
SUCCEEDED: Final = "Succeeded"
FAILED: Final = "Failed"
RESTARTING_ALL: Final = "RestartingAllContainers"


def phase_of(pod: Pod, *, is_over: bool = False) -> str:
    """The phase; `is_over` if nothing of the pod is going to start again."""
    if pod.inits:
        before = _of_inits(pod)
        if before is not None:
            return before
    running = any(each.state == RUNNING for each in pod.inits if each.plan.is_sidecar)
    stopped = stays = failed = 0
    for each in pod.containers:
        if each.state == RUNNING:
            running = True
            continue
        end = _last_end(each)
        if end is None:
            return PENDING
        stopped += 1
        code, reason = end
        stays += not _restarts(each, code, reason)
        failed += code != 0 or each.state != TERMINATED
    if running:
        return RUNS
    if not is_over and stays < stopped:
        return RUNS
    return FAILED if failed else SUCCEEDED


def _of_inits(pod: Pod) -> str | None:
    """What the init containers make of the phase; None if they leave it to the others."""
    pending = False
    was_initialized = any(each.has_run for each in pod.containers)
    for each in pod.inits:
        end = _last_end(each)
        if each.plan.is_sidecar:
            if each.state == RUNNING:
                pending |= not each.started and not was_initialized
            elif end is None:
                pending = True
        elif each.state == RUNNING or end is None:
            pending = True
        elif end[0] != 0 and not _restarts(each, *end):
            return FAILED
    return PENDING if pending else None


def _last_end(container: Container) -> tuple[int, str] | None:
    """How a container that does not run has ended, if it ever ran."""
    if container.state == TERMINATED:
        return container.exit_code, container.reason
    if container.last is not None:
        return container.last["exitCode"], container.last.get("reason") or ""
    return None


def _restarts(container: Container, code: int, reason: str) -> bool:
    return reason == RESTARTING_ALL or container.plan.restart.restarts(code)
