"""The status of a StatefulSet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.statefulset.members import Members
    from kubestage.controllers.statefulset.revisions import Choice


_COMPARED: Final = (
    "replicas",
    "currentReplicas",
    "readyReplicas",
    "updatedReplicas",
    "availableReplicas",
    "currentRevision",
    "updateRevision",
)


def of(stateful_set: Json, members: Members, choice: Choice, replaced: int) -> Json:
    """The status of a set; pods that were just deleted to be replaced are current no more."""
    replicas = ready = available = current = updated = 0
    for health, count in members.counts.items():
        replicas += count
        if health.is_ready:
            ready += count
            if health.is_available:
                available += count
        if not health.is_terminating:
            if health.revision == choice.current:
                current += count
            if health.revision == choice.update:
                updated += count
    current -= replaced
    current_revision = choice.current
    spec = stateful_set["spec"]
    is_rolling = (spec.get("updateStrategy") or {}).get("type") == "RollingUpdate"
    if is_rolling and updated == ready == replicas == spec["replicas"]:
        current, current_revision = updated, choice.update
    counts = {
        "observedGeneration": stateful_set["metadata"].get("generation"),
        "readyReplicas": ready,
        "currentReplicas": current,
        "updatedReplicas": updated,
        "currentRevision": current_revision,
        "updateRevision": choice.update,
    }
    status: Json = {name: value for name, value in counts.items() if value}
    status["replicas"] = replicas
    status["availableReplicas"] = available
    status["collisionCount"] = choice.collision_count
    return status


def differs(new: Json, old: Json) -> bool:
    """Whether a status says anything that the one before did not."""
    if (new.get("observedGeneration") or 0) > (old.get("observedGeneration") or 0):
        return True
    return any((new.get(name) or 0) != (old.get(name) or 0) for name in _COMPARED)
