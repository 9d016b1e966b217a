"""Changes in the order in which the cluster made them.

Each kind comes on a connection of its own, so that a pod may be received before its ReplicaSet. The
versions of a cluster count all its changes: held back for a moment, they are sorted by version.
"""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.units import MILLISECOND_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.runs.shadowing.placements import Placement
    from kubestage.sources.imported import Reference

HELD_NS: Final = 300 * MILLISECOND_NS
# A new pod waits for its owner, which the cluster has made before it.
OWNER_NS: Final = 5 * SECOND_NS
# While a connection is down, the others wait for it, but not for ever.
MOST_HELD_NS: Final = 30 * SECOND_NS


class SeenChange(NamedTuple):
    """A change as a watch has shown it."""

    reference: Reference
    before: Json | None
    after: Json | None
    at_ns: int


class Held(NamedTuple):
    """A change with its place: by its version, then by its arrival.

    `is_taken` is whether it was taken up and undone, so that it is to be taken up again.
    """

    number: int
    arrival: int
    since_ns: int
    change: SeenChange
    is_taken: bool = False
    placement: Placement | None = None
    """What was found of the placement that it shows."""


class OrderedChanges:
    """Takes changes as they come, and gives them back in the order of their versions.

    `lacks_owner` says whether a change is about something whose owner is not known yet.
    """

    def __init__(self, lacks_owner: Callable[[SeenChange], bool]) -> None:
        self._lacks_owner = lacks_owner
        self._waiting: list[Held] = []
        self._undone = 0
        self._count = 0
        self._newest = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, change: SeenChange, version: str, now_ns: int) -> None:
        """A change was received; one whose version is no number comes after those before it."""
        number = int(version) if version.isdecimal() else self._newest
        self._newest = max(self._newest, number)
        self._count += 1
        self._insert(Held(number, self._count, now_ns, change))

    def put_back(self, held: Held) -> None:
        """A change was undone for one that was made before it, and is due again."""
        self._undone += 1
        self._insert(held._replace(is_taken=True))

    def next(self, now_ns: int, *, is_interrupted: bool = False) -> Held | None:
        """The next one, if it or one that was made after it was held long enough."""
        held_ns = MOST_HELD_NS if is_interrupted else HELD_NS
        is_due = self._undone or any(now_ns - each.since_ns >= held_ns for each in self._waiting)
        if not is_due:
            return None
        first = self._waiting[0]
        # What was undone is not kept waiting.
        waits = not self._undone and now_ns - first.since_ns < OWNER_NS
        if waits and self._lacks_owner(first.change):
            return None
        self._undone -= first.is_taken
        return self._waiting.pop(0)

    def _insert(self, held: Held) -> None:
        bisect.insort(self._waiting, held, key=place)


def place(held: Held) -> tuple[int, int]:
    """By what changes are sorted."""
    return held.number, held.arrival


class TakenChanges:
    """The changes that were taken up lately, in order: they can be undone for a late one.

    When a change was made that a list has shown is not known (version 0), so that nothing that was
    taken up before it is undone.
    """

    def __init__(self, kept_ns: int, most: int) -> None:
        self._kept_ns = kept_ns
        self._most = most
        self._taken: list[Held] = []

    def add(self, held: Held, now_ns: int) -> None:
        """A change was taken up."""
        if held.number:
            bisect.insort(self._taken, held._replace(since_ns=now_ns), key=place)
        else:
            self._taken.clear()

    def forget(self, now_ns: int) -> None:
        """Changes that were taken up long ago, or are too many, cannot be undone."""
        limit_ns = now_ns - self._kept_ns
        count = max(len(self._taken) - self._most, 0)
        while count < len(self._taken) and self._taken[count].since_ns < limit_ns:
            count += 1
        del self._taken[:count]

    def made_after(self, held: Held) -> list[Held]:
        """Those that were made after this one, in order."""
        if not held.number:
            return []
        return self._taken[bisect.bisect(self._taken, place(held), key=place) :]

    def drop(self, undone: list[Held]) -> None:
        """The newest of them were undone."""
        del self._taken[len(self._taken) - len(undone) :]
