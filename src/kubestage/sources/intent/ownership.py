"""Objects that controllers have made, and deletions that follow from something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.ownership import controller_of

if TYPE_CHECKING:
    from kubestage.aliases import Json

# Controllers that kubestage has; what others make is replayed as it was.
_SIMULATED: Final = frozenset({
    "CronJob", "DaemonSet", "Deployment", "Job", "Node", "ReplicaSet", "ReplicationController",
    "StatefulSet",
})  # fmt: skip
_PROVISIONED: Final = "pv.kubernetes.io/provisioned-by"


def reason(obj: Json) -> str | None:
    """Why an object, and all that happens to it, follows from another one."""
    owner = controller_of(obj)
    if owner is not None and owner.get("kind") in _SIMULATED:
        return "made by a controller"
    kind, metadata = obj["kind"], obj["metadata"]
    notes = metadata.get("annotations") or {}
    if kind == "PersistentVolume" and _PROVISIONED in notes:
        return "provisioned for a claim"
    if kind == "PersistentVolumeClaim" and metadata.get("ownerReferences"):
        return "made by a controller"
    if kind == "ConfigMap" and metadata["name"] == "kube-root-ca.crt":
        return "written by controllers"
    if kind == "ServiceAccount" and metadata["name"] == "default":
        return "written by controllers"
    return None


def pod_reason(old: Json, new: Json | None) -> str | None:
    """The same for a change of a pod: one that ended or was disrupted is deleted by that."""
    found = reason(old)
    if found is not None or new is not None:
        return found
    condition = pods.condition(old.get("status"), "DisruptionTarget")
    return None if condition is None else "evicted, preempted, or its node was lost"


def targets(autoscaler: Json, obj: Json) -> bool:
    """Whether an autoscaler scales an object."""
    spec, metadata = autoscaler.get("spec") or {}, obj["metadata"]
    target = spec.get("scaleTargetRef") or {}
    is_here = autoscaler["metadata"].get("namespace") == metadata.get("namespace")
    return is_here and (target.get("kind"), target.get("name")) == (obj["kind"], metadata["name"])
