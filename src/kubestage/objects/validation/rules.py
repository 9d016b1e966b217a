"""Which rules judge which kind: one row a kind.

A row names the rule for new objects and, per subresource, the rule for changed ones. Kinds
without rules of their own are judged by their metadata alone. Most rows are
loaded when an object of theirs is judged.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import kinds
from kubestage.objects.validation import (
    claims,
    config_maps,
    disruption_budgets,
    events,
    leases,
    limit_ranges,
    metadata,
    names,
    namespace,
    node,
    persistent_volumes,
    pod,
    pod_resize,
    pod_status,
    pod_update,
    pod_update_options,
    priority_classes,
    resource_quotas,
    scenarios,
    storage_classes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from kubestage.objects.validation.field import FieldError

    Rule = Callable[[dict[str, Any]], list[FieldError]]
    UpdateRule = Callable[[dict[str, Any], dict[str, Any]], list[FieldError]]

_NAMESPACED: Final = {(row.api_version, row.kind): row.namespaced for row in kinds.BUILT_IN}

_SCENARIO: Final = ("simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1", "Scenario")

_CREATE: Final[dict[tuple[str, str], Rule]] = {
    ("v1", "Pod"): pod.validate_pod_create,
    ("v1", "Node"): node.validate_node,
    ("v1", "Namespace"): namespace.validate_namespace,
    ("v1", "ConfigMap"): config_maps.validate_config_map,
    ("v1", "Event"): events.validate_event,
    ("events.k8s.io/v1", "Event"): events.validate_new_style,
    ("v1", "LimitRange"): limit_ranges.validate_limit_range,
    ("v1", "PersistentVolume"): persistent_volumes.validate_volume,
    ("v1", "PersistentVolumeClaim"): claims.validate_claim,
    ("v1", "ResourceQuota"): resource_quotas.validate_quota,
    ("coordination.k8s.io/v1", "Lease"): leases.validate_lease,
    ("policy/v1", "PodDisruptionBudget"): disruption_budgets.validate_disruption_budget,
    ("scheduling.k8s.io/v1", "PriorityClass"): priority_classes.validate_priority_class,
    ("storage.k8s.io/v1", "StorageClass"): storage_classes.validate_storage_class,
    _SCENARIO: scenarios.validate_scenario,
}


def _pod_rule(rule: Callable[..., list[FieldError]]) -> UpdateRule:
    def judge(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
        annotations = old["metadata"].get("annotations")
        return rule(new, old, pod_update_options.for_update(old["spec"], annotations))

    return judge


def _node_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    return node.validate_node(new) + node.validate_node_update(new, old)


_UPDATE: Final[dict[tuple[str, str, str], UpdateRule]] = {
    ("v1", "Pod", ""): _pod_rule(pod_update.validate_pod_update),
    ("v1", "Pod", "status"): _pod_rule(pod_status.validate_pod_status_update),
    ("v1", "Pod", "resize"): _pod_rule(pod_resize.validate_resize),
    ("v1", "Pod", "ephemeralcontainers"): _pod_rule(
        pod_resize.validate_ephemeral_containers_update
    ),
    ("v1", "Node", ""): _node_update,
    ("v1", "Node", "status"): node.validate_node_update,
    ("v1", "Namespace", ""): namespace.validate_namespace_update,
    ("v1", "Namespace", "status"): namespace.validate_namespace_status_update,
    ("v1", "Namespace", "finalize"): namespace.validate_namespace_finalize_update,
    ("v1", "ConfigMap", ""): config_maps.validate_config_map_update,
    ("v1", "Event", ""): events.validate_event_update,
    ("events.k8s.io/v1", "Event", ""): events.validate_new_style_update,
    ("v1", "LimitRange", ""): limit_ranges.validate_limit_range_update,
    ("v1", "PersistentVolume", ""): persistent_volumes.validate_volume_update,
    ("v1", "PersistentVolume", "status"): persistent_volumes.validate_volume_status_update,
    ("v1", "PersistentVolumeClaim", ""): claims.validate_claim_update,
    ("v1", "PersistentVolumeClaim", "status"): claims.validate_claim_status_update,
    ("v1", "ResourceQuota", ""): resource_quotas.validate_quota_update,
    ("v1", "ResourceQuota", "status"): resource_quotas.validate_quota_status_update,
    ("coordination.k8s.io/v1", "Lease", ""): leases.validate_lease_update,
    ("policy/v1", "PodDisruptionBudget", ""): (
        disruption_budgets.validate_disruption_budget_update
    ),
    ("policy/v1", "PodDisruptionBudget", "status"): (
        disruption_budgets.validate_disruption_budget_status_update
    ),
    ("scheduling.k8s.io/v1", "PriorityClass", ""): (
        priority_classes.validate_priority_class_update
    ),
    ("storage.k8s.io/v1", "StorageClass", ""): storage_classes.validate_storage_class_update,
    (*_SCENARIO, ""): scenarios.validate_scenario_update,
    (*_SCENARIO, "status"): scenarios.validate_scenario_status_update,
}

# NOTE: all rules together take 15 ms to load, those of workloads a third of it.
_LATER: Final = {
    **dict.fromkeys(
        (
            "CronJob", "DaemonSet", "Deployment", "Job", "PodTemplate", "ReplicaSet",
            "ReplicationController", "StatefulSet",
        ),
        "workloads",
    ),
    "HorizontalPodAutoscaler": "horizontal_pod_autoscalers",
    **dict.fromkeys(
        (
            "CSIDriver", "CSINode", "CSIStorageCapacity", "VolumeAttachment",
            "VolumeAttributesClass",
        ),
        "storage_kinds",
    ),
    **dict.fromkeys(
        ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"), "devices.rows"
    ),
    **dict.fromkeys(
        (
            "Endpoints", "EndpointSlice", "IPAddress", "Ingress", "IngressClass", "NetworkPolicy",
            "Service", "ServiceCIDR",
        ),
        "network_kinds",
    ),
    **dict.fromkeys(
        (
            "ClusterRole", "ClusterRoleBinding", "ControllerRevision", "Role", "RoleBinding",
            "Secret",
        ),
        "access_kinds",
    ),
    **dict.fromkeys(
        (
            "APIService", "CertificateSigningRequest", "FlowSchema", "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration",
            "PriorityLevelConfiguration", "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
        ),
        "extension_kinds",
    ),
    "NodeGroup": "node_groups",
    "RuntimeClass": "runtime_classes",
    "Traffic": "traffics",
    "VerticalPodAutoscaler": "vertical_pod_autoscalers",
}  # fmt: skip


def _create_rule(key: tuple[str, str]) -> Rule | None:
    rows: Mapping[tuple[str, str], Rule] = _CREATE
    if key[1] in _LATER:
        rows = _later(key[1]).CREATE
    return rows.get(key)


def _update_rule(key: tuple[str, str], subresource: str) -> UpdateRule | None:
    rows: Mapping[tuple[str, str, str], UpdateRule] = _UPDATE
    if key[1] in _LATER:
        rows = _later(key[1]).UPDATE
    return rows.get((*key, subresource))


def _later(kind: str) -> ModuleType:
    return importlib.import_module(f"kubestage.objects.validation.{_LATER[kind]}")


def validate_create(obj: dict[str, Any], requested: str = "") -> list[FieldError]:
    """What is wrong with a new object, in the order in which the API server reports it.

    The object must be defaulted and prepared (see ``strategy``). `requested` is the apiVersion
    by whose rules it is judged, if that is not its own.
    """
    rule = _create_rule((requested or obj["apiVersion"], obj["kind"]))
    return _validate_metadata(obj) if rule is None else rule(obj)


def validate_update(
    new: dict[str, Any], old: dict[str, Any], subresource: str = "", requested: str = ""
) -> list[FieldError]:
    """What is wrong with an object that is to replace an older one; `requested` as above."""
    key = (old["apiVersion"], old["kind"])
    namespaced = _NAMESPACED.get(key, bool(old["metadata"].get("namespace")))
    meta, old_meta = new["metadata"], old["metadata"]
    errors = metadata.validate_object_meta(
        meta, namespaced, names.path_segment_name, kube_finalizers=False
    )
    errors += metadata.validate_object_meta_update(meta, old_meta, kube_finalizers=False)
    rule = _update_rule((requested or key[0], key[1]), subresource)
    if rule is not None:
        return errors + rule(new, old)
    if not subresource:
        errors += _validate_metadata(new)
    return errors + metadata.validate_object_meta_update(meta, old_meta)


def _validate_metadata(obj: dict[str, Any]) -> list[FieldError]:
    key = (obj["apiVersion"], obj["kind"])
    meta = obj["metadata"]
    namespaced = _NAMESPACED.get(key, bool(meta.get("namespace")))
    return metadata.validate_object_meta(meta, namespaced, names.name_is_dns_subdomain)
