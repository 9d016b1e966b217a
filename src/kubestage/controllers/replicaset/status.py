"""What a ReplicaSet reports of its pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.replicaset.pod_counter import Counts


REPLICA_FAILURE: Final = "ReplicaFailure"


def report(
    owner: Json, counts: Counts, failure: str | None, now_unix_ns: int, *, terminating: bool
) -> Json:
    """The status of an owner whose pods were counted before anything was done about them.

    `failure` is the error of creating or deleting pods. `terminating` is whether pods that are
    about to go are reported, which a ReplicationController does not.
    """
    status: Json = {"replicas": counts.replicas}
    if counts.fully_labeled:
        status["fullyLabeledReplicas"] = counts.fully_labeled
    if counts.ready:
        status["readyReplicas"] = counts.ready
    if counts.available:
        status["availableReplicas"] = counts.available
    if terminating:
        status["terminatingReplicas"] = counts.terminating
    status["observedGeneration"] = owner["metadata"]["generation"]
    conditions = _conditions(owner, counts, failure, now_unix_ns)
    if conditions:
        status["conditions"] = conditions
    return status


def _conditions(owner: Json, counts: Counts, failure: str | None, now_unix_ns: int) -> list[Json]:
    was = owner.get("status") or {}
    conditions: list[Json] = was.get("conditions") or []
    known = pods.condition(was, REPLICA_FAILURE)
    if failure is not None and known is None:
        condition = {
            "type": REPLICA_FAILURE,
            "status": "True",
            "lastTransitionTime": timestamps.format_time(now_unix_ns),
        }
        reason = _reason(counts.replicas - (owner["spec"].get("replicas") or 0))
        if reason:
            condition["reason"] = reason
        if failure:
            condition["message"] = failure
        return [*conditions, condition]
    if failure is None and known is not None:
        return [each for each in conditions if each["type"] != REPLICA_FAILURE]
    return conditions


def _reason(excess: int) -> str:
    if excess < 0:
        return "FailedCreate"
    return "FailedDelete" if excess else ""
