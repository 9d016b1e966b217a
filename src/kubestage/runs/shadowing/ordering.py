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


class _Held(NamedTuple):
    number: int
    arrival: int
    since_ns: int
    change: SeenChange


class OrderedChanges:
    """Takes changes as they come, and gives them back in the order of their versions.

    `lacks_owner` says whether a change is about something whose owner is not known yet.
    """

    def __init__(self, lacks_owner: Callable[[SeenChange], bool]) -> None:
        self._lacks_owner = lacks_owner
        self._waiting: list[_Held] = []
        self._count = 0
        self._newest = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, change: SeenChange, version: str, now_ns: int) -> None:
        """A change was received; one whose version is no number comes after those before it."""
        number = int(version) if version.isdecimal() else self._newest
        self._newest = max(self._newest, number)
        self._count += 1
        held = _Held(number, self._count, now_ns, change)
        bisect.insort(self._waiting, held, key=lambda each: each[:2])

    def next(self, now_ns: int, *, is_interrupted: bool = False) -> SeenChange | None:
        """The next one, if it or one that was made after it was held long enough."""
        held_ns = MOST_HELD_NS if is_interrupted else HELD_NS
        if not any(now_ns - each.since_ns >= held_ns for each in self._waiting):
            return None
        first = self._waiting[0]
        if now_ns - first.since_ns < OWNER_NS and self._lacks_owner(first.change):
            return None
        return self._waiting.pop(0).change

    def all(self) -> list[SeenChange]:
        """All that are left, in order."""
        found = [each.change for each in self._waiting]
        self._waiting.clear()
        return found
