"""How namespaces, nodes and small kinds are prepared."""

from __future__ import annotations

from typing import Any, Final

_LEASE_FIELDS: Final = ("strategy", "preferredHolder")


def create_namespace(namespace: dict[str, Any], _: str | None) -> None:
    """A new namespace is active, and Kubernetes itself must let go of it in the end."""
    namespace["status"] = {"phase": "Active"}
    spec = namespace.get("spec") or {}
    finalizers = spec.get("finalizers") or []
    if "kubernetes" not in finalizers:
        namespace["spec"] = {**spec, "finalizers": [*finalizers, "kubernetes"]}


def update_namespace(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """Finalizers of the spec change only through their own subresource."""
    _take(new, old, "spec", "finalizers")


def create_node(node: dict[str, Any], _: str | None) -> None:
    """A kubelet registers its node with status; only dynamic configuration is gone for good."""
    _drop(node, "spec", "configSource")
    _drop(node, "status", "config")


def update_node(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """Dynamic configuration stays only where it was."""
    if (old.get("spec") or {}).get("configSource") is None:
        _drop(new, "spec", "configSource")


def update_node_status(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """Dynamic configuration stays only where it was."""
    if (old.get("status") or {}).get("config") is None:
        _drop(new, "status", "config")


def update_secret(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """A secret keeps its type when an update does not say it."""
    if not new.get("type") and old.get("type"):
        new["type"] = old["type"]


def clean_service_account(account: dict[str, Any], _: str | None) -> None:
    """References to secrets are names, nothing more."""
    if account.get("secrets"):
        account["secrets"] = [
            {"name": secret["name"]} if secret.get("name") else {} for secret in account["secrets"]
        ]


def update_service_account(new: dict[str, Any], _: dict[str, Any], now: str | None) -> None:
    """As on creation."""
    clean_service_account(new, now)


def create_lease(lease: dict[str, Any], _: str | None) -> None:
    """Coordinated leader election is off: its fields are dropped."""
    for key in _LEASE_FIELDS:
        _drop(lease, "spec", key)


def update_lease(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """As on creation, unless the fields were there before."""
    for key in _LEASE_FIELDS:
        if (old.get("spec") or {}).get(key) is None:
            _drop(new, "spec", key)


def _drop(obj: dict[str, Any], part: str, key: str) -> None:
    """Replace the part by one without the key; parts may be shared with the caller's object."""
    held = obj.get(part)
    if held and key in held:
        obj[part] = {name: value for name, value in held.items() if name != key}


def _take(new: dict[str, Any], old: dict[str, Any], part: str, key: str) -> None:
    _drop(new, part, key)
    held = old.get(part) or {}
    if key in held:
        new[part] = {**(new.get(part) or {}), key: held[key]}
