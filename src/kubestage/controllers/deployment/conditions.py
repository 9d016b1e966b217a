"""The conditions of a Deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json


AVAILABLE: Final = "Available"
PROGRESSING: Final = "Progressing"
REPLICA_FAILURE: Final = "ReplicaFailure"

REPLICA_SET_UPDATED: Final = "ReplicaSetUpdated"
FAILED_CREATE: Final = "ReplicaSetCreateError"
NEW_REPLICA_SET: Final = "NewReplicaSetCreated"
FOUND_NEW: Final = "FoundNewReplicaSet"
NEW_AVAILABLE: Final = "NewReplicaSetAvailable"
TIMED_OUT: Final = "ProgressDeadlineExceeded"
PAUSED: Final = "DeploymentPaused"
RESUMED: Final = "DeploymentResumed"


def new(kind: str, status: str, reason: str, message: str, now_unix_ns: int) -> Json:
    """A condition of now."""
    now = timestamps.format_time(now_unix_ns)
    return {
        "type": kind,
        "status": status,
        "lastUpdateTime": now,
        "lastTransitionTime": now,
        "reason": reason,
        "message": message,
    }


def find(conditions: Sequence[Json], kind: str) -> Json | None:
    """The condition of a type."""
    for each in conditions:
        if each["type"] == kind:
            return each
    return None


def without(conditions: Sequence[Json], kind: str) -> list[Json]:
    """All but the condition of a type."""
    return [each for each in conditions if each["type"] != kind]


def put(conditions: Sequence[Json], condition: Json) -> list[Json]:
    """With a condition, last; one of the same status and reason stays as it is."""
    known = find(conditions, condition["type"])
    if known is not None and known["status"] == condition["status"]:
        if known.get("reason") == condition.get("reason"):
            return list(conditions)
        condition = {**condition, "lastTransitionTime": known["lastTransitionTime"]}
    return [*without(conditions, condition["type"]), condition]
