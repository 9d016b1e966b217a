"""Carries a preemption out: marks and deletes victims, withdraws nominations of lower priority."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import errors
from kubestage.objects import timestamps
from kubestage.scheduler.preemption.report import KEY

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Handle
    from kubestage.scheduler.preemption.candidates import Candidate


DISRUPTION_TARGET: Final = "DisruptionTarget"
BY_SCHEDULER: Final = "PreemptionByScheduler"


class Executor:
    """Knows for which pods a preemption is under way.

    The real scheduler evicts the victims in parallel to its cycles and holds the preemptor back
    until the last of them is being deleted. Here all is done at once, so that is so only while
    the changes are being made.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._under_way: dict[str, PodView | None] = {}

    def holds_back(self, pod: PodView) -> bool:
        """Whether a pod should wait because its victims are still being evicted."""
        if pod.uid not in self._under_way:
            return False
        last = self._under_way[pod.uid]
        if last is None:
            return True
        found = self._handle.lister.get("v1", "Pod", last.name, last.namespace)
        return found is not None and not found["metadata"].get("deletionTimestamp")

    def carry_out(self, candidate: Candidate, preemptor: PodView) -> str:
        """Make the changes; returns why that failed, or nothing.

        Pods that are being deleted already are left alone. After a failure no event may come that
        brings the preemptor back, so it is tried again at once.
        """
        victims = [victim for victim in candidate.victims if victim.deletion_ns is None]
        if not victims:
            return ""
        self._under_way[preemptor.uid] = None
        try:
            failure = self._withdraw_nominations(candidate.node_name, preemptor)
            for victim in victims:
                if victim is victims[-1]:
                    self._under_way[preemptor.uid] = victim
                self._evict(victim, candidate.node_name, preemptor)
        except errors.ApiError as refusal:
            failure = refusal.message
        finally:
            del self._under_way[preemptor.uid]
        if failure and self._handle.activate is not None:
            self._handle.activate([preemptor])
        return failure

    def _withdraw_nominations(self, node_name: str, preemptor: PodView) -> str:
        """Withdraw the nominations of pods of lower priority, which are tried again at once."""
        failure = ""
        for pod in self._handle.nominator.on(node_name):
            if pod.priority < preemptor.priority and pod.nominated_node_name:
                try:
                    self._handle.client.patch_status(pod, {"nominatedNodeName": None})
                except errors.ApiError as refusal:
                    failure = failure or refusal.message
        return failure

    def _evict(self, victim: PodView, node_name: str, preemptor: PodView) -> None:
        note = f"Preempted by pod {preemptor.uid} on node {node_name}"
        waiting = self._handle.waiting.get(victim.uid)
        if waiting is not None and waiting.preempt(KEY, "preempted"):
            # It has not been bound yet, so it goes back to the queue.
            note += " (in kube-scheduler memory)."
        elif not self._delete(victim, preemptor.scheduler_name):
            return
        profile = self._handle.profile
        by = preemptor.scheduler_name if profile is None else profile.name
        self._handle.client.event(victim.raw, "Normal", "Preempted", "Preempting", note, by)

    def _delete(self, victim: PodView, scheduler_name: str) -> bool:
        """Mark a pod and delete it; False if it is gone already."""
        client, conditions = (
            self._handle.client,
            _marked(victim, scheduler_name, self._handle.now_ns()),
        )
        try:
            if conditions is not None:
                client.patch_status(victim, {"conditions": conditions})
            client.delete_pod(victim)
        except errors.NotFound:
            return False
        return True


def is_evicted(pod: PodView) -> bool:
    """Whether a pod is on its way out because of a preemption."""
    if pod.deletion_ns is None:
        return False
    for condition in _conditions(pod):
        if condition.get("type") == DISRUPTION_TARGET:
            by_scheduler = condition.get("reason") == BY_SCHEDULER
            return condition.get("status") == "True" and by_scheduler
    return False


def _marked(victim: PodView, scheduler_name: str, now_ns: int | None) -> list[Json] | None:
    """The victim's conditions with its reason for disruption; None if it is there already."""
    mark: Json = {"type": DISRUPTION_TARGET}
    if now_ns is not None:
        mark["lastTransitionTime"] = timestamps.format_time(now_ns)
    generation = (victim.raw.get("metadata") or {}).get("generation")
    if generation:
        mark["observedGeneration"] = generation
    mark |= {
        "status": "True",
        "lastProbeTime": None,
        "reason": BY_SCHEDULER,
        "message": f"{scheduler_name}: preempting to accommodate a higher priority pod",
    }
    conditions = _conditions(victim)
    for at, condition in enumerate(conditions):
        if condition.get("type") == DISRUPTION_TARGET:
            if condition.get("status") == "True":
                mark |= {"lastTransitionTime": condition.get("lastTransitionTime")}
            compared = ("status", "reason", "message", "lastTransitionTime")
            if all(condition.get(key) == mark.get(key) for key in compared):
                return None
            return [*conditions[:at], mark, *conditions[at + 1 :]]
    return [*conditions, mark]


def _conditions(pod: PodView) -> list[Json]:
    return list((pod.raw.get("status") or {}).get("conditions") or ())
