"""Rollouts of workloads: when one begins, what it changes, and when it is complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json


_ROLLED_OUT: Final = frozenset({"Deployment", "StatefulSet", "DaemonSet"})
_TEMPLATE: Final = "its pod template"


def begins(old: Json | None, new: Json) -> bool:
    """Whether a change of a workload has its pods replaced."""
    if old is None or new.get("kind") not in _ROLLED_OUT:
        return False
    before, after = (each["spec"].get("template") for each in (old, new))
    return before is not after and before != after


def is_complete(obj: Json) -> bool:
    """Whether all pods of a workload are of its present template, and available."""
    status, spec = obj.get("status") or {}, obj["spec"]
    if (status.get("observedGeneration") or 0) < (obj["metadata"].get("generation") or 0):
        return False
    if obj["kind"] == "DaemonSet":
        counts = [status.get(each) or 0 for each in ("updatedNumberScheduled", "numberAvailable")]
        return min(counts) >= (status.get("desiredNumberScheduled") or 0)
    updated, there, available = (
        status.get(each) or 0 for each in ("updatedReplicas", "replicas", "availableReplicas")
    )
    replicas: int = spec.get("replicas", 1)
    if obj["kind"] == "StatefulSet":
        is_one_revision = status.get("currentRevision") == status.get("updateRevision")
        return is_one_revision and available >= replicas
    return updated >= replicas and there <= updated and available >= updated


def described(old: Json, new: Json) -> str:
    """What a rollout changes, in a few words: images, or else the template."""
    before, after = _images(old), _images(new)
    changed = [
        f"{name}: {before[name]} to {image}"
        for name, image in after.items()
        if before.get(name, image) != image
    ]
    return f"rollout of {', '.join(changed) or _TEMPLATE}"


def _images(obj: Json) -> dict[str, str]:
    pod = (obj["spec"].get("template") or {}).get("spec") or {}
    return {each["name"]: str(each.get("image")) for each in pod.get("containers") or ()}
