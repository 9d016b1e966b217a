"""Defaults of dynamic resource allocation: how many devices a claim means, and since when."""

from __future__ import annotations

from typing import Any


def resource_claim(obj: dict[str, Any]) -> None:
    """Complete a ResourceClaim."""
    _claim_spec(obj["spec"])
    allocation = obj["status"].get("allocation")
    if allocation is not None:
        for result in allocation["devices"].get("results", ()):
            _tolerations(result)


def resource_claim_template(obj: dict[str, Any]) -> None:
    """Complete a ResourceClaimTemplate."""
    _claim_spec(obj["spec"]["spec"])


def resource_slice(obj: dict[str, Any], now: str | None) -> None:
    """Complete a ResourceSlice; new taints are dated `now` when the caller has a clock."""
    for device in obj["spec"].get("devices", ()):
        for mapping in device.get("nodeAllocatableResourceMappings", {}).values():
            mapping.setdefault("allocationMultiplier", "1")
        if now is not None:
            for taint in device.get("taints", ()):
                taint.setdefault("timeAdded", now)


def _claim_spec(spec: dict[str, Any]) -> None:
    for request in spec["devices"]["requests"] or ():
        if "exactly" in request:
            _request(request["exactly"])
        for alternative in request.get("firstAvailable", ()):
            _request(alternative)


def _request(request: dict[str, Any]) -> None:
    mode = request.setdefault("allocationMode", "ExactCount")
    if mode == "ExactCount":
        request.setdefault("count", 1)
    _tolerations(request)


def _tolerations(holder: dict[str, Any]) -> None:
    for toleration in holder.get("tolerations", ()):
        toleration.setdefault("operator", "Equal")
