"""When a loop of the registry has something to do; cheap enough for every change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.disruption_target import DISRUPTION_TARGET
from kubestage.controllers.volumes.pods_by_claim import claims_of

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster
    from kubestage.controllers.lazy_controller import GroupKind

_POD: Final = ("", "Pod")
_JOB: Final = ("batch", "Job")


def has_root_ca(cluster: Cluster) -> bool:
    """Whether there is a certificate to publish in namespaces."""
    return bool(cluster.settings.root_ca_cert) or is_served(cluster)


def is_served(cluster: Cluster) -> bool:
    """Whether the cluster has an API server, so that clients expect what goes with one."""
    return cluster.store.bootstrap is not None


def has_job(kind: GroupKind, obj: Json) -> bool:
    """Jobs, and pods that a Job owns or that have a finalizer."""
    metadata = obj["metadata"]
    if kind == _JOB or metadata.get("finalizers"):
        return True
    owners = metadata.get("ownerReferences")
    return bool(owners) and "Job" in [owner.get("kind") for owner in owners]


def has_claims(kind: GroupKind, obj: Json) -> bool:
    """Claims and volumes, and pods that name claims."""
    return kind != _POD or ("volumes" in obj["spec"] and any(True for _ in claims_of(obj)))


def is_by_others(_: GroupKind, obj: Json) -> bool:
    """Endpoints that other clients write, and that are mirrored."""
    labels = obj["metadata"].get("labels") or {}
    if labels.get("endpointslice.kubernetes.io/skip-mirror") == "true":
        return False
    return labels.get("endpoints.kubernetes.io/managed-by") != "endpoint-controller"


def has_resource_claims(kind: GroupKind, obj: Json) -> bool:
    """ResourceClaims, and pods that have some or will have some."""
    return kind != _POD or (
        "resourceClaims" in obj["spec"]
        or "extendedResourceClaimStatus" in (obj.get("status") or ())
    )


def has_disruption(kind: GroupKind, obj: Json) -> bool:
    """Budgets, and pods with the DisruptionTarget condition, which may have to be withdrawn."""
    return kind != _POD or pods.condition(obj.get("status"), DISRUPTION_TARGET) is not None


def is_aggregated(_: GroupKind, obj: Json) -> bool:
    """Roles that are made up of others."""
    return obj.get("aggregationRule") is not None


def leads_to_pods(_: GroupKind, obj: Json) -> bool:
    """All Services and Endpoints but those of the API server."""
    metadata = obj["metadata"]
    return (metadata["namespace"], metadata["name"]) != ("default", "kubernetes")
