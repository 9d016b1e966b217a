"""What belongs to an owner, updated change by change instead of listed at every sync."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from kubestage.aliases import Json
from kubestage.controllers.ownership import controller_of, labels_of
from kubestage.controllers.selectors import Selectors
from kubestage.objects import labels
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.controllers.lister import Lister
    from kubestage.objects.labels import Selector
    from kubestage.store.core import KindRef
    from kubestage.store.log import Change

Move = tuple[str, Json | None, Json | None]

_NOBODY: Final[tuple[Roster, ...]] = ()


class Claimant(Protocol):
    """Finds which of some objects belong to an owner, and adopts or releases them."""

    def claim(self, objects: Iterable[Json]) -> list[Json]:
        """Those that belong to the owner, as they are stored now."""
        ...


class Roster:
    """The objects of one kind that one owner controls, by key, as of the last `settle`."""

    __slots__ = ("_touched", "key", "members", "namespace", "selector", "uid")

    def __init__(self, key: str, owner: Json, selector: Selector) -> None:
        self.key = key
        self.namespace: str = owner["metadata"]["namespace"]
        self.uid: str = owner["metadata"]["uid"]
        self.selector = selector
        self.members: dict[str, Json] = {}
        self._touched: dict[str, None] = {}

    def touch(self, key: str) -> None:
        """An object that may belong here, or did, has changed."""
        self._touched[key] = None

    def settle(self, objects: dict[str, Json], claimant: Claimant) -> Iterator[Move]:
        """Process what changed: each time the key, what was here and what is here now.

        An object on which the claimant raises an error is processed again.
        """
        members, touched = self.members, self._touched
        for key in tuple(touched):
            found = objects.get(key)
            claimed = None
            if found is not None:
                claimed = next(iter(claimant.claim((found,))), None)
            # Only now, because adopting an object changes it, and that change is delivered, too.
            del touched[key]
            before = members.get(key)
            if claimed is not None:
                members[key] = claimed
            elif before is not None:
                del members[key]
            if before is not claimed:
                yield key, before, claimed


class Rosters:
    """The rosters of all owners of one kind."""

    def __init__(self, lister: Lister, kind: KindRef) -> None:
        self._lister = lister
        self._kind = kind
        self._by_uid: dict[str, Roster] = {}
        self._by_key: dict[str, Roster] = {}
        self._selectors = Selectors()

    def open(self, key: str, owner: Json) -> Roster:
        """Start the roster of a new owner, with all existing objects to be processed."""
        selector = labels.from_label_selector(owner["spec"].get("selector"))
        roster = Roster(key, owner, selector)
        self._by_key[key] = self._by_uid[roster.uid] = roster
        self._selectors.set(roster.namespace, key, selector)
        for owned in self._lister.owned(self._kind, roster.uid):
            self._touch(roster, owned)
        for matching in self._lister.selected(self._kind, roster.namespace, selector):
            if controller_of(matching) is None:
                self._touch(roster, matching)
        return roster

    def close(self, key: str) -> None:
        """An owner is gone."""
        roster = self._by_key.pop(key, None)
        if roster is not None:
            del self._by_uid[roster.uid]
            self._selectors.drop(roster.namespace, key)

    def on_change(self, change: Change) -> tuple[Roster, ...] | list[Roster]:
        """Record a change; the rosters whose owners need a sync.

        An object's controller is notified, the one before it too; of an orphan all that might
        adopt it, once.
        """
        new, old = change.new, change.old
        metadata = new["metadata"]
        references = metadata.get("ownerReferences")
        if old is not None and references is old["metadata"].get("ownerReferences"):
            if references is None:
                return self._adopters(change) if _relabelled(new, old) else _NOBODY
            reference = controller_of(new)
            roster = self._by_uid.get(reference["uid"]) if reference is not None else None
            if roster is not None:
                return self._concerned(roster, change)
            if reference is not None:
                return _NOBODY
        return self._on_change(change)

    def _on_change(self, change: Change) -> list[Roster]:
        new, old = change.new, change.old
        reference = controller_of(new)
        before = controller_of(old) if old is not None else None
        found: list[Roster] = []
        for each in (before if before != reference else None, reference):
            roster = self._by_uid.get(each["uid"]) if each is not None else None
            if roster is not None:
                found += self._concerned(roster, change)
        if reference is None and (old is None or before is not None or _relabelled(new, old)):
            found += self._adopters(change)
        return found

    def _concerned(self, roster: Roster, change: Change) -> tuple[Roster, ...]:
        if roster.namespace != change.new["metadata"].get("namespace"):
            return _NOBODY
        roster.touch(change.key)
        return (roster,)

    def _adopters(self, change: Change) -> list[Roster]:
        # An orphan that is gone concerns no owner.
        if change.type == DELETED:
            return []
        namespace, held = change.new["metadata"].get("namespace"), labels_of(change.new)
        found = [self._by_key[key] for key in self._selectors.matching(namespace, held)]
        for roster in found:
            roster.touch(change.key)
        return found

    def _touch(self, roster: Roster, obj: Json) -> None:
        roster.touch(f"{obj['metadata']['namespace']}/{obj['metadata']['name']}")


def _relabelled(new: Json, old: Json) -> bool:
    return labels_of(new) != labels_of(old)
