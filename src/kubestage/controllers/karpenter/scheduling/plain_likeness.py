"""What simulations of plain pods depend on: those for which that is equal come to the same."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.karpenter.scheduling.queue import order_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from kubestage.controllers.karpenter.scheduling.node_index import NodeIndex
    from kubestage.controllers.karpenter.scheduling.plain_shapes import PlainShape
    from kubestage.controllers.karpenter.scheduling.queue import QueuedPod

_REMEMBERED: Final = 1 << 12


class RoomNumbers:
    """Gives what nodes have left a number, equal for what is equal; none is given twice."""

    def __init__(self) -> None:
        self._known: dict[object, int] = {}
        self._next: Iterator[int] = itertools.count()

    def of(self, content: object) -> int:
        """The number of something."""
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        found = self._known.get(content)
        if found is None:
            found = self._known[content] = next(self._next)
        return found


class Room(NamedTuple):
    """The nodes that pods of a shape may go to, by row, and the number of what these have left."""

    number: int
    rows: frozenset[int]


class Rooms:
    """What nodes have left for plain pods, by their shape and whether they may go anywhere."""

    def __init__(
        self,
        index: NodeIndex,
        missing: Collection[int],
        settling: Collection[int],
        numbers: RoomNumbers,
    ) -> None:
        self._index = index
        self._missing = missing
        self._settling = settling
        self._numbers = numbers
        self._known: dict[tuple[PlainShape, bool], Room] = {}

    def likeness(
        self, queued: Sequence[QueuedPod], going: Collection[int], gone: Sequence[int]
    ) -> object:
        """What it depends on where pods go if some more nodes, by their rows, are gone.

        `going` are the pods, by identity, of nodes that go anyway.
        """
        ordered = sorted(queued, key=order_of)
        pods = tuple([(each.plain, each.movable, id(each.pod) in going) for each in ordered])
        rooms = set()
        for plain, movable in {(each[0], each[1]) for each in pods}:
            assert plain is not None, "only the likeness of plain pods is known"
            room = self._room(plain, movable)
            names = [self._index.nodes[row].state.name for row in gone if row in room.rows]
            rooms.add((plain, movable, room.number, tuple(names)))
        return pods, frozenset(rooms)

    def _room(self, plain: PlainShape, movable: bool) -> Room:
        known = self._known.get((plain, movable))
        if known is None:
            index = self._index
            rows = [
                row
                for row in index.fitting(plain)[0]
                if row not in self._missing and (movable or row not in self._settling)
            ]
            states = [index.nodes[row].state for row in rows]
            names = tuple([(each.name, each.initialized) for each in states])
            content = names, index.resources, index.free[rows].tobytes()
            known = Room(self._numbers.of(content), frozenset(rows))
            self._known[plain, movable] = known
        return known
