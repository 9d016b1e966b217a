"""Which volume a claim gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.views.storage import ClaimView, VolumeView

Json = dict[str, Any]


def is_bound_to(volume: VolumeView, claim: ClaimView) -> bool:
    """Whether a volume is spoken for by this very claim."""
    reference = volume.claim
    return (
        reference is not None
        and reference.get("name") == claim.name
        and (reference.get("namespace") or "") == claim.namespace
        and (reference.get("uid") or claim.uid) == claim.uid
    )


def best(
    claim: ClaimView, volumes: Iterable[VolumeView], *, delays_binding: bool
) -> VolumeView | None:
    """The volume for a claim: one spoken for by it, else the smallest that will do.

    Volumes with fewer access modes are looked at first. A claim whose binding is delayed gets
    only what is spoken for by it: the scheduler finds the rest. Among equals the first in the
    list is taken (upstream takes any).
    """
    wanted = set(claim.access_modes)
    by_modes: dict[tuple[str, ...], list[VolumeView]] = {}
    for volume in volumes:
        modes = tuple(sorted(set(volume.access_modes)))
        if wanted.issubset(modes):
            by_modes.setdefault(modes, []).append(volume)
    for modes in sorted(by_modes, key=len):
        found = _best_of(claim, by_modes[modes], delays_binding=delays_binding)
        if found is not None:
            return found
    return None


def _best_of(
    claim: ClaimView, volumes: Iterable[VolumeView], *, delays_binding: bool
) -> VolumeView | None:
    smallest: VolumeView | None = None
    for volume in volumes:
        if not _could_hold(volume, claim):
            continue
        if is_bound_to(volume, claim):
            return volume
        if delays_binding or not _is_offered(volume, claim):
            continue
        if smallest is None or volume.capacity < smallest.capacity:
            smallest = volume
    return smallest


def _could_hold(volume: VolumeView, claim: ClaimView) -> bool:
    """What even a volume that is spoken for by the claim must fulfil."""
    return (
        (volume.claim is None or is_bound_to(volume, claim))
        and volume.capacity >= claim.requested
        and volume.volume_mode == claim.volume_mode
        and attributes_class(volume.raw) == attributes_class(claim.raw)
        and "deletionTimestamp" not in volume.raw["metadata"]
    )


def _is_offered(volume: VolumeView, claim: ClaimView) -> bool:
    """What a volume must fulfil that nobody has spoken for."""
    return (
        volume.phase == "Available"
        and claim.selector.matches(volume.labels)
        and volume.class_name == claim.class_name
    )


def mismatch(volume: VolumeView, claim: ClaimView) -> str | None:
    """Why a volume that a claim asks for by name cannot be had, in upstream's words."""
    problem = None
    if "deletionTimestamp" in volume.raw["metadata"]:
        problem = f'the volume is marked for deletion "{volume.name}"'
    elif volume.capacity < claim.requested:
        problem = "requested PV is too small"
    elif volume.class_name != claim.class_name:
        problem = "storageClassName does not match"
    elif attributes_class(volume.raw) != attributes_class(claim.raw):
        problem = "volumeAttributesClassName does not match"
    elif volume.volume_mode != claim.volume_mode:
        problem = "incompatible volumeMode"
    elif not set(claim.access_modes).issubset(volume.access_modes):
        problem = "incompatible accessMode"
    return problem


def attributes_class(obj: Json) -> str:
    """The VolumeAttributesClass of a claim or a volume."""
    name: str = obj["spec"].get("volumeAttributesClassName") or ""
    return name
