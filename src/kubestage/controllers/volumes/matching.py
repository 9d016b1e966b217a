"""Which volume a claim gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import volume_fit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.objects.views.storage import ClaimView, VolumeView


def may_be_had(volume: Json, claim: ClaimView) -> bool:
    """Whether a volume is not spoken for by a claim of another name."""
    reference = volume["spec"].get("claimRef")
    return reference is None or (
        reference.get("name") == claim.name
        and (reference.get("namespace") or "") == claim.namespace
    )


def best(
    claim: ClaimView, volumes: Iterable[VolumeView], *, delays_binding: bool
) -> VolumeView | None:
    """The volume for a claim: one spoken for by it, else the smallest that will do.

    Volumes with fewer access modes are tried first. A claim whose binding is delayed gets
    only what is spoken for by it: the scheduler finds the rest. Among equals the first in the
    list is taken (upstream takes any).
    """
    requested = set(claim.access_modes)
    by_modes: dict[tuple[str, ...], list[VolumeView]] = {}
    for volume in volumes:
        modes = tuple(sorted(set(volume.access_modes)))
        if requested.issubset(modes):
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
        if not volume_fit.could_hold(volume, claim):
            continue
        if volume_fit.is_bound_to(volume, claim):
            return volume
        if delays_binding or not volume_fit.is_offered(volume, claim):
            continue
        if smallest is None or volume.capacity < smallest.capacity:
            smallest = volume
    return smallest


def mismatch(volume: VolumeView, claim: ClaimView) -> str | None:
    """Why a claim cannot have the volume that it names, with upstream's message."""
    problem = None
    if "deletionTimestamp" in volume.raw["metadata"]:
        problem = f'the volume is marked for deletion "{volume.name}"'
    elif volume.capacity < claim.requested:
        problem = "requested PV is too small"
    elif volume.class_name != claim.class_name:
        problem = "storageClassName does not match"
    elif volume_fit.attributes_class(volume.raw) != volume_fit.attributes_class(claim.raw):
        problem = "volumeAttributesClassName does not match"
    elif volume.volume_mode != claim.volume_mode:
        problem = "incompatible volumeMode"
    elif not set(claim.access_modes).issubset(volume.access_modes):
        problem = "incompatible accessMode"
    return problem
