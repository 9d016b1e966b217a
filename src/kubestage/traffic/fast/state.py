"""What the kernel works on: lists at first, arrays once it is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.traffic import record, requests
from kubestage.traffic.fast import heaps, layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLOTS: Final = 64
_DESKS: Final = 8
_ENDS_OF_LISTS: Final = 1_024
_ENDS_OF_ARRAYS: Final = 16_384
_FLOATS_A_SLOT: Final = 2
_FLOATS_A_DESK: Final = 4
_HEAP: Final = 3


class State:
    """The arrays, by the names that they have in the kernel."""

    def __init__(self, service: requests.Service, now_ns: int) -> None:
        self.is_compiled = False
        self.single: Any = [0] * layout.SINGLES
        self.slots: Any = []
        self.work: Any = []
        self.stations: Any = []
        self.shares: Any = []
        self.order: Any = []
        self._active: list[int] = []
        self._is_active: set[int] = set()
        self.heap: Any = []
        self.tree: Any = []
        self.ends: Any = [0] * (_ENDS_OF_LISTS * layout.END)
        single = self.single
        single[layout.NOW] = now_ns
        single[layout.FREE] = single[layout.OLDEST] = single[layout.NEWEST] = layout.NONE
        single[layout.DISCIPLINE] = requests.DISCIPLINES.index(service.discipline)
        single[layout.ROUTING] = requests.ROUTINGS.index(service.routing)
        single[layout.MOST_HELD] = service.max_requests or layout.NEVER
        single[layout.TIMEOUT] = service.timeout_ns or layout.NEVER
        self.add_slots()
        self.add_stations()

    def compile(self) -> None:
        """Go on with arrays."""
        for name in ("single", "slots", "stations", "order", "heap", "tree"):
            setattr(self, name, np.array(getattr(self, name), np.int64))
        for name in ("work", "shares"):
            setattr(self, name, np.array(getattr(self, name), np.float64))
        self.ends = np.zeros(_ENDS_OF_ARRAYS * layout.END, np.int64)
        self.is_compiled = True

    def add_slots(self) -> None:
        """Have room for twice as many requests."""
        first = len(self.slots)
        count = max(first // layout.SLOT, _SLOTS)
        self.slots = _longer(self.slots, count * layout.SLOT, 0)
        self.work = _longer(self.work, count * _FLOATS_A_SLOT, 0.0)
        self.heap = _longer(self.heap, count * _HEAP, 0)
        for slot in range(first, len(self.slots), layout.SLOT):
            self.slots[slot + layout.NUMBER] = layout.NONE
            self.slots[slot + layout.NEWER] = slot + layout.SLOT
        self.slots[len(self.slots) - layout.SLOT + layout.NEWER] = self.single[layout.FREE]
        self.single[layout.FREE] = first

    def add_stations(self) -> None:
        """Have room for twice as many replicas."""
        first = len(self.stations)
        count = max(first // layout.DESK, _DESKS)
        self.stations = _longer(self.stations, count * layout.DESK, 0)
        self.shares = _longer(self.shares, count * _FLOATS_A_DESK, 0.0)
        self.order = _longer(self.order, count, layout.NONE)
        for station in range(first, len(self.stations), layout.DESK):
            self.stations[station + layout.DUE] = layout.NEVER
        leaves = len(self.stations) // layout.DESK
        self.single[layout.LEAVES] = leaves
        self.tree = _longer(self.tree, 2 * leaves - len(self.tree), 0)
        heaps.plant(self.single, self.stations, self.tree)

    def activate(self, station: int) -> None:
        """A station is the last one in the order of the active, unless it is among them."""
        if station not in self._is_active:
            self._is_active.add(station)
            self.order[len(self._active)] = station
            self._active.append(station)
            self.single[layout.ACTIVE] = len(self._active)

    def deactivate(self, station: int) -> None:
        """A station is not among the active any more; those after it move up."""
        if station in self._is_active:
            self._is_active.discard(station)
            at = self._active.index(station)
            del self._active[at]
            self.order[at : len(self._active)] = self._active[at:]
            self.single[layout.ACTIVE] = len(self._active)

    def clear(self, station: int) -> None:
        """A station without requests, where nothing was ever done."""
        for at in range(layout.PLACE):
            if at != layout.DUE:
                self.stations[station + at] = 0
        self.stations[station + layout.FIRST] = layout.NONE
        self.stations[station + layout.LAST] = layout.NONE
        self.stations[station + layout.SETTLED] = self.single[layout.NOW]
        share = station >> 2
        for at in range(_FLOATS_A_DESK):
            self.shares[share + at] = 0.0
        heaps.set_due(station, layout.NEVER, self.single, self.stations, self.tree)

    def forget_departures(self) -> None:
        """Take those off the heap whose requests are gone or lost."""
        size = int(self.single[layout.HEAP_SIZE])
        rows = [tuple(self.heap[_HEAP * at : _HEAP * at + _HEAP]) for at in range(size)]
        left = sorted(row for row in rows if self._is_expected(row[2], row[1]))
        for at, row in enumerate(left):
            self.heap[_HEAP * at : _HEAP * at + _HEAP] = row
        self.single[layout.HEAP_SIZE] = len(left)

    def _is_expected(self, slot: int, number: int) -> bool:
        """Whether a request is still on its way to its end."""
        slots = self.slots
        return bool(
            slots[slot + layout.NUMBER] == number and slots[slot + layout.PHASE] != layout.LOST
        )

    def take_ends(self) -> NDArray[np.int64]:
        """What was reported of requests that ended since the last call."""
        count = int(self.single[layout.ENDS])
        self.single[layout.ENDS] = 0
        flat = np.array(self.ends[: count * layout.END], np.int64)
        return flat.reshape(count, record.END_WIDTH)

    def in_flight(self) -> list[int]:
        """The slots of all requests in flight, in the order of their arrival."""
        found, slot = [], int(self.single[layout.OLDEST])
        while slot != layout.NONE:
            found.append(slot)
            slot = int(self.slots[slot + layout.NEWER])
        return found

    def area_ns(self) -> int:
        """The number in flight, integrated over time."""
        single = self.single
        return (int(single[layout.AREA_HIGH]) << layout.AREA_BITS) + int(single[layout.AREA_LOW])


def _longer(values: Any, more: int, fill: float) -> Any:
    if isinstance(values, list):
        return values + [fill] * more
    return np.concatenate([values, np.full(more, fill, values.dtype)])
