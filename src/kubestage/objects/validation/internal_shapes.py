"""Where the API server's working types differ from the v1 types that people write.

Messages that repeat a whole struct show the working type: another order of fields, some fields
in other places, some values where v1 has pointers. Only the structs that differ are listed.
"""

from __future__ import annotations

import functools
from typing import Any, Final

from kubestage.objects import schema

_ORDERS: Final = {
    "core/v1.VolumeSource": (
        "HostPath EmptyDir GCEPersistentDisk AWSElasticBlockStore GitRepo Secret NFS ISCSI "
        "Glusterfs PersistentVolumeClaim RBD Quobyte FlexVolume Cinder CephFS Flocker "
        "DownwardAPI FC AzureFile ConfigMap VsphereVolume AzureDisk PhotonPersistentDisk "
        "Projected PortworxVolume ScaleIO StorageOS CSI Ephemeral Image"
    ),
    "core/v1.PersistentVolumeSource": (
        "GCEPersistentDisk AWSElasticBlockStore HostPath Glusterfs NFS RBD Quobyte ISCSI "
        "FlexVolume Cinder CephFS FC Flocker AzureFile VsphereVolume AzureDisk "
        "PhotonPersistentDisk PortworxVolume ScaleIO Local StorageOS CSI"
    ),
    "core/v1.PodSpec": (
        "Volumes InitContainers Containers EphemeralContainers RestartPolicy "
        "TerminationGracePeriodSeconds ActiveDeadlineSeconds DNSPolicy NodeSelector "
        "ServiceAccountName AutomountServiceAccountToken NodeName SecurityContext "
        "ImagePullSecrets Hostname Subdomain SetHostnameAsFQDN Affinity SchedulerName "
        "Tolerations HostAliases PriorityClassName Priority PreemptionPolicy DNSConfig "
        "ReadinessGates RuntimeClassName Overhead EnableServiceLinks "
        "TopologySpreadConstraints OS SchedulingGates ResourceClaims Resources "
        "HostnameOverride SchedulingGroup"
    ),
    "core/v1.PodSecurityContext": (
        "SELinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups "
        "SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls SeccompProfile "
        "AppArmorProfile SELinuxChangePolicy"
    ),
    "core/v1.NodeSpec": (
        "PodCIDRs ProviderID Unschedulable Taints ConfigSource DoNotUseExternalID"
    ),
    "core/v1.ServiceSpec": (
        "Type Ports Selector ClusterIP ClusterIPs IPFamilies IPFamilyPolicy ExternalName "
        "ExternalIPs LoadBalancerIP SessionAffinity SessionAffinityConfig "
        "LoadBalancerSourceRanges ExternalTrafficPolicy HealthCheckNodePort "
        "PublishNotReadyAddresses AllocateLoadBalancerNodePorts LoadBalancerClass "
        "InternalTrafficPolicy TrafficDistribution"
    ),
    "batch/v1.JobSpec": (
        "Parallelism Completions PodFailurePolicy SuccessPolicy ActiveDeadlineSeconds "
        "BackoffLimit BackoffLimitPerIndex MaxFailedIndexes Selector ManualSelector Template "
        "TTLSecondsAfterFinished CompletionMode Suspend PodReplacementPolicy ManagedBy"
    ),
    "autoscaling/v2.ContainerResourceMetricSource": "Name Container Target",
}

_VALUES: Final = frozenset(
    {
        ("core/v1.ServiceAccountTokenProjection", "ExpirationSeconds"),
        ("apps/v1.RollingUpdateStatefulSetStrategy", "Partition"),
        ("apps/v1.StatefulSetSpec", "Replicas"),
        ("apps/v1.ReplicaSetSpec", "Replicas"),
        ("apps/v1.RollingUpdateDeployment", "MaxUnavailable"),
        ("apps/v1.RollingUpdateDeployment", "MaxSurge"),
        ("apps/v1.RollingUpdateDaemonSet", "MaxUnavailable"),
        ("apps/v1.RollingUpdateDaemonSet", "MaxSurge"),
    }
)

_HOST_FLAGS: Final = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")


@functools.cache
def fields(name: str) -> tuple[schema.Field, ...]:
    """The fields of the working type of a v1 struct, in its order."""
    declared = schema.struct(name).fields
    order = _ORDERS.get(name)
    if order is None:
        return declared
    by_name = {field.go_name: field for field in declared}
    return tuple(by_name[go_name] for go_name in order.split())


@functools.cache
def type_of(name: str, field: schema.Field) -> schema.Type:
    """The type that a field has in the working type."""
    if (name, field.go_name) in _VALUES:
        return field.type.bare
    return field.type


def security_context(pod_spec: dict[str, Any], shown: dict[str, Any] | None) -> dict[str, Any]:
    """A pod's security context, which in the working type also holds the host flags."""
    host: dict[str, Any] = {
        flag[0].upper() + flag[1:]: pod_spec.get(flag, False if index < 3 else None)
        for index, flag in enumerate(_HOST_FLAGS)
    }
    return host | (shown or {})
