"""Objects as they will be once the scheduler's own changes have arrived at the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.aliases import Json

Key = tuple[str, str, str]


class Assumptions:
    """Stands in for objects while the change made to them is on its way.

    An assumption holds for the version of the object that it was made from; a newer one
    replaces it.
    """

    def __init__(self) -> None:
        self._assumed: dict[Key, tuple[Json, Json]] = {}

    def newest(self, current: Json) -> Json:
        """The object as it is taken to be."""
        if not self._assumed:
            return current
        key = _key(current)
        known = self._assumed.get(key)
        if known is None:
            return current
        before, assumed = known
        if _same_version(before, current):
            return assumed
        del self._assumed[key]
        return current

    def assume(self, current: Json, assumed: Json) -> None:
        """Take an object to be changed already."""
        self._assumed[_key(current)] = current, assumed

    def pending(self, kind: str) -> list[str]:
        """The names of the objects of a kind, without namespaces, of which something is assumed."""
        return [name for each, _, name in self._assumed if each == kind]

    def settle(self, assumed: Json) -> None:
        """The store has what was assumed of an object."""
        key = _key(assumed)
        known = self._assumed.get(key)
        if known is not None and known[1] is assumed:
            del self._assumed[key]

    def restore(self, assumed: Json) -> None:
        """Give up what is assumed of an object, unless it is of another version by now."""
        key = _key(assumed)
        known = self._assumed.get(key)
        if known is not None and _version(known[1]) == _version(assumed):
            del self._assumed[key]


def _key(obj: Json) -> Key:
    metadata = obj["metadata"]
    return obj["kind"], metadata.get("namespace") or "", metadata["name"]


def _same_version(one: Json, other: Json) -> bool:
    return one is other or (_version(one) is not None and _version(one) == _version(other))


def _version(obj: Json) -> str | None:
    version: str | None = obj["metadata"].get("resourceVersion")
    return version
