"""What a Deployment reports of its ReplicaSets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.deployment import conditions, fenceposts, replica_sets

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.deployment.rollout import Rollout


_ENOUGH: Final = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
_TOO_FEW: Final = (
    "False",
    "MinimumReplicasUnavailable",
    "Deployment does not have minimum availability.",
)


def calculate(rollout: Rollout) -> Json:
    """The status that a Deployment's ReplicaSets give it, in canonical form."""
    desired = total = ready = available = 0
    terminating: int | None = 0
    for each in rollout.all:
        desired += each["spec"].get("replicas") or 0
        reported = each.get("status") or {}
        total += reported.get("replicas") or 0
        ready += reported.get("readyReplicas") or 0
        available += reported.get("availableReplicas") or 0
        if "terminatingReplicas" in reported:
            terminating = (
                None if terminating is None else terminating + int(reported["terminatingReplicas"])
            )
        elif reported.get("observedGeneration"):
            terminating = None
    new = rollout.new
    counts = {
        "observedGeneration": rollout.deployment["metadata"]["generation"],
        "replicas": total,
        "updatedReplicas": replica_sets.reported(new, "replicas") if new is not None else 0,
        "readyReplicas": ready,
        "availableReplicas": available,
        "unavailableReplicas": max(desired - available, 0),
    }
    status: Json = {field: count for field, count in counts.items() if count}
    if terminating is not None:
        status["terminatingReplicas"] = terminating
    if "collisionCount" in rollout.status:
        status["collisionCount"] = rollout.status["collisionCount"]
    status["conditions"] = _availability(rollout, available)
    return status


def is_complete(rollout: Rollout, status: Json) -> bool:
    """Whether all desired pods are of the new template and available, and none is old."""
    desired = rollout.replicas
    return (
        (status.get("updatedReplicas") or 0) == desired
        and (status.get("replicas") or 0) == desired
        and (status.get("availableReplicas") or 0) == desired
        and (status.get("observedGeneration") or 0) >= rollout.deployment["metadata"]["generation"]
    )


def report(rollout: Rollout) -> None:
    """Write the status without the progress condition."""
    status = calculate(rollout)
    if status != rollout.status:
        rollout.record(status)


def _availability(rollout: Rollout, available: int) -> list[Json]:
    minimum = rollout.replicas - fenceposts.max_unavailable(rollout.spec)
    answer = _ENOUGH if available >= minimum else _TOO_FEW
    known = conditions.find(rollout.conditions, conditions.AVAILABLE)
    if known is not None and (known["status"], known.get("reason")) == answer[:2]:
        return rollout.conditions
    condition = conditions.new(conditions.AVAILABLE, *answer, rollout.now_unix_ns)
    return conditions.put(rollout.conditions, condition)
