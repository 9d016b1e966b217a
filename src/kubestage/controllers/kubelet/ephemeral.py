"""Ephemeral containers: added to a pod that runs, to debug it; they never start again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.kubelet.containers import KILLED_CODE, RUNNING, Container, reason_of

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.plan import Plans
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.starting import Starting


def meet(pod: Pod, obj: Json, plans: Plans) -> list[Container]:
    """Record the ephemeral containers that a pod has; returns those that are new."""
    written = obj["spec"].get("ephemeralContainers")
    if not written or len(written) == len(pod.ephemerals):
        return []
    known = {each.plan.name for each in pod.ephemerals}
    fresh = [
        Container(plans.of_ephemeral(each, obj)) for each in written if each["name"] not in known
    ]
    pod.ephemerals = [*pod.ephemerals, *fresh]
    return fresh


def start(pod: Pod, starting: Starting) -> None:
    """Start those that have yet to be started; the pod itself must have been launched."""
    if not pod.launched or pod.is_over or pod.cause:
        return
    for each in pod.ephemerals:
        if not each.has_run and not each.is_busy and not each.reason:
            starting.attempt(pod, each)


def end(pod: Pod, stamp: str) -> None:
    """The pod is over, and so are they."""
    for each in pod.ephemerals:
        if each.state == RUNNING:
            each.end(KILLED_CODE, reason_of(KILLED_CODE), stamp, each.started_ns)


def statuses(pod: Pod) -> list[Json]:
    """Their statuses; they have no probes, so that they are never ready."""
    statuses = []
    for each in pod.ephemerals:
        status = {**each.status(), "ready": False}
        status.pop("started", None)
        statuses.append(status)
    return statuses
