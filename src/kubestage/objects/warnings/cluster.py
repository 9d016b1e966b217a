"""Advice about nodes and claims."""

from __future__ import annotations

import ipaddress
from typing import Any, Final

from kubestage.objects import quantity
from kubestage.objects.validation import addresses, field

_STORAGE_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"


def node(obj: dict[str, Any]) -> list[str]:
    """Fields that nobody reads any more, and odd CIDRs."""
    spec = obj.get("spec") or {}
    found: list[str] = []
    if spec.get("configSource") is not None:
        found.append("spec.configSource: the feature is removed")
    if spec.get("externalID"):
        found.append("spec.externalID: this field is deprecated, and is unused by Kubernetes")
    for index, cidr in enumerate(spec.get("podCIDRs") or ()):
        found += _cidr(cidr, f"spec.podCIDRs[{index}]")
    return found


def _cidr(value: str, path: str) -> list[str]:
    """IPv6 blocks that are valid, yet not in the one canonical form."""
    parts = addresses.split_cidr(value)
    if parts is None or not isinstance(parts[0], ipaddress.IPv6Address):
        return []
    text = f"{parts[0]}/{parts[1]}"
    if text == value:
        return []
    return [
        (
            f"{path}: IPv6 CIDR value {field.quote(value)} should be in RFC 5952 canonical format "
            f"({field.quote(text)})"
        )
    ]


def claim(obj: dict[str, Any]) -> list[str]:
    """The annotation that came before the class field, and fractions of bytes."""
    found: list[str] = []
    if _STORAGE_CLASS_ANNOTATION in (obj["metadata"].get("annotations") or {}):
        found.append(
            f"metadata.annotations[{_STORAGE_CLASS_ANNOTATION}]: deprecated since v1.8; "
            'use "storageClassName" attribute instead'
        )
    return found + claim_spec(obj.get("spec") or {}, "spec")


def claim_spec(spec: dict[str, Any], path: str) -> list[str]:
    """Fractions of bytes."""
    resources = spec.get("resources") or {}
    return [
        warning
        for kind in ("requests", "limits")
        for warning in fraction(
            (resources.get(kind) or {}).get("storage"), f"{path}.resources.{kind}[storage]"
        )
    ]


def fraction(amount: Any, path: str) -> list[str]:
    """An amount that should be whole."""
    if amount is None or quantity.milli_value_of(amount) % 1000 == 0:
        return []
    text = field.quote(str(quantity.of(amount)))
    return [f"{path}: fractional byte value {text} is invalid, must be an integer"]


def vertical_pod_autoscaler(obj: dict[str, Any]) -> list[str]:
    """What its webhook says of a mode that is going away."""
    policy = (obj.get("spec") or {}).get("updatePolicy") or {}
    if policy.get("updateMode") != "Auto":
        return []
    told = (
        'spec.updatePolicy: "Auto" mode is deprecated and will be removed in a future API version. '
        "Use explicit update modes like: [InPlace InPlaceOrRecreate Initial Off Recreate]. See "
        "https://github.com/kubernetes/autoscaler/issues/8424 for more details."
    )
    return [told]
