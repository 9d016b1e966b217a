"""The claims of a pod, grouped by what is still to be done for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.plugins import storage_objects
from kubestage.scheduler.plugins.volume_search import PodClaims

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.views.pod import PodView, VolumeClaim
    from kubestage.objects.views.storage import ClaimView, ClassView, VolumeView
    from kubestage.scheduler.plugins.assumptions import Assumptions
    from kubestage.scheduler.plugins.storage_objects import StorageObjects


_LOST = "Lost"


class ClaimReader:
    """Reads claims and volumes as they will be once pending changes have arrived."""

    def __init__(self, objects: StorageObjects, assumptions: Assumptions) -> None:
        self._objects = objects
        self._assumptions = assumptions

    def find(self, pod: PodView, stated: Iterable[VolumeClaim]) -> list[ClaimView] | str:
        """The claims of a pod, or why it cannot run anywhere because of one."""
        found = []
        for name, ephemeral, _ in stated:
            claim = self._objects.claim(pod.namespace, name)
            if claim is None:
                if not ephemeral:
                    return storage_objects.claim_not_found(name)
                return (
                    "waiting for ephemeral volume controller to create the "
                    f'persistentvolumeclaim "{name}"'
                )
            if claim.phase == _LOST:
                return (
                    f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume '
                    f'"{claim.volume_name}"'
                )
            if claim.raw["metadata"].get("deletionTimestamp") is not None:
                return f'persistentvolumeclaim "{name}" is being deleted'
            if ephemeral and (foreign := storage_objects.foreign_claim(pod, claim)):
                return foreign
            found.append(claim)
        return found

    def read(self, found: Iterable[ClaimView]) -> PodClaims | str | None:
        """What they need; a sentence if that is unclear, None if one should be bound and is not."""
        bound: list[tuple[ClaimView, VolumeView | None]] = []
        waiting: list[tuple[ClaimView, ClassView]] = []
        immediate = False
        for claim in map(self._newest, found):
            if claim.is_bound:
                bound.append((claim, self._volume(claim.volume_name)))
                continue
            of = self._objects.storage_class(claim.class_name) if claim.class_name else None
            if of is not None and "volumeBindingMode" not in of.raw:
                return f'VolumeBindingMode not set for StorageClass "{claim.class_name}"'
            if of is None or not of.waits_for_consumer or claim.volume_name:
                immediate = True
            else:
                waiting.append((claim, of))
        if immediate:
            return None
        return PodClaims(tuple(bound), tuple(waiting))

    def _newest(self, claim: ClaimView) -> ClaimView:
        assumed = self._assumptions.newest(claim.raw)
        return claim if assumed is claim.raw else self._objects.claim_view(assumed)

    def _volume(self, name: str) -> VolumeView | None:
        volume = self._objects.volume(name)
        if volume is None:
            return None
        assumed = self._assumptions.newest(volume.raw)
        return volume if assumed is volume.raw else self._objects.volume_view(assumed)
