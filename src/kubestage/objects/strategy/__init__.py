"""What the API server does to an object before it validates and stores it.

Here belongs how each kind is prepared: generation, status kept apart from spec, fields that only
the server may set. What is right or wrong belongs to ``validation``, defaults to ``defaulting``.

Objects come in defaulted; what comes out is new, shares what did not change, and the input is
never touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality, kinds, schema
from kubestage.objects.strategy import (
    cluster,
    devices,
    empty_lists,
    extensions,
    pods,
    services,
    status,
    storage,
    workloads,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Key = tuple[str, str]
    Create = Callable[[dict[str, Any], str | None], None]
    Update = Callable[[dict[str, Any], dict[str, Any], str | None], None]

_KINDS: Final = {(row.api_version, row.kind): row for row in kinds.BUILT_IN}
_ADMISSION: Final = "admissionregistration.k8s.io/v1"
_FLOWS: Final = "flowcontrol.apiserver.k8s.io/v1"
_CERTIFICATE: Final = ("certificates.k8s.io/v1", "CertificateSigningRequest")
_API_SERVICE: Final = ("apiregistration.k8s.io/v1", "APIService")
_DELETION: Final = ("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")
_SYSTEM: Final = ("creationTimestamp", "uid", *_DELETION)

# Which parts of an object, when changed, make a new generation of it.
_COUNTED: Final[dict[Key, tuple[str, ...]]] = {
    ("v1", "Pod"): ("spec",),
    ("v1", "ReplicationController"): ("spec",),
    ("v1", "PodTemplate"): ("template",),
    ("apps/v1", "Deployment"): ("spec",),
    ("apps/v1", "ReplicaSet"): ("spec",),
    ("apps/v1", "StatefulSet"): ("spec",),
    ("apps/v1", "DaemonSet"): ("spec",),
    ("batch/v1", "Job"): ("spec",),
    ("batch/v1", "CronJob"): ("spec",),
    ("policy/v1", "PodDisruptionBudget"): ("spec",),
    ("scheduling.k8s.io/v1", "PriorityClass"): (),
    ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler"): ("spec",),
    ("autoscaling.k8s.io/v1", "VerticalPodAutoscalerCheckpoint"): ("spec", "status"),
    ("storage.k8s.io/v1", "CSIDriver"): ("spec",),
    ("resource.k8s.io/v1", "DeviceClass"): ("spec",),
    ("resource.k8s.io/v1", "ResourceSlice"): ("spec",),
    ("discovery.k8s.io/v1", "EndpointSlice"): ("addressType", "endpoints", "ports"),
    ("networking.k8s.io/v1", "Ingress"): ("spec",),
    ("networking.k8s.io/v1", "IngressClass"): ("spec",),
    ("networking.k8s.io/v1", "NetworkPolicy"): ("spec",),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): ("spec",),
    (_ADMISSION, "MutatingAdmissionPolicy"): ("spec",),
    (_ADMISSION, "MutatingAdmissionPolicyBinding"): ("spec",),
    (_ADMISSION, "MutatingWebhookConfiguration"): ("webhooks",),
    (_ADMISSION, "ValidatingAdmissionPolicy"): ("spec",),
    (_ADMISSION, "ValidatingAdmissionPolicyBinding"): ("spec",),
    (_ADMISSION, "ValidatingWebhookConfiguration"): ("webhooks",),
    (_FLOWS, "FlowSchema"): ("spec",),
    (_FLOWS, "PriorityLevelConfiguration"): ("spec",),
}
# Counted from the first change on only.
_UNCOUNTED_AT_FIRST: Final = ("storage.k8s.io/v1", "CSIDriver")
# Metadata that counts as well.
_COUNTED_METADATA: Final[dict[Key, str]] = {
    ("apps/v1", "Deployment"): "annotations",
    ("discovery.k8s.io/v1", "EndpointSlice"): "labels",
}

# Kinds that can only be updated by those who say which version they have seen.
_CONDITIONAL: Final[frozenset[Key]] = frozenset(
    {
        ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler"),
        ("autoscaling.k8s.io/v1", "VerticalPodAutoscalerCheckpoint"),
        ("coordination.k8s.io/v1", "Lease"),
        ("node.k8s.io/v1", "RuntimeClass"),
        ("policy/v1", "PodDisruptionBudget"),
        ("storage.k8s.io/v1", "CSIDriver"),
        ("storage.k8s.io/v1", "CSINode"),
        ("storage.k8s.io/v1", "CSIStorageCapacity"),
        ("storage.k8s.io/v1", "VolumeAttachment"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        _API_SERVICE,
        (_ADMISSION, "MutatingAdmissionPolicy"),
        (_ADMISSION, "MutatingAdmissionPolicyBinding"),
        (_ADMISSION, "MutatingWebhookConfiguration"),
        (_ADMISSION, "ValidatingAdmissionPolicy"),
        (_ADMISSION, "ValidatingAdmissionPolicyBinding"),
        (_ADMISSION, "ValidatingWebhookConfiguration"),
    }
)

_CREATE: Final[dict[Key, Create]] = {
    ("v1", "Pod"): pods.create,
    ("v1", "Namespace"): cluster.create_namespace,
    ("v1", "Node"): cluster.create_node,
    ("v1", "PersistentVolume"): storage.create_volume,
    ("v1", "PersistentVolumeClaim"): storage.create_claim,
    ("v1", "ReplicationController"): workloads.create,
    ("v1", "PodTemplate"): workloads.create,
    ("v1", "ServiceAccount"): cluster.clean_service_account,
    ("apps/v1", "Deployment"): workloads.create,
    ("apps/v1", "ReplicaSet"): workloads.create,
    ("apps/v1", "StatefulSet"): workloads.create_stateful_set,
    ("apps/v1", "DaemonSet"): workloads.create_daemon_set,
    ("batch/v1", "Job"): workloads.create_job,
    ("batch/v1", "CronJob"): workloads.create,
    ("coordination.k8s.io/v1", "Lease"): cluster.create_lease,
    ("discovery.k8s.io/v1", "EndpointSlice"): services.create_endpoint_slice,
    _API_SERVICE: extensions.create_api_service,
    ("storage.k8s.io/v1", "CSIDriver"): storage.create_driver,
    ("resource.k8s.io/v1", "ResourceSlice"): devices.create_slice,
}
_UPDATE: Final[dict[tuple[str, str, str], Update]] = {
    ("v1", "Pod", ""): pods.update,
    ("v1", "Pod", "status"): pods.update_status,
    ("v1", "Pod", "resize"): pods.update_resize,
    ("v1", "Pod", "ephemeralcontainers"): pods.update_ephemeral_containers,
    ("v1", "Namespace", ""): cluster.update_namespace,
    ("v1", "Node", ""): cluster.update_node,
    ("v1", "Node", "status"): cluster.update_node_status,
    ("v1", "Service", ""): services.update,
    ("v1", "PersistentVolumeClaim", ""): storage.update_claim,
    ("v1", "PersistentVolume", "status"): storage.update_volume_status,
    ("v1", "Secret", ""): cluster.update_secret,
    ("v1", "ServiceAccount", ""): cluster.update_service_account,
    ("v1", "ReplicationController", ""): workloads.update,
    ("v1", "PodTemplate", ""): workloads.update,
    ("apps/v1", "Deployment", ""): workloads.update,
    ("apps/v1", "Deployment", "status"): workloads.update_deployment_status,
    ("apps/v1", "ReplicaSet", ""): workloads.update,
    ("apps/v1", "StatefulSet", ""): workloads.update_stateful_set,
    ("apps/v1", "DaemonSet", ""): workloads.update_daemon_set,
    ("batch/v1", "Job", ""): workloads.update,
    ("batch/v1", "CronJob", ""): workloads.update,
    ("coordination.k8s.io/v1", "Lease", ""): cluster.update_lease,
    ("discovery.k8s.io/v1", "EndpointSlice", ""): services.update_endpoint_slice,
    ("networking.k8s.io/v1", "ServiceCIDR", "status"): extensions.reset_metadata,
    (*_API_SERVICE, "status"): extensions.reset_metadata,
    (*_CERTIFICATE, ""): extensions.update_request,
    (*_CERTIFICATE, "status"): extensions.update_request_status,
    (*_CERTIFICATE, "approval"): extensions.update_request_approval,
    (_ADMISSION, "ValidatingAdmissionPolicy", "status"): extensions.reset_metadata,
    (_FLOWS, "FlowSchema", "status"): extensions.reset_metadata,
    (_FLOWS, "PriorityLevelConfiguration", "status"): extensions.reset_metadata,
    ("storage.k8s.io/v1", "CSIDriver", ""): storage.update_driver,
    ("storage.k8s.io/v1", "VolumeAttachment", "status"): storage.update_attachment_status,
    ("resource.k8s.io/v1", "ResourceClaim", "status"): devices.update_claim_status,
    ("resource.k8s.io/v1", "ResourceSlice", ""): devices.update_slice,
}

_READ_BACK: Final[dict[Key, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    ("v1", "PersistentVolumeClaim"): storage.read_back_claim,
    ("v1", "Service"): services.read_back,
    ("batch/v1", "Job"): workloads.read_back_job,
}


def wipe_system_fields(obj: dict[str, Any]) -> dict[str, Any]:
    """The object without the metadata that only the server writes, as a request may send it."""
    meta = {key: value for key, value in obj["metadata"].items() if key not in _SYSTEM}
    return {**obj, "metadata": meta}


def prepare_for_create(obj: dict[str, Any], *, now: str | None = None) -> dict[str, Any]:
    """The object as it will be validated and stored.

    `now` dates what is dated on arrival; without it the object's own creationTimestamp does.
    """
    key = (obj["apiVersion"], obj["kind"])
    meta = {name: value for name, value in obj["metadata"].items() if name not in _DELETION}
    out = {**obj, "metadata": meta}
    row = _KINDS.get(key)
    is_custom = schema.kind_struct(*key) is None
    if is_custom or (key in _COUNTED and key != _UNCOUNTED_AT_FIRST):
        meta["generation"] = 1
    if row is not None and "status" in row.subresources and key != ("v1", "Node"):
        status.clear(out)
    hook = _CREATE.get(key)
    if hook is not None:
        hook(out, now or meta.get("creationTimestamp"))
    return out


def prepare_for_update(
    new: dict[str, Any], old: dict[str, Any], subresource: str = "", *, now: str | None = None
) -> dict[str, Any]:
    """The new object with what this request may not change taken from the old one."""
    key = (old["apiVersion"], old["kind"])
    meta = dict(new["metadata"])
    out = {**new, "metadata": meta}
    _copy(meta, old["metadata"], "generation")
    if not meta.get("resourceVersion") and allows_unconditional_update(*key):
        _copy(meta, old["metadata"], "resourceVersion")
    if subresource == "status":
        status.keep_all_but_status(out, old)
    elif subresource != "approval" and (key not in _KINDS or "status" in _KINDS[key].subresources):
        status.keep(out, old)
    hook = _UPDATE.get((*key, subresource))
    if hook is not None:
        hook(out, old, now)
    if subresource != "status" and _is_new_generation(key, out, old):
        out["metadata"]["generation"] = (old["metadata"].get("generation") or 0) + 1
    _keep_identity(out["metadata"], old["metadata"])
    return out


def allows_unconditional_update(api_version: str, kind: str) -> bool:
    """Whether an update without a resourceVersion means "whatever is there"."""
    key = (api_version, kind)
    return key in _KINDS and schema.kind_struct(*key) is not None and key not in _CONDITIONAL


def canonicalize(obj: dict[str, Any]) -> dict[str, Any]:
    """The last touch, after validation: a namespace carries its name as a label."""
    if (obj["apiVersion"], obj["kind"]) != ("v1", "Namespace"):
        return obj
    meta = obj["metadata"]
    labels = {**(meta.get("labels") or {}), "kubernetes.io/metadata.name": meta.get("name") or ""}
    return {**obj, "metadata": {**meta, "labels": labels}}


def stored(obj: dict[str, Any]) -> dict[str, Any]:
    """The object as it is stored and answered, after validation.

    A server answers with what it reads back, and reading fills in defaults once more.
    """
    read_back = _READ_BACK.get((obj["apiVersion"], obj["kind"]))
    obj = empty_lists.read_back(obj)
    return canonicalize(obj) if read_back is None else read_back(obj)


def _is_new_generation(key: Key, new: dict[str, Any], old: dict[str, Any]) -> bool:
    struct = schema.kind_struct(*key)
    if struct is None:
        # A custom resource: everything but metadata and status counts.
        parts = (new.keys() | old.keys()) - {"metadata", "status", "apiVersion", "kind"}
        return any(new.get(part) != old.get(part) for part in parts)
    for part in _COUNTED.get(key, ()):
        shape = struct.by_json[part].type.name
        if not equality.semantic_equal(shape, new.get(part), old.get(part)):
            return True
    counted = _COUNTED_METADATA.get(key)
    if counted is None:
        return False
    return (new["metadata"].get(counted) or {}) != (old["metadata"].get(counted) or {})


def _keep_identity(meta: dict[str, Any], old: dict[str, Any]) -> None:
    """An update never changes when an object was made, and that it is being deleted."""
    if not meta.get("uid"):
        _copy(meta, old, "uid")
    for key in ("creationTimestamp", "deletionTimestamp"):
        if old.get(key):
            meta[key] = old[key]
    if meta.get("deletionGracePeriodSeconds") is None:
        _copy(meta, old, "deletionGracePeriodSeconds")


def _copy(meta: dict[str, Any], old: dict[str, Any], key: str) -> None:
    if key in old:
        meta[key] = old[key]
    else:
        meta.pop(key, None)
