"""Kinds that the API server's decoder knows beyond those it serves here.

A manifest of an old API version is refused in other words than one of a kind that never was.
"""

from __future__ import annotations

import functools
from typing import Final

from kubestage.objects import kinds, schema

# Versions that are still decoded though no longer served, with their kinds.
_OLD: Final = """
admissionregistration.k8s.io/v1alpha1 ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration ValidatingWebhookConfiguration
apps/v1beta1 Deployment StatefulSet ControllerRevision
apps/v1beta2 Deployment StatefulSet DaemonSet ReplicaSet ControllerRevision
autoscaling/v1 HorizontalPodAutoscaler
batch/v1beta1 CronJob
certificates.k8s.io/v1beta1 CertificateSigningRequest
coordination.k8s.io/v1beta1 Lease
discovery.k8s.io/v1beta1 EndpointSlice
events.k8s.io/v1 Event
events.k8s.io/v1beta1 Event
extensions/v1beta1 Deployment DaemonSet Ingress ReplicaSet NetworkPolicy
flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema PriorityLevelConfiguration
flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema PriorityLevelConfiguration
flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema PriorityLevelConfiguration
networking.k8s.io/v1beta1 Ingress IngressClass IPAddress ServiceCIDR
node.k8s.io/v1alpha1 RuntimeClass
node.k8s.io/v1beta1 RuntimeClass
policy/v1beta1 PodDisruptionBudget
rbac.authorization.k8s.io/v1alpha1 Role RoleBinding ClusterRole ClusterRoleBinding
rbac.authorization.k8s.io/v1beta1 Role RoleBinding ClusterRole ClusterRoleBinding
resource.k8s.io/v1beta1 DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice
resource.k8s.io/v1beta2 DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice
scheduling.k8s.io/v1beta1 PriorityClass
storage.k8s.io/v1alpha1 VolumeAttachment CSIStorageCapacity VolumeAttributesClass
storage.k8s.io/v1beta1 StorageClass VolumeAttachment CSIDriver CSINode CSIStorageCapacity
storage.k8s.io/v1beta1 VolumeAttributesClass
"""

# The group in which the working type of a kind lives, where it is not the group of the version.
_HOMES: Final = {
    ("extensions", "Deployment"): "apps",
    ("extensions", "DaemonSet"): "apps",
    ("extensions", "ReplicaSet"): "apps",
    ("extensions", "Ingress"): "networking.k8s.io",
    ("extensions", "NetworkPolicy"): "networking.k8s.io",
    ("events.k8s.io", "Event"): "",
}


@functools.cache
def _known() -> frozenset[tuple[str, str]]:
    served = {
        (row.api_version, kind)
        for row in kinds.BUILT_IN
        if schema.kind_struct(row.api_version, row.kind) is not None
        for kind in (row.kind, row.list_kind)
    }
    for line in _OLD.split("\n")[1:-1]:
        version, *names = line.split()
        served |= {(version, name) for name in names}
    return frozenset(served)


def is_known(api_version: str, kind: str) -> bool:
    """Whether the decoder has a type for that kind and version."""
    return (api_version, kind) in _known()


def _home(api_version: str, kind: str) -> str:
    group = api_version.rpartition("/")[0]
    return _HOMES.get((group, kind), group)


def converts(api_version: str, kind: str, to_version: str, to_kind: str) -> bool:
    """Whether both are versions of one working type."""
    return kind == to_kind and _home(api_version, kind) == _home(to_version, to_kind)


def go_package(api_version: str) -> str:
    """The name of the Go package that holds the working types of a group."""
    group = api_version.rpartition("/")[0]
    return group.partition(".")[0] or "core"
