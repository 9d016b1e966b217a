"""Which function prints which kind."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import timestamps
from kubestage.objects.tables import (
    autoscaling,
    cells,
    cluster,
    custom,
    events,
    extensions,
    network,
    node,
    pod,
    storage,
    workloads,
)
from kubestage.objects.tables.cells import Cell, Object
from kubestage.objects.tables.columns import PLAIN, built_in
from kubestage.objects.tables.row import Row

if TYPE_CHECKING:
    from kubestage.objects.tables.columns import Column

Print = Callable[[Object, int], list[Cell]]

_RBAC: Final = "rbac.authorization.k8s.io/v1"
_STORAGE: Final = "storage.k8s.io/v1"
_DEVICES: Final = "resource.k8s.io/v1"
_NETWORK: Final = "networking.k8s.io/v1"
_ADMISSION: Final = "admissionregistration.k8s.io/v1"
_FLOWS: Final = "flowcontrol.apiserver.k8s.io/v1"
_PRINT: Final[dict[tuple[str, str], Print]] = {
    ("v1", "Namespace"): cluster.namespace,
    ("v1", "Node"): node.row,
    ("v1", "Pod"): pod.row,
    ("v1", "Service"): network.service,
    ("v1", "Endpoints"): network.endpoints,
    ("v1", "ConfigMap"): cluster.config_map,
    ("v1", "Secret"): cluster.secret,
    ("v1", "ServiceAccount"): cluster.name_and_age,
    ("v1", "Event"): events.event,
    ("v1", "ResourceQuota"): cluster.resource_quota,
    ("v1", "PersistentVolume"): storage.persistent_volume,
    ("v1", "PersistentVolumeClaim"): storage.persistent_volume_claim,
    ("v1", "ReplicationController"): workloads.replication_controller,
    ("v1", "PodTemplate"): workloads.pod_template,
    ("apps/v1", "Deployment"): workloads.deployment,
    ("apps/v1", "ReplicaSet"): workloads.replica_set,
    ("apps/v1", "StatefulSet"): workloads.stateful_set,
    ("apps/v1", "DaemonSet"): workloads.daemon_set,
    ("apps/v1", "ControllerRevision"): workloads.controller_revision,
    ("batch/v1", "Job"): workloads.job,
    ("batch/v1", "CronJob"): workloads.cron_job,
    ("autoscaling/v1", "Scale"): autoscaling.scale,
    ("autoscaling/v2", "HorizontalPodAutoscaler"): autoscaling.horizontal_pod_autoscaler,
    ("policy/v1", "PodDisruptionBudget"): workloads.pod_disruption_budget,
    ("scheduling.k8s.io/v1", "PriorityClass"): cluster.priority_class,
    (_STORAGE, "StorageClass"): storage.storage_class,
    (_STORAGE, "CSINode"): storage.csi_node,
    (_STORAGE, "CSIDriver"): storage.csi_driver,
    (_STORAGE, "CSIStorageCapacity"): storage.csi_storage_capacity,
    (_STORAGE, "VolumeAttachment"): storage.volume_attachment,
    (_STORAGE, "VolumeAttributesClass"): storage.volume_attributes_class,
    (_DEVICES, "DeviceClass"): cluster.name_and_age,
    (_DEVICES, "ResourceClaim"): cluster.resource_claim,
    (_DEVICES, "ResourceClaimTemplate"): cluster.name_and_age,
    (_DEVICES, "ResourceSlice"): cluster.resource_slice,
    ("coordination.k8s.io/v1", "Lease"): cluster.lease,
    ("discovery.k8s.io/v1", "EndpointSlice"): network.endpoint_slice,
    ("events.k8s.io/v1", "Event"): events.new_event,
    (_NETWORK, "Ingress"): network.ingress,
    (_NETWORK, "IngressClass"): network.ingress_class,
    (_NETWORK, "NetworkPolicy"): network.network_policy,
    (_NETWORK, "IPAddress"): extensions.ip_address,
    (_NETWORK, "ServiceCIDR"): extensions.service_cidr,
    (_ADMISSION, "MutatingAdmissionPolicy"): extensions.mutating_policy,
    (_ADMISSION, "MutatingAdmissionPolicyBinding"): extensions.policy_binding,
    (_ADMISSION, "MutatingWebhookConfiguration"): extensions.webhooks,
    (_ADMISSION, "ValidatingAdmissionPolicy"): extensions.validating_policy,
    (_ADMISSION, "ValidatingAdmissionPolicyBinding"): extensions.policy_binding,
    (_ADMISSION, "ValidatingWebhookConfiguration"): extensions.webhooks,
    ("apiregistration.k8s.io/v1", "APIService"): extensions.api_service,
    ("certificates.k8s.io/v1", "CertificateSigningRequest"): extensions.certificate_request,
    (_FLOWS, "FlowSchema"): extensions.flow_schema,
    (_FLOWS, "PriorityLevelConfiguration"): extensions.priority_level,
    ("node.k8s.io/v1", "RuntimeClass"): cluster.runtime_class,
    (_RBAC, "RoleBinding"): cluster.role_binding,
    (_RBAC, "ClusterRoleBinding"): cluster.role_binding,
}
# Built-in kinds that the API shows with their name and date of creation only.
_PLAIN: Final = frozenset(
    {
        ("v1", "LimitRange"),
        (_RBAC, "Role"),
        (_RBAC, "ClusterRole"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    }
)


# Kinds that have a printer of their own, which the API server does not use.
UNUSED: Final = frozenset({(_STORAGE, "CSIStorageCapacity")})


class Printer(msgspec.Struct, frozen=True):
    """How one kind becomes a table."""

    columns: tuple[Column, ...]
    cells: Print

    def row(self, obj: Object, now_ns: int) -> Row:
        """One object's row."""
        conditions = pod.conditions(obj) if self.cells is pod.row else []
        return Row(self.cells(obj, now_ns), conditions, obj)


def _plain(obj: Object, _now_ns: int) -> list[Cell]:
    created_ns = cells.instant(cells.part(obj, "metadata").get("creationTimestamp"))
    return [cells.name(obj), timestamps.format_time(created_ns)]


@functools.cache
def _built_in(api_version: str, kind: str) -> Printer | None:
    found = _PRINT.get((api_version, kind))
    if found is not None:
        return Printer(built_in()[api_version, kind], found)
    if (api_version, kind) in _PLAIN:
        return Printer(PLAIN, _plain)
    return None


def served(api_version: str, kind: str, version: dict[str, Any] | None = None) -> Printer:
    """The printer that the API server uses for a kind."""
    if (api_version, kind) in UNUSED:
        return Printer(PLAIN, _plain)
    return of(api_version, kind, version)


def of(api_version: str, kind: str, version: dict[str, Any] | None = None) -> Printer:
    """The printer of a kind; `version` is the entry of its CustomResourceDefinition, if any."""
    known = _built_in(api_version, kind)
    if known is not None:
        return known
    defined = custom.OWN.get((api_version, kind)) if version is None else None
    defined = custom.definitions(version) if defined is None else defined
    return Printer(custom.columns(defined), functools.partial(custom.row, defined))
