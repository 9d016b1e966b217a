"""Advice about nodes, claims and quotas."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects import quantity
from kubestage.objects.validation import field
from kubestage.objects.warnings import addresses

_STORAGE_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
_STATIC: Final = ".static.k8s.io"
_LIMITED: Final = ("cpu", "memory", "storage", "ephemeral-storage")
_BARE: Final = ("cpu", "memory")
_MOUNTABLE: Final = "kubernetes.io/enforce-mountable-secrets"


def node(obj: dict[str, Any]) -> list[str]:
    """Fields that nobody reads any more, and odd CIDRs."""
    spec = obj.get("spec") or {}
    found: list[str] = []
    if spec.get("configSource") is not None:
        found.append("spec.configSource: the feature is removed")
    if spec.get("externalID"):
        found.append("spec.externalID: this field is deprecated, and is unused by Kubernetes")
    for index, cidr in enumerate(spec.get("podCIDRs") or ()):
        found += addresses.block(cidr, f"spec.podCIDRs[{index}]")
    return found


def new_resource_quota(obj: dict[str, Any]) -> list[str]:
    """A quota that lets more be requested than limits may allow."""
    hard = (obj.get("spec") or {}).get("hard") or {}
    found: list[str] = []
    for resource in _LIMITED:
        requested, limited = f"requests.{resource}", f"limits.{resource}"
        if requested not in hard and resource in _BARE:
            requested = resource
        if requested not in hard or limited not in hard:
            continue
        request, limit = quantity.of(hard[requested]), quantity.of(hard[limited])
        if request > limit:
            found.append(
                f"ResourceQuota {requested} ({request}) should be less than {limited} ({limit})"
            )
    return found


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


def new_service_account(obj: dict[str, Any]) -> list[str]:
    """An annotation that is on its way out."""
    if _MOUNTABLE not in (obj["metadata"].get("annotations") or {}):
        return []
    told = (
        f"metadata.annotations[{_MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to "
        "isolate access to mounted secrets"
    )
    return [told]


def service_account(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    """As for a new one, unless the annotation was there before."""
    return [] if new_service_account(old) else new_service_account(new)


def static_name(obj: dict[str, Any]) -> list[str]:
    """A name that is kept for what is configured by files."""
    if not (obj["metadata"].get("name") or "").endswith(_STATIC):
        return []
    told = (
        f"metadata.name: names ending with {field.quote(_STATIC)} are reserved for static "
        "manifest-based configurations and cannot be managed via the API"
    )
    return [told]


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
