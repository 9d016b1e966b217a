"""How many of each object a load assumes to exist, and what it has left outside of its namespaces.

The cluster is not queried: a load knows what it has created. Only objects that others create,
such as the claims of a StatefulSet, are counted when they are first seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from kubestage.cluster.access import Resource


class Identity(msgspec.Struct, frozen=True):
    """A set of replicated objects: those of one basename and kind in one namespace."""

    namespace: str
    basename: str
    kind: str
    group: str


class ReplicaCounts:
    """The count of every set."""

    def __init__(self) -> None:
        self._counts: dict[Identity, int] = {}

    def get(self, identity: Identity) -> int | None:
        """How many there are; None if the set has never been mentioned."""
        return self._counts.get(identity)

    def set(self, identity: Identity, count: int) -> None:
        """So many there are now."""
        self._counts[identity] = count


class Leftovers:
    """Objects that a run has made and not deleted, and that do not vanish with its namespaces."""

    def __init__(self) -> None:
        self._namespaces: frozenset[str] = frozenset()
        self._left: dict[tuple[Resource, str, str], None] = {}

    def belong(self, namespaces: frozenset[str]) -> None:
        """These namespaces belong to the run: what is in them is deleted with them."""
        self._namespaces = namespaces

    def created(self, resource: Resource, namespace: str, name: str) -> None:
        """An object has been created."""
        if namespace not in self._namespaces:
            self._left[resource, namespace, name] = None

    def deleted(self, resource: Resource, namespace: str, name: str) -> None:
        """An object has been deleted."""
        self._left.pop((resource, namespace, name), None)

    def all(self) -> list[tuple[Resource, str, str]]:
        """What is left, the newest first."""
        return list(reversed(self._left))
