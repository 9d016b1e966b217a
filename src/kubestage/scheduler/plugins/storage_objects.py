"""Claims, volumes, classes and drivers as views, each built once per version of its object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from kubestage.objects.views import storage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.objects.views.pod import PodView
    from kubestage.objects.views.storage import ClaimView, ClassView, CSINodeView, VolumeView
    from kubestage.scheduler.handle import Lister

CORE: Final = "v1"
STORAGE: Final = "storage.k8s.io/v1"
CLAIM: Final = "PersistentVolumeClaim"
VOLUME: Final = "PersistentVolume"

NO_CLAIM_NAME: Final = "PersistentVolumeClaim had no name"

Json = dict[str, Any]
_V = TypeVar("_V")

_MAX_VIEWS: Final = 1 << 16


class StorageObjects:
    """Looks storage objects up and keeps their views while the objects stay the same."""

    def __init__(self, lister: Lister) -> None:
        self.lister = lister
        self._views: dict[tuple[str, str, str], tuple[Json, Any]] = {}

    def claim(self, namespace: str, name: str) -> ClaimView | None:
        """A claim by its name."""
        found = self.lister.get(CORE, CLAIM, name, namespace)
        return None if found is None else self.claim_view(found)

    def volume(self, name: str) -> VolumeView | None:
        """A volume by its name."""
        found = self.lister.get(CORE, VOLUME, name)
        return None if found is None else self.volume_view(found)

    def volumes(self) -> Iterator[VolumeView]:
        """All volumes."""
        return map(self.volume_view, self.lister.list(CORE, VOLUME))

    def storage_class(self, name: str) -> ClassView | None:
        """A class by its name."""
        found = self.lister.get(STORAGE, "StorageClass", name)
        return None if found is None else self._view(found, storage.class_of)

    def csi_node(self, name: str) -> CSINodeView | None:
        """The drivers of a node."""
        found = self.lister.get(STORAGE, "CSINode", name)
        return None if found is None else self._view(found, storage.csi_node_of)

    def csi_nodes(self) -> Iterator[CSINodeView]:
        """The drivers of every node that tells."""
        for found in self.lister.list(STORAGE, "CSINode"):
            yield self._view(found, storage.csi_node_of)

    def claim_view(self, claim: Json) -> ClaimView:
        """The view of a claim, kept."""
        return self._view(claim, storage.claim_of)

    def volume_view(self, volume: Json) -> VolumeView:
        """The view of a volume, kept."""
        return self._view(volume, storage.volume_of)

    def _view(self, obj: Json, build: Callable[[Json], _V]) -> _V:
        metadata = obj["metadata"]
        key = obj["kind"], metadata.get("namespace") or "", metadata["name"]
        known = self._views.get(key)
        if known is not None and known[0] is obj:
            kept: _V = known[1]
            return kept
        if len(self._views) >= _MAX_VIEWS:
            self._views.clear()
        view = build(obj)
        self._views[key] = obj, view
        return view


def volumes_of(pod: PodView) -> list[Json]:
    """The volumes of a pod, as it states them."""
    found: list[Json] = (pod.raw.get("spec") or {}).get("volumes") or []
    return found


def not_found(resource: str, name: str) -> str:
    """What the API says of an object that is not there."""
    return f'{resource} "{name}" not found'


def claim_not_found(name: str) -> str:
    """What the API says of a missing claim."""
    return not_found("persistentvolumeclaim", name)


def foreign_claim(pod: PodView, claim: ClaimView) -> str | None:
    """What is wrong with a claim that should have been made for this pod alone, if anything."""
    for owner in claim.raw["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            if owner.get("uid") == pod.uid:
                return None
            break
    return (
        f"PVC {claim.namespace}/{claim.name} was not created for pod {pod.key} (pod is not owner)"
    )
