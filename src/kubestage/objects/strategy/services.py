"""How services are prepared: a changed type drops what only the old type needed; and slices."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects import service_reach

_TOPOLOGY: Final = "deprecatedTopology"
_HOSTNAME: Final = "kubernetes.io/hostname"


def update(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """Wipe fields that no longer apply, unless the sender changed them as well."""
    spec, before = dict(new.get("spec") or {}), old.get("spec") or {}
    kind, old_kind = spec.get("type") or "", before.get("type") or ""
    if old_kind != "ExternalName" and kind == "ExternalName":
        if _same(spec, before, "clusterIP") and _same(spec, before, "clusterIPs"):
            _drop(spec, "clusterIP", "clusterIPs")
        _drop_if_same(spec, before, "ipFamilies")
        _drop_if_same(spec, before, "ipFamilyPolicy")
    if old_kind in service_reach.ON_NODES and kind not in service_reach.ON_NODES:
        _drop_node_ports(spec, before)
    if service_reach.needs_health_check(before) and not service_reach.needs_health_check(spec):
        _drop_if_same(spec, before, "healthCheckNodePort")
    if old_kind == "LoadBalancer" and kind != "LoadBalancer":
        _drop_if_same(spec, before, "allocateLoadBalancerNodePorts")
        _drop_if_same(spec, before, "loadBalancerClass")
    if service_reach.is_externally_accessible(
        before
    ) and not service_reach.is_externally_accessible(spec):
        _drop_if_same(spec, before, "externalTrafficPolicy")
    new["spec"] = spec
    if kind != "LoadBalancer":
        new["status"] = {**(new.get("status") or {}), "loadBalancer": {}}


def create_endpoint_slice(obj: dict[str, Any], _: str | None) -> None:
    """The old form of topology is not written any more."""
    _drop_topology(obj, frozenset())


def update_endpoint_slice(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """As on creation, but a node's name that was told the old way is kept."""
    if new.get("endpoints") != old.get("endpoints"):
        known = ((each.get(_TOPOLOGY) or {}).get(_HOSTNAME) for each in old.get("endpoints") or ())
        _drop_topology(new, frozenset(filter(None, known)))


def _drop_topology(obj: dict[str, Any], known: frozenset[str]) -> None:
    endpoints = obj.get("endpoints")
    if not endpoints or not any(_TOPOLOGY in each for each in endpoints):
        return
    kept = []
    for each in endpoints:
        endpoint = {key: value for key, value in each.items() if key != _TOPOLOGY}
        node = (each.get(_TOPOLOGY) or {}).get(_HOSTNAME)
        if node in known:
            endpoint.setdefault("nodeName", node)
        kept.append(endpoint)
    obj["endpoints"] = kept


def read_back(service: dict[str, Any]) -> dict[str, Any]:
    """A name for something outside has no traffic inside the cluster to direct."""
    spec = service.get("spec") or {}
    if spec.get("type") != "ExternalName" or "internalTrafficPolicy" not in spec:
        return service
    kept = {key: value for key, value in spec.items() if key != "internalTrafficPolicy"}
    return {**service, "spec": kept}


def _same(spec: dict[str, Any], before: dict[str, Any], key: str) -> bool:
    return bool(spec.get(key) == before.get(key))


def _drop(spec: dict[str, Any], *keys: str) -> None:
    for key in keys:
        spec.pop(key, None)


def _drop_if_same(spec: dict[str, Any], before: dict[str, Any], key: str) -> None:
    if _same(spec, before, key):
        _drop(spec, key)


def _drop_node_ports(spec: dict[str, Any], before: dict[str, Any]) -> None:
    given = {port.get("nodePort") for port in spec.get("ports") or () if port.get("nodePort")}
    known = {port.get("nodePort") for port in before.get("ports") or () if port.get("nodePort")}
    if given <= known and spec.get("ports"):
        spec["ports"] = [
            {key: value for key, value in port.items() if key != "nodePort"}
            for port in spec["ports"]
        ]
