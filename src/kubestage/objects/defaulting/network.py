"""Defaults of what connects pods: services, endpoints, policies, ingress classes."""

from __future__ import annotations

from typing import Any, Final

_STICKY_SECONDS: Final = 3 * 60 * 60
_INTERNAL: Final = ("ClusterIP", "NodePort", "LoadBalancer")


def service(obj: dict[str, Any]) -> None:
    """Complete a Service."""
    spec = obj["spec"]
    _session_affinity(spec)
    kind = spec.setdefault("type", "ClusterIP")
    for port in spec.get("ports", ()):
        port.setdefault("protocol", "TCP")
        if port["targetPort"] in (0, ""):
            port["targetPort"] = port["port"]
    if kind in ("NodePort", "LoadBalancer") or (kind == "ClusterIP" and "externalIPs" in spec):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if kind in _INTERNAL:
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if kind == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)
        for ingress in obj["status"]["loadBalancer"].get("ingress", ()):
            if "ip" in ingress:
                ingress.setdefault("ipMode", "VIP")


def _session_affinity(spec: dict[str, Any]) -> None:
    affinity = spec.setdefault("sessionAffinity", "None")
    if affinity == "None":
        spec.pop("sessionAffinityConfig", None)
    elif affinity == "ClientIP":
        client = spec.get("sessionAffinityConfig", {}).get("clientIP", {})
        if "timeoutSeconds" not in client:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": _STICKY_SECONDS}}


def endpoints(obj: dict[str, Any]) -> None:
    """Complete an Endpoints object."""
    for subset in obj.get("subsets", ()):
        for port in subset.get("ports", ()):
            port.setdefault("protocol", "TCP")


def endpoint_slice(obj: dict[str, Any]) -> None:
    """Complete an EndpointSlice."""
    for port in obj["ports"] or ():
        port.setdefault("name", "")
        port.setdefault("protocol", "TCP")


def network_policy(obj: dict[str, Any]) -> None:
    """Complete a NetworkPolicy; what it governs follows from the rules it has."""
    spec = obj["spec"]
    if "policyTypes" not in spec:
        spec["policyTypes"] = ["Ingress", "Egress"] if "egress" in spec else ["Ingress"]
    for direction in ("ingress", "egress"):
        for rule in spec.get(direction, ()):
            for port in rule.get("ports", ()):
                port.setdefault("protocol", "TCP")


def ingress_class(obj: dict[str, Any]) -> None:
    """Complete an IngressClass."""
    parameters = obj["spec"].get("parameters")
    if parameters is not None and parameters["scope"] is None:
        parameters["scope"] = "Cluster"
