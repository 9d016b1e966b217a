"""Whether a volume will do for a claim, wherever the claim's pod is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kubestage.objects.views.storage import ClaimView, VolumeView

_AVAILABLE: Final = "Available"


def is_bound_to(volume: VolumeView, claim: ClaimView) -> bool:
    """Whether a volume is spoken for by this very claim."""
    reference = volume.claim
    return (
        reference is not None
        and reference.get("name") == claim.name
        and (reference.get("namespace") or "") == claim.namespace
        and (reference.get("uid") or claim.uid) == claim.uid
    )


def could_hold(volume: VolumeView, claim: ClaimView) -> bool:
    """What even a volume that is spoken for by the claim must fulfil."""
    return (
        (volume.claim is None or is_bound_to(volume, claim))
        and volume.capacity >= claim.requested
        and volume.volume_mode == claim.volume_mode
        and attributes_class(volume.raw) == attributes_class(claim.raw)
        and "deletionTimestamp" not in volume.raw["metadata"]
    )


def is_offered(volume: VolumeView, claim: ClaimView) -> bool:
    """What an unclaimed volume must fulfil."""
    return (
        volume.claim is None
        and volume.phase == _AVAILABLE
        and claim.selector.matches(volume.labels)
        and volume.class_name == claim.class_name
        and set(claim.access_modes).issubset(volume.access_modes)
    )


def attributes_class(obj: dict[str, Any]) -> str:
    """The VolumeAttributesClass of a claim or a volume."""
    name: str = obj["spec"].get("volumeAttributesClassName") or ""
    return name
