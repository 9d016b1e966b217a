"""The claims of a pod, told apart by what is still to be done for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler.plugins import storage_objects
from kubestage.scheduler.plugins.volume_search import PodClaims

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.views.pod import PodView, VolumeClaim
    from kubestage.objects.views.storage import ClaimView, ClassView, VolumeView
    from kubestage.scheduler.plugins.assumptions import Assumptions
    from kubestage.scheduler.plugins.storage_objects import StorageObjects

Json = dict[str, Any]

_LOST = "Lost"


class ClaimReader:
    """Reads claims and volumes as they will be once pending changes have arrived."""

    def __init__(self, objects: StorageObjects, assumptions: Assumptions) -> None:
        self._objects = objects
        self._assumptions = assumptions

    def problem(self, pod: PodView, stated: Iterable[VolumeClaim]) -> str | None:
        """Why a pod cannot run anywhere because of a claim, if so."""
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
        return None

    def read(self, pod: PodView, stated: Iterable[VolumeClaim]) -> PodClaims | str | None:
        """The claims; a sentence if they cannot be read, None if one should be bound and is not."""
        bound: list[tuple[ClaimView, VolumeView | None]] = []
        waiting: list[tuple[ClaimView, ClassView]] = []
        immediate = False
        for name, _, _ in stated:
            claim = self._claim(pod.namespace, name)
            if claim.is_bound:
                bound.append((claim, self._volume(claim.volume_name)))
                continue
            found = self._objects.storage_class(claim.class_name) if claim.class_name else None
            if found is not None and "volumeBindingMode" not in found.raw:
                return f'VolumeBindingMode not set for StorageClass "{claim.class_name}"'
            if found is None or not found.waits_for_consumer or claim.volume_name:
                immediate = True
            else:
                waiting.append((claim, found))
        if immediate:
            return None
        volumes = self._volumes({claim.class_name for claim, _ in waiting})
        by_class: dict[str, list[int]] = {claim.class_name: [] for claim, _ in waiting}
        for number, volume in enumerate(volumes):
            by_class[volume.class_name].append(number)
        return PodClaims(tuple(bound), tuple(waiting), tuple(volumes), by_class)

    def _claim(self, namespace: str, name: str) -> ClaimView:
        claim = self._objects.claim(namespace, name)
        assert claim is not None, "claims are looked for before they are read"
        return self._objects.claim_view(self._assumptions.newest(claim.raw))

    def _volume(self, name: str) -> VolumeView | None:
        volume = self._objects.volume(name)
        return None if volume is None else self._assumed(volume)

    def _volumes(self, classes: set[str]) -> list[VolumeView]:
        if not classes:
            return []
        of_classes = (each for each in self._objects.volumes() if each.class_name in classes)
        return sorted(map(self._assumed, of_classes), key=lambda volume: volume.name)

    def _assumed(self, volume: VolumeView) -> VolumeView:
        assumed = self._assumptions.newest(volume.raw)
        return volume if assumed is volume.raw else self._objects.volume_view(assumed)
