"""What the API server fills in before it stores an object: the versioned defaults of v1.36.

Belongs here: rules that look at one object only, one file a theme, in the words of the API.
Not here: admission (priorities, service accounts, limit ranges), which looks at other objects,
and validation, which changes nothing.

The functions of the theme files complete a normalized object in place. They rely on its shape:
an optional field that is empty is absent, a mandatory one is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import schema, shape
from kubestage.objects.defaulting import (
    autoscaling,
    batch,
    cluster,
    devices,
    extensions,
    network,
    pod,
    round_trip,
    simulation,
    storage,
    volumes,
    workloads,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Complete = Callable[[dict[str, Any]], None]
    CompleteFromInput = Callable[[dict[str, Any], dict[str, Any], str | None], None]

_RBAC: Final = "rbac.authorization.k8s.io/v1"
_ADMISSION: Final = "admissionregistration.k8s.io/v1"
_FLOWS: Final = "flowcontrol.apiserver.k8s.io/v1"

_DEFAULTS: Final[dict[tuple[str, str], Complete]] = {
    ("v1", "Namespace"): cluster.namespace,
    ("v1", "Pod"): pod.pod,
    ("v1", "PodTemplate"): pod.pod_template,
    ("v1", "ReplicationController"): workloads.replication_controller,
    ("v1", "Service"): network.service,
    ("v1", "Endpoints"): network.endpoints,
    ("v1", "Secret"): cluster.secret,
    ("v1", "LimitRange"): cluster.limit_range,
    ("v1", "ResourceQuota"): cluster.resource_quota,
    ("v1", "PersistentVolumeClaim"): volumes.persistent_volume_claim,
    ("apps/v1", "Deployment"): workloads.deployment,
    ("apps/v1", "ReplicaSet"): workloads.replica_set,
    ("apps/v1", "StatefulSet"): workloads.stateful_set,
    ("apps/v1", "DaemonSet"): workloads.daemon_set,
    ("autoscaling/v1", "HorizontalPodAutoscaler"): autoscaling.horizontal_pod_autoscaler_v1,
    ("batch/v1", "Job"): batch.job,
    ("batch/v1", "CronJob"): batch.cron_job,
    ("scheduling.k8s.io/v1", "PriorityClass"): cluster.priority_class,
    ("storage.k8s.io/v1", "StorageClass"): storage.storage_class,
    ("storage.k8s.io/v1", "CSIDriver"): storage.csi_driver,
    ("storage.k8s.io/v1", "VolumeAttachment"): storage.volume_attachment,
    ("resource.k8s.io/v1", "ResourceClaim"): devices.resource_claim,
    ("resource.k8s.io/v1", "ResourceClaimTemplate"): devices.resource_claim_template,
    ("discovery.k8s.io/v1", "EndpointSlice"): network.endpoint_slice,
    ("networking.k8s.io/v1", "IngressClass"): network.ingress_class,
    ("networking.k8s.io/v1", "NetworkPolicy"): network.network_policy,
    (_RBAC, "RoleBinding"): cluster.role_binding,
    (_RBAC, "ClusterRoleBinding"): cluster.role_binding,
    (_ADMISSION, "MutatingAdmissionPolicy"): extensions.policy,
    (_ADMISSION, "MutatingAdmissionPolicyBinding"): extensions.policy_binding,
    (_ADMISSION, "MutatingWebhookConfiguration"): extensions.mutating_webhooks,
    (_ADMISSION, "ValidatingAdmissionPolicy"): extensions.policy,
    (_ADMISSION, "ValidatingAdmissionPolicyBinding"): extensions.policy_binding,
    (_ADMISSION, "ValidatingWebhookConfiguration"): extensions.validating_webhooks,
    (_FLOWS, "FlowSchema"): extensions.flow_schema,
    (_FLOWS, "PriorityLevelConfiguration"): extensions.priority_level,
    ("apiregistration.k8s.io/v1", "APIService"): extensions.api_service,
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): cluster.custom_resource_definition,
    ("simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1", "Scenario"): simulation.scenario,
}
# Kinds whose defaults also depend on how the object was written, or on the time of day.
_DEFAULTS_FROM_INPUT: Final[dict[tuple[str, str], CompleteFromInput]] = {
    ("v1", "Node"): lambda obj, given, _now: cluster.node(obj, given),
    ("v1", "PersistentVolume"): lambda obj, given, _now: volumes.persistent_volume(obj, given),
    ("autoscaling/v2", "HorizontalPodAutoscaler"): lambda obj, given, _now: (
        autoscaling.horizontal_pod_autoscaler(obj, given)
    ),
    ("resource.k8s.io/v1", "ResourceSlice"): lambda obj, _given, now: devices.resource_slice(
        obj, now
    ),
}
# Declared in the type table, yet served as custom resources: stored as they were sent, but for
# what their webhook adds.
_CUSTOM: Final[dict[tuple[str, str], Complete | None]] = {
    ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler"): autoscaling.vertical_pod_autoscaler,
    ("autoscaling.k8s.io/v1", "VerticalPodAutoscalerCheckpoint"): None,
}


def default(obj: dict[str, Any], *, now: str | None = None) -> dict[str, Any]:
    """A fresh, normalized object with the API's defaults; `obj` is left alone.

    `now` (RFC 3339) dates what is dated on arrival: the taints of devices. InputError names the
    path of a value that its field cannot hold.
    """
    kind = (obj.get("apiVersion") or "", obj.get("kind") or "")
    if kind in _CUSTOM:
        copied: dict[str, Any] = _with_metadata(shape.copy_json(obj))
        finish = _CUSTOM[kind]
        if finish is not None:
            finish(copied)
        return copied
    shaped = shape.normalize(obj)
    if schema.kind_struct(*kind) is None:
        shaped = _with_metadata(shaped)
    complete = _DEFAULTS.get(kind)
    if complete is not None:
        complete(shaped)
    elif kind in _DEFAULTS_FROM_INPUT:
        _DEFAULTS_FROM_INPUT[kind](shaped, obj, now)
    return shaped


def _with_metadata(obj: dict[str, Any]) -> dict[str, Any]:
    """An object whose metadata has its shape, though the rest of it is kept as it was sent."""
    metadata = obj.get("metadata")
    if isinstance(metadata, dict):
        obj["metadata"] = shape.normalize(metadata, schema.struct("meta/v1.ObjectMeta"))
    return obj


def stored(obj: dict[str, Any], *, now: str | None = None) -> dict[str, Any]:
    """What a server would return for `obj`: its defaults, and both spellings of old fields."""
    completed = default(obj, now=now)
    finish = round_trip.BY_KIND.get((obj.get("apiVersion") or "", obj.get("kind") or ""))
    if finish is not None:
        finish(completed)
    return completed
