"""Objects that serve, scale and protect pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.testing import parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.testing.parts import Object


def make_service(
    name: str = "web",
    *,
    namespace: str = "default",
    selector: Mapping[str, str] | None = None,
    port: int = 80,
    target_port: int | str | None = None,
    service_type: str = "ClusterIP",
) -> Object:
    """A Service for the pods with app=NAME, or with the labels of `selector`."""
    spec = {
        "type": service_type,
        "selector": dict(selector or {"app": name}),
        "ports": [parts.present({"port": port, "targetPort": target_port})],
    }
    return parts.namespaced("v1", "Service", name, namespace, None, spec)


def make_horizontal_pod_autoscaler(
    name: str = "web",
    *,
    namespace: str = "default",
    target: Object | None = None,
    min_replicas: int = 1,
    max_replicas: int = 10,
    cpu_utilization: int = 80,
) -> Object:
    """An autoscaler on average CPU use, for the Deployment of its own name or for `target`."""
    scaled = target or {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}}
    utilization = {"type": "Utilization", "averageUtilization": cpu_utilization}
    spec = {
        "scaleTargetRef": {
            "apiVersion": scaled["apiVersion"],
            "kind": scaled["kind"],
            "name": scaled["metadata"]["name"],
        },
        "minReplicas": min_replicas,
        "maxReplicas": max_replicas,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": utilization}}],
    }
    api_version, kind = "autoscaling/v2", "HorizontalPodAutoscaler"
    return parts.namespaced(api_version, kind, name, namespace, None, spec)


def make_pod_disruption_budget(
    name: str = "web",
    *,
    namespace: str = "default",
    selector: Mapping[str, str] | None = None,
    min_available: int | str | None = None,
    max_unavailable: int | str | None = None,
) -> Object:
    """A budget for the pods with app=NAME, or with the labels of `selector`."""
    spec = parts.present(
        {
            "selector": {"matchLabels": dict(selector or {"app": name})},
            "minAvailable": min_available,
            "maxUnavailable": max_unavailable,
        }
    )
    return parts.namespaced("policy/v1", "PodDisruptionBudget", name, namespace, None, spec)
