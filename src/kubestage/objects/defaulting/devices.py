"""Defaults of the devices that a claim requests."""

from __future__ import annotations

from kubestage.aliases import Json


def claim_spec(spec: Json) -> None:
    """Complete the requests of a claim."""
    for request in spec["devices"]["requests"] or ():
        if "exactly" in request:
            _request(request["exactly"])
        for alternative in request.get("firstAvailable", ()):
            _request(alternative)


def _request(request: Json) -> None:
    mode = request.setdefault("allocationMode", "ExactCount")
    if mode == "ExactCount":
        request.setdefault("count", 1)
    tolerations(request)


def tolerations(holder: Json) -> None:
    """Complete tolerations of device taints."""
    for toleration in holder.get("tolerations", ()):
        toleration.setdefault("operator", "Equal")
