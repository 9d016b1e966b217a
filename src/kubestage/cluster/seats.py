"""Seats of the API server: how many calls are served at once, and the queue before them."""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heappush, heapreplace, nsmallest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Seats:
    """A number of seats, each with the time at which it gets free, and a queue in order of arrival.

    As no call overtakes another, it is known at arrival when a call gets its seats. A time has one
    more bit, its lowest: whether a write has the seat, or waits for it.
    """

    __slots__ = ("_free", "_line", "_most_queued")

    def __init__(self, count: int, most_queued: int = 0) -> None:
        self._free = [0] * max(count, 1)
        self._line: deque[int] = deque()
        self._most_queued = most_queued

    @property
    def count(self) -> int:
        """How many seats there are."""
        return len(self._free)

    def is_full(self, now_ns: int) -> bool:
        """Whether the queue takes no more calls."""
        line = self._line
        while line and line[0] >> 1 <= now_ns:
            line.popleft()
        return bool(self._most_queued) and len(line) >= self._most_queued

    def due_ns(self, width: int) -> int:
        """When so many seats are free for the next call."""
        free = self._free
        return (free[0] if width == 1 else nsmallest(width, free)[-1]) >> 1

    def leave(self, width: int) -> tuple[int, int]:
        """Reserve so many of the seats that get free first: how many there were, and when.

        Later calls get none of these, nor any that gets free sooner: no call overtakes another.
        `take` has to follow.
        """
        free = self._free
        if width == 1:
            return 1, heappop(free) >> 1
        reserved = min(width, len(free))
        times = [heappop(free) for _ in range(reserved)]
        return reserved, times[-1] >> 1

    def take(self, reserved: int, queued_until_ns: int, ends_ns: int, *, is_mutating: bool) -> None:
        """Take reserved seats until a time; the call was queued until then, or 0 if it was not."""
        marked = ends_ns << 1 | is_mutating
        for _ in range(reserved):
            heappush(self._free, marked)
        if queued_until_ns:
            self._line.append(queued_until_ns << 1 | is_mutating)

    @property
    def free_ns(self) -> int:
        """When the next seat gets free."""
        return self._free[0] >> 1

    def take_next(self, ends_ns: int, is_mutating: bool) -> None:
        """Take the next seat until a time."""
        heapreplace(self._free, ends_ns << 1 | is_mutating)

    def resize(self, count: int, now_ns: int) -> None:
        """Add free seats, or take away those that get free first."""
        free = self._free
        while len(free) > max(count, 1):
            heappop(free)
        if len(free) < count:
            free += [now_ns << 1] * (count - len(free))
            heapify(free)

    def in_flight(self, now_ns: int) -> tuple[int, int]:
        """How many seats are taken by reads, and by writes."""
        return _count_later(self._free, now_ns)

    def in_line(self, now_ns: int) -> tuple[int, int]:
        """How many reads and writes are queued."""
        return _count_later(self._line, now_ns)


class Unlimited(Seats):
    """As many seats as calls need: no call waits."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(1)

    @property
    def free_ns(self) -> int:
        """A seat is always free."""
        return 0

    def is_full(self, now_ns: int) -> bool:
        """There is no queue; seats that calls have left are dropped."""
        free = self._free
        while free and free[0] >> 1 <= now_ns:
            heappop(free)
        return False

    def due_ns(self, width: int) -> int:
        """Any number of seats is always free."""
        del width
        return 0

    def leave(self, width: int) -> tuple[int, int]:
        """New seats, which are free now."""
        return width, 0

    def take_next(self, ends_ns: int, is_mutating: bool) -> None:
        """Take a new seat until a time."""
        heappush(self._free, ends_ns << 1 | is_mutating)

    def resize(self, count: int, now_ns: int) -> None:
        """There are always enough."""


def _count_later(marked: Iterable[int], now_ns: int) -> tuple[int, int]:
    """How many of these times are later than now, for reads and for writes."""
    found = [each & 1 for each in marked if each >> 1 > now_ns]
    return len(found) - sum(found), sum(found)
