"""Objects and a clock as they were when a change happened, for observers of what is long past."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind, KindTable
    from kubestage.store.log import Change


class ReplayedClock:
    """The time of the change that is replayed, in Unix nanoseconds.

    It goes on evenly where a Scenario has the clock of the stage begin at zero again.
    """

    __slots__ = ("now_ns",)

    def __init__(self, now_ns: int) -> None:
        self.now_ns = now_ns

    @property
    def unix_ns(self) -> int:
        """The same."""
        return self.now_ns


class ReplayedStore:
    """The objects of the moment that is replayed: as much of a Store as observers read."""

    def __init__(self, kinds: KindTable, clock: ReplayedClock) -> None:
        self.kinds = kinds
        self.clock = clock
        self._objects: dict[tuple[str, str], dict[str, Json]] = {}

    def read(self, ref: Kind | tuple[str, str]) -> Mapping[str, Json]:
        """All objects of a kind by key."""
        kind = self.kinds.get(*ref) if isinstance(ref, tuple) else ref
        return {} if kind is None else self._objects.get((kind.group, kind.plural), {})

    def places(self) -> set[tuple[str, str]]:
        """The group and plural of all kinds that there are objects of."""
        return set(self._objects)

    def objects_of(self, place: tuple[str, str]) -> dict[str, Json]:
        """All objects of a group and plural."""
        return self._objects.get(place, {})

    def fill(self, place: tuple[str, str], objects: dict[str, Json]) -> None:
        """Have these objects of a group and plural, and no others of it."""
        self._objects[place] = objects

    def apply(self, change: Change) -> None:
        """Have one change happen."""
        kind = change.kind
        there = self._objects.setdefault((kind.group, kind.plural), {})
        if change.type == "DELETED":
            there.pop(change.key, None)
        else:
            there[change.key] = change.new
