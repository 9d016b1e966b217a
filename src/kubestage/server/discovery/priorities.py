"""The priorities of groups and versions, by which clients see them in order.

They are those of the APIServices that the real server registers; a group of custom resources has
the one of all definitions, and the metrics API that of its usual manifest.
"""

from __future__ import annotations

from typing import Final

GROUPS: Final = {
    "apiregistration.k8s.io": 20001,
    "": 18000,
    "apps": 17800,
    "events.k8s.io": 17750,
    "authentication.k8s.io": 17700,
    "authorization.k8s.io": 17600,
    "autoscaling": 17500,
    "batch": 17400,
    "certificates.k8s.io": 17300,
    "networking.k8s.io": 17200,
    "policy": 17100,
    "rbac.authorization.k8s.io": 17000,
    "storage.k8s.io": 16800,
    "admissionregistration.k8s.io": 16700,
    "apiextensions.k8s.io": 16700,
    "scheduling.k8s.io": 16600,
    "coordination.k8s.io": 16500,
    "node.k8s.io": 16300,
    "discovery.k8s.io": 16200,
    "resource.k8s.io": 16200,
    "flowcontrol.apiserver.k8s.io": 16100,
    "internal.apiserver.k8s.io": 16000,
    "storagemigration.k8s.io": 15800,
}
"""The groups that Kubernetes itself has."""

CUSTOM_GROUP: Final = 1000
METRICS: Final = "metrics.k8s.io"
_METRICS_GROUP: Final = 100
_CUSTOM_VERSION: Final = 100
_STABLE, _OTHER = 15, 9
_VERSIONS: Final = {
    "/v1": 1,
    "autoscaling/v2": 30,
    "flowcontrol.apiserver.k8s.io/v1": 21,
    "resource.k8s.io/v1": 21,
}


def of_group(group: str) -> int:
    """The priority of a group that this server serves."""
    return GROUPS.get(group, _METRICS_GROUP if group == METRICS else CUSTOM_GROUP)


def of_version(group: str, version: str) -> int:
    """The priority of a version within its group."""
    if group not in GROUPS:
        return _CUSTOM_VERSION
    return _VERSIONS.get(f"{group}/{version}", _STABLE if version == "v1" else _OTHER)
