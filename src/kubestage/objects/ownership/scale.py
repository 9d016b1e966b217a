"""Ownership through the scale subresource: of an object's fields, a Scale has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.ownership import api_types, field_set, filters, managers, tracking
from kubestage.objects.ownership.managers import Managers, Owned
from kubestage.objects.ownership.updating import Other, OwnershipView

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.ownership.field_set import Path


API_VERSION: Final = "autoscaling/v1"
_REPLICAS: Final = ("f:spec", "f:replicas")
_SCALE_FIELDS: Final = field_set.of_paths(_REPLICAS)


def _no_other(_api_version: str) -> Other | None:
    return None


def view() -> OwnershipView:
    """How a request sees a Scale: all of it can be written."""
    return OwnershipView(
        API_VERSION, api_types.of_struct("autoscaling/v1.Scale"), filters.NOTHING, _no_other
    )


class Scaled:
    """The managers of an object, seen through its Scale.

    `path_in` gives where an object of a version keeps its replicas, None if that is not served.
    """

    def __init__(self, obj: Json, api_version: str, path_in: Callable[[str], Path | None]) -> None:
        self._parent = managers.stored(tracking.entries_of(obj))
        self._api_version = api_version
        self._path_in = path_in

    def entries(self) -> list[Json]:
        """The managedFields of the Scale: who owns the replicas."""
        found: Managers = {}
        for who, owned in self._parent.items():
            path = self._path_in(owned.api_version)
            if path is not None and field_set.has(owned.fields, path):
                found[who] = Owned(_SCALE_FIELDS, API_VERSION, owned.time)
        return managers.encode(found)

    def parent_entries(self, entries: list[Json]) -> list[Json]:
        """The managedFields of the object, once those of its Scale are as given."""
        scale: Managers = {}
        for entry in entries:
            owned = Owned(entry["fieldsV1"], entry["apiVersion"], entry.get("time"))
            scale[self._identity(entry)] = owned
        found: Managers = {}
        for who, owned in self._parent.items():
            path = self._path_in(owned.api_version)
            if path is None:
                continue
            if not field_set.has(owned.fields, path):
                found[who] = owned
            elif who in scale:
                found[who] = owned
                del scale[who]
            else:
                left = field_set.difference(owned.fields, field_set.of_paths(path))
                if left:
                    found[who] = owned._replace(fields=left, entry=None)
        path_here = self._path_in(self._api_version)
        for who, owned in scale.items():
            if path_here is not None and field_set.has(owned.fields, _REPLICAS):
                # The server does not say since when.
                found[who] = Owned(field_set.of_paths(path_here), self._api_version)
        return managers.encode(found)

    def _identity(self, entry: Json) -> managers.ManagerIdentity:
        """The manager of an entry of the Scale: one of the object's, or a new one."""
        manager, operation = entry.get("manager") or "", entry["operation"]
        subresource = entry.get("subresource") or ""
        for who in self._parent:
            if (who.manager, who.operation, who.subresource) == (manager, operation, subresource):
                return who
        return managers.identify(manager, operation, entry["apiVersion"], subresource)
