"""The volumes that waiting claims may be bound to, found without looking at each of them.

Volumes by the thousand differ in nothing but their names, and of such only the first in the order
of names can be taken, or one of the next if the pod has several claims.
"""

from __future__ import annotations

import bisect
import operator
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from kubestage.objects import volume_fit
from kubestage.scheduler.plugins import storage_objects, volume_matching
from kubestage.scheduler.plugins.listed_changes import ListedChanges

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from kubestage.objects.views.storage import ClaimView, VolumeView
    from kubestage.scheduler.plugins.assumptions import Assumptions
    from kubestage.scheduler.plugins.storage_objects import StorageObjects

_K = TypeVar("_K", bound="Hashable")

_AVAILABLE: Final = "Available"
_name: Final = operator.attrgetter("name")


class _Likeness(NamedTuple):
    """What free volumes of a class have in common that suit the same claims on the same nodes."""

    capacity: int
    volume_mode: str
    attributes_class: str
    access_modes: tuple[str, ...]
    affinity: bytes


class _Shelf(NamedTuple):
    """The volumes of one class, by likeness if they are free, else by the claim they are for."""

    free: dict[_Likeness, list[VolumeView]]
    reserved: dict[tuple[str, str], list[VolumeView]]


class VolumeOffers:
    """All volumes that could be bound, by name where claims will find them."""

    def __init__(self, objects: StorageObjects, assumptions: Assumptions) -> None:
        self._objects = objects
        self._assumptions = assumptions
        self._changes = ListedChanges(objects.lister, storage_objects.CORE, storage_objects.VOLUME)
        self._shelves: dict[str, _Shelf] = {}
        self._places: dict[str, tuple[dict[Any, list[VolumeView]], Any]] = {}

    def refresh(self) -> None:
        """Take up the volumes that have come, gone or changed."""
        gone, come = self._changes.take()
        for raw in gone:
            self._drop(raw["metadata"]["name"])
        for raw in come:
            self._add(self._objects.volume_view(raw))

    def candidates(self, claim: ClaimView, count: int) -> list[VolumeView]:
        """Volumes for one of so many claims, by name; the best for each node is among them.

        ``SelectorError`` if the claim's selector is needed and not valid.
        """
        shelf = self._shelves.get(claim.class_name) or _Shelf({}, {})
        assumed = self._assumed()
        is_selective = claim.raw["spec"].get("selector") is not None
        doubtful = [*shelf.reserved.get((claim.namespace, claim.name), ())]
        found: list[VolumeView] = []
        for alike in _suiting(shelf.free, claim, any_access=is_selective):
            if is_selective:
                doubtful += alike
            elif assumed:
                found += [each for each in alike if each.name not in assumed][:count]
            else:
                found += alike[:count]
        doubtful = [each for each in doubtful if each.name not in assumed]
        doubtful += (each for each in assumed.values() if each.class_name == claim.class_name)
        found += (each for each in doubtful if _will_do(each, claim))
        return sorted(found, key=_name)

    def _assumed(self) -> dict[str, VolumeView]:
        """The volumes that are about to be others than those on the shelves."""
        found = {}
        for name in self._assumptions.pending(storage_objects.VOLUME):
            current = self._objects.lister.get(storage_objects.CORE, storage_objects.VOLUME, name)
            if current is not None:
                assumed = self._assumptions.newest(current)
                if assumed is not current:
                    found[name] = self._objects.volume_view(assumed)
        return found

    def _add(self, volume: VolumeView) -> None:
        if "deletionTimestamp" in volume.raw["metadata"]:
            return
        shelf = self._shelves.setdefault(volume.class_name, _Shelf({}, {}))
        if volume.claim is not None:
            namespace, name = volume.claim.get("namespace") or "", volume.claim.get("name") or ""
            self._put(shelf.reserved, (namespace, name), volume)
        elif volume.phase == _AVAILABLE:
            self._put(shelf.free, _likeness(volume), volume)

    def _put(self, shelf: dict[_K, list[VolumeView]], key: _K, volume: VolumeView) -> None:
        self._places[volume.name] = shelf, key
        bisect.insort(shelf.setdefault(key, []), volume, key=_name)

    def _drop(self, name: str) -> None:
        place = self._places.pop(name, None)
        if place is not None:
            shelf, key = place
            volumes = shelf[key]
            del volumes[bisect.bisect_left(volumes, name, key=_name)]
            if not volumes:
                del shelf[key]


def _likeness(volume: VolumeView) -> _Likeness:
    return _Likeness(
        volume.capacity,
        volume.volume_mode,
        volume_fit.attributes_class(volume.raw),
        volume.access_modes,
        volume_matching.affinity_key(volume),
    )


def _suiting(
    free: dict[_Likeness, list[VolumeView]], claim: ClaimView, *, any_access: bool
) -> Iterator[list[VolumeView]]:
    """Free volumes that will do for a claim, if its selector finds so."""
    requested, modes = claim.requested, frozenset(claim.access_modes)
    expected = claim.volume_mode, volume_fit.attributes_class(claim.raw)
    for (capacity, volume_mode, attributes_class, access_modes, _), volumes in free.items():
        is_accessible = any_access or modes.issubset(access_modes)
        if capacity >= requested and (volume_mode, attributes_class) == expected and is_accessible:
            yield volumes


def _will_do(volume: VolumeView, claim: ClaimView) -> bool:
    return volume_fit.could_hold(volume, claim) and (
        volume_fit.is_bound_to(volume, claim) or volume_fit.is_offered(volume, claim)
    )
