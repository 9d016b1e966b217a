"""Defaults of what a cluster is made of: nodes, namespaces, limits, secrets, roles, priorities."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects.defaulting import resources

_RBAC_GROUP: Final = "rbac.authorization.k8s.io"


def node(obj: dict[str, Any], given: dict[str, Any]) -> None:
    """Complete a Node: all of its capacity can be had unless an `allocatable` says otherwise.

    An `allocatable` that is there but empty counts as said.
    """
    status = obj["status"]
    capacity = status.get("capacity")
    if capacity and (given.get("status") or {}).get("allocatable") is None:
        status["allocatable"] = dict(capacity)
    resources.round_up(capacity)
    resources.round_up(status.get("allocatable"))


def namespace(obj: dict[str, Any]) -> None:
    """Complete a Namespace, which carries its own name as a label."""
    name = obj["metadata"].get("name")
    if name:
        obj["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = name
    obj["status"].setdefault("phase", "Active")


def secret(obj: dict[str, Any]) -> None:
    """Complete a Secret."""
    obj.setdefault("type", "Opaque")


def limit_range(obj: dict[str, Any]) -> None:
    """Complete a LimitRange: maxima become defaults, defaults become requests, then minima."""
    for item in obj["spec"]["limits"] or ():
        if item["type"] == "Container":
            _container_limits(item)
        for name in ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio"):
            resources.round_up(item.get(name))


def _container_limits(item: dict[str, Any]) -> None:
    limits = {**item.get("max", {}), **item.get("default", {})}
    requests = {**item.get("min", {}), **limits, **item.get("defaultRequest", {})}
    if limits:
        item["default"] = limits
    if requests:
        item["defaultRequest"] = requests


def resource_quota(obj: dict[str, Any]) -> None:
    """Complete a ResourceQuota."""
    resources.round_up(obj["spec"].get("hard"))
    resources.round_up(obj["status"].get("hard"))
    resources.round_up(obj["status"].get("used"))


def priority_class(obj: dict[str, Any]) -> None:
    """Complete a PriorityClass."""
    obj.setdefault("preemptionPolicy", "PreemptLowerPriority")


def role_binding(obj: dict[str, Any]) -> None:
    """Complete a RoleBinding or ClusterRoleBinding."""
    if not obj["roleRef"]["apiGroup"]:
        obj["roleRef"]["apiGroup"] = _RBAC_GROUP
    for subject in obj.get("subjects", ()):
        if subject["kind"] in ("User", "Group"):
            subject.setdefault("apiGroup", _RBAC_GROUP)


def custom_resource_definition(obj: dict[str, Any]) -> None:
    """Complete a CustomResourceDefinition."""
    spec, status = obj["spec"], obj["status"]
    names = spec["names"]
    if names["kind"]:
        names.setdefault("singular", names["kind"].lower())
        names.setdefault("listKind", f"{names['kind']}List")
    conversion = spec.setdefault("conversion", {"strategy": "None"})
    if not status["storedVersions"]:
        stored = [version["name"] for version in spec["versions"] or () if version["storage"]]
        status["storedVersions"] = stored[:1] or status["storedVersions"]
    client = conversion.get("webhook", {}).get("clientConfig", {})
    if "service" in client:
        client["service"].setdefault("port", 443)
