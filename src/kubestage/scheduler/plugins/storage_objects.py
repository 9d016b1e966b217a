"""Claims, volumes, classes and drivers as views, each built once per version of its object."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from kubestage.objects.views import storage
from kubestage.scheduler.plugins.listed_changes import ListedChanges

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.objects.views.storage import ClaimView, ClassView, CSINodeView, VolumeView
    from kubestage.scheduler.handle import Lister

CORE: Final = "v1"
STORAGE: Final = "storage.k8s.io/v1"
CLAIM: Final = "PersistentVolumeClaim"
VOLUME: Final = "PersistentVolume"

NO_CLAIM_NAME: Final = "PersistentVolumeClaim had no name"


class _View(Protocol):
    @property
    def raw(self) -> Json: ...


_K = TypeVar("_K", bound="Hashable")
_V = TypeVar("_V", bound=_View)
_T = TypeVar("_T")

_MAX_VIEWS: Final = 1 << 16


class StorageObjects:
    """Looks storage objects up and keeps their views while the objects stay the same."""

    def __init__(self, lister: Lister) -> None:
        self.lister = lister
        self._claims: dict[tuple[str, str], ClaimView] = {}
        self._volumes: dict[str, VolumeView] = {}
        self._classes: dict[str, ClassView] = {}
        self._csi_nodes: dict[str, CSINodeView] = {}
        self._followed: dict[tuple[str, Any], tuple[ListedChanges, Any]] = {}

    def claim(self, namespace: str, name: str) -> ClaimView | None:
        """A claim by its name."""
        found = self.lister.get(CORE, CLAIM, name, namespace)
        return None if found is None else self.claim_view(found)

    def volume(self, name: str) -> VolumeView | None:
        """A volume by its name."""
        found = self.lister.get(CORE, VOLUME, name)
        return None if found is None else self.volume_view(found)

    def storage_class(self, name: str) -> ClassView | None:
        """A class by its name."""
        found = self.lister.get(STORAGE, "StorageClass", name)
        return None if found is None else _cached(self._classes, name, found, storage.class_of)

    def csi_nodes(self) -> Mapping[str, CSINodeView]:
        """The drivers of every node that reports them, by its name; the same while none changes."""
        return self.following("CSINode", self._read_csi_nodes)

    def _read_csi_nodes(self, listed: Iterable[Json]) -> dict[str, CSINodeView]:
        known, build = self._csi_nodes, storage.csi_node_of
        views = (_cached(known, each["metadata"]["name"], each, build) for each in listed)
        return {view.name: view for view in views}

    def following(self, kind: str, build: Callable[[Iterable[Json]], _T]) -> _T:
        """What follows from all objects of a kind of the storage group, kept while all stay."""
        known = self._followed.get((kind, build))
        changes = ListedChanges(self.lister, STORAGE, kind) if known is None else known[0]
        if any(changes.take()) or known is None:
            known = self._followed[kind, build] = changes, build(changes.listed)
        found: _T = known[1]
        return found

    def claim_view(self, claim: Json) -> ClaimView:
        """The view of a claim, kept."""
        metadata = claim["metadata"]
        key = metadata.get("namespace") or "", metadata["name"]
        return _cached(self._claims, key, claim, storage.claim_of)

    def volume_view(self, volume: Json) -> VolumeView:
        """The view of a volume, kept."""
        return _cached(self._volumes, volume["metadata"]["name"], volume, storage.volume_of)


def _cached(views: dict[_K, _V], key: _K, obj: Json, build: Callable[[Json], _V]) -> _V:
    view = views.get(key)
    if view is None or view.raw is not obj:
        if len(views) >= _MAX_VIEWS:
            views.clear()
        view = views[key] = build(obj)
    return view


_shared: Final[weakref.WeakValueDictionary[int, StorageObjects]] = weakref.WeakValueDictionary()


def shared(lister: Lister) -> StorageObjects:
    """The views that all readers of a lister share; they live as long as one of these does.

    Four plugins read the claim and the volume of one pod, and what they store on columns serves
    those of all profiles.
    """
    found = _shared.get(id(lister))
    if found is None:
        found = _shared[id(lister)] = StorageObjects(lister)
    return found


def volumes_of(pod: PodView) -> list[Json]:
    """The volumes of a pod, as it states them."""
    found: list[Json] = (pod.raw.get("spec") or {}).get("volumes") or []
    return found


def not_found(resource: str, name: str) -> str:
    """The API's message for an object that does not exist."""
    return f'{resource} "{name}" not found'


def claim_not_found(name: str) -> str:
    """The API's message for a missing claim."""
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
