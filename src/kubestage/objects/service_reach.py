"""From where a service is reached: what its type and policies mean for the rest of its fields."""

from __future__ import annotations

from typing import Any, Final

ON_NODES: Final = ("NodePort", "LoadBalancer")
"""The types of services with ports on every node."""


def is_externally_accessible(spec: dict[str, Any]) -> bool:
    """Whether a service is reached from outside the cluster."""
    kind = spec.get("type")
    return kind in ON_NODES or (kind == "ClusterIP" and bool(spec.get("externalIPs")))


def needs_health_check(spec: dict[str, Any]) -> bool:
    """Whether a load balancer must ask the nodes where the service's pods are."""
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"
