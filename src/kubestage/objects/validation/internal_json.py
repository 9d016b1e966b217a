"""Values as the API server prints them inside messages.

The server marshals its working types, which have no JSON names: ``{"Key":"a","Value":"",...}``
with every field, zero or not. Types of the metadata package keep their JSON names.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import quantity, schema
from kubestage.objects.schema import Form
from kubestage.objects.validation.field import HTML, Rendered, json_text

if TYPE_CHECKING:
    from kubestage.aliases import Json

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


def security_context(pod_spec: Json, shown: Json | None) -> Json:
    """A pod's security context, which in the working type also holds the host flags."""
    host: Json = {
        flag[0].upper() + flag[1:]: pod_spec.get(flag, False if index < 3 else None)
        for index, flag in enumerate(_HOST_FLAGS)
    }
    return host | (shown or {})


_ZERO: Final[dict[Form, Any]] = {
    Form.STRING: "",
    Form.BOOL: False,
    Form.INTEGER: 0,
    Form.FLOAT: 0,
}
_OPAQUE_ZERO: Final[Json] = {
    "resource.Quantity": "0",
    "intstr.IntOrString": 0,
    "meta/v1.Duration": "0s",
}
_POD_SPEC: Final = "core/v1.PodSpec"
_POD_SECURITY: Final = "core/v1.PodSecurityContext"


def render(expression: str, value: Any) -> Rendered:
    """The text of a value of that type (``core/v1.Taint``, ``[]core/v1.PodIP``) in a message."""
    return Rendered(compact(tree(expression, value)))


def text(value: Any) -> Rendered:
    """The text of plain JSON, and of strings whose type has a name of its own."""
    return Rendered(compact(value))


def compact(value: Any) -> str:
    """One line of JSON, escaped as Go escapes it."""
    return json_text(value)


def indented(value: Any) -> str:
    """JSON over many lines, one space a level."""
    return json.dumps(value, indent=1, ensure_ascii=False).translate(HTML)


def tree(expression: str, value: Any) -> Any:
    """The value with the fields of the working type, in its order."""
    return _tree(schema.type_of(expression), value)


def _tree(shape: schema.Type, value: Any) -> Any:
    if value is None:
        return _zero(shape)
    form = shape.form
    if form is Form.POINTER or form is Form.LIST or form is Form.MAP:
        assert shape.element is not None
        if form is Form.POINTER:
            return _tree(shape.element, value)
        if form is Form.LIST:
            return [_tree(shape.element, item) for item in value]
        return {key: _tree(shape.element, value[key]) for key in sorted(value)}
    if form is Form.STRUCT:
        return _struct(shape.name, value)
    if shape.name == "resource.Quantity":
        return str(quantity.of(value))
    return value


def _zero(shape: schema.Type) -> Any:
    if shape.form is Form.STRUCT:
        return _struct(shape.name, {})
    if shape.form is Form.OPAQUE:
        return _OPAQUE_ZERO.get(shape.name)
    return _ZERO.get(shape.form)


def _struct(name: str, value: Json) -> Json:
    out: Json = {}
    if name.startswith("meta/v1."):
        _add_tagged(name, value, out)
        return out
    for field in fields(name):
        shape = type_of(name, field)
        if field.inline:
            out.update(_struct(shape.bare.name, value))
        elif field.go_name == "ObjectMeta":
            out.update(_struct("meta/v1.ObjectMeta", value.get("metadata") or {}))
        else:
            out[field.go_name] = _tree(shape, value.get(field.json_name))
    if name == _POD_SPEC:
        out["SecurityContext"] = security_context(
            value, out["SecurityContext"] or _struct(_POD_SECURITY, {})
        )
    return out


def _add_tagged(name: str, value: Json, out: Json) -> None:
    for field in schema.struct(name).fields:
        if field.inline:
            _add_tagged(field.type.bare.name, value, out)
            continue
        item = value.get(field.json_name)
        if not ((field.omitempty or field.omitzero) and _is_empty(field.type, item)):
            out[field.json_name] = _tree(field.type, item)


def _is_empty(shape: schema.Type, item: Any) -> bool:
    if item is None:
        return True
    return shape.form is not Form.POINTER and item in ("", 0, [], {})
