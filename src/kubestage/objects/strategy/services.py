"""How services are prepared: a changed type drops what only the old type needed."""

from __future__ import annotations

from typing import Any, Final

_WITH_NODE_PORT: Final = ("NodePort", "LoadBalancer")


def update(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """Wipe fields that no longer apply, unless the sender changed them as well."""
    spec, before = dict(new.get("spec") or {}), old.get("spec") or {}
    kind, old_kind = spec.get("type") or "", before.get("type") or ""
    if old_kind != "ExternalName" and kind == "ExternalName":
        if _same(spec, before, "clusterIP") and _same(spec, before, "clusterIPs"):
            _drop(spec, "clusterIP", "clusterIPs")
        _drop_if_same(spec, before, "ipFamilies")
        _drop_if_same(spec, before, "ipFamilyPolicy")
    if old_kind in _WITH_NODE_PORT and kind not in _WITH_NODE_PORT:
        _drop_node_ports(spec, before)
    if _needs_health_check(before) and not _needs_health_check(spec):
        _drop_if_same(spec, before, "healthCheckNodePort")
    if old_kind == "LoadBalancer" and kind != "LoadBalancer":
        _drop_if_same(spec, before, "allocateLoadBalancerNodePorts")
        _drop_if_same(spec, before, "loadBalancerClass")
    if _is_external(before) and not _is_external(spec):
        _drop_if_same(spec, before, "externalTrafficPolicy")
    new["spec"] = spec
    if kind != "LoadBalancer":
        new["status"] = {**(new.get("status") or {}), "loadBalancer": {}}


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


def _needs_health_check(spec: dict[str, Any]) -> bool:
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def _is_external(spec: dict[str, Any]) -> bool:
    kind = spec.get("type")
    return kind in _WITH_NODE_PORT or (kind == "ClusterIP" and bool(spec.get("externalIPs")))
