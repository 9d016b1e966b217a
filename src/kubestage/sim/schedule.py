"""The next-event list: which movements wait for their time, and which are turned away."""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Literal, TypeVar

from kubestage.errors import SimulationError
from kubestage.sim.clock import NEVER_NS, Clock
from kubestage.sim.entity import Entity
from kubestage.sim.movement import IgnoredReason, Movement

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.sim.recorder import Recorder
    from kubestage.sim.stock import Sink, Source

E = TypeVar("E", bound=Entity)

Collisions = Literal["ordered", "ignored"]
STALE_PLACES_KEPT = 64


class Schedule:
    """The scheduling half of the Environment.

    A place in the schedule is (time, ticket, movement). Tickets are numbered in the order of
    scheduling, which makes the order of places total. A movement that is cancelled or put off
    loses its ticket; the place stays behind, stale, until it comes up or is swept out.

    Places for a later time are kept in a heap. Those for the present instant need none: they
    come after all that is in the heap for it (which has older tickets), first come first.
    """

    def __init__(self, clock: Clock, recorder: Recorder, collisions: Collisions) -> None:
        self.clock = clock
        self.recorder = recorder
        self.ignored_count = 0
        self._future: list[tuple[int, int, Movement]] = []
        self._present: deque[tuple[int, int, Movement]] = deque()
        self._last_ticket = 0
        self._stale = 0
        self._end = NEVER_NS
        self._occupied: set[int] | None = set() if collisions == "ignored" else None

    @property
    def earliest_ns(self) -> int:
        """The earliest time at which something can still happen: now, or 1 at the start.

        Nothing happens at time zero, where a simulation is set up.
        """
        return self.clock.now_ns or 1

    @property
    def halt_time(self) -> int | None:
        """When the simulation ends, if that is known."""
        return None if self._end == NEVER_NS else self._end

    @property
    def pending_count(self) -> int:
        """How many movements are scheduled and have yet to occur."""
        return len(self._future) + len(self._present) - self._stale

    @property
    def next_movement_time(self) -> int | None:
        """When the next movement occurs, or None if nothing is scheduled."""
        future, present = self._future, self._present
        while future and future[0][2].ticket != future[0][1]:
            heappop(future)
            self._stale -= 1
        while present and present[0][2].ticket != present[0][1]:
            present.popleft()
            self._stale -= 1
        if present:
            return self.clock.now_ns
        return future[0][0] if future else None

    def first_time(self, concerns: Callable[[Movement], bool], until_ns: int) -> int | None:
        """When the first movement occurs that is of concern, up to a time; None if none is.

        NOTE: the heap is gone through from its top, and nothing below a later time is read.
        """
        if any(each.ticket == ticket and concerns(each) for _, ticket, each in self._present):
            return self.clock.now_ns
        future, places, found = self._future, [0], None
        while places:
            place = places.pop()
            if place >= len(future) or future[place][0] > until_ns:
                continue
            occurs_at, ticket, movement = future[place]
            if movement.ticket == ticket and concerns(movement):
                found, until_ns = occurs_at, occurs_at - 1
            else:
                places += (2 * place + 1, 2 * place + 2)
        return found

    def add_to_schedule(self, movement: Movement, occurs_at: int | None = None) -> bool:
        """Schedule a movement; False if it is ignored, the reason being recorded.

        A movement must lie in what remains of the run: from now on, after the start and before
        the halt. A time that is no integer, or a movement that already waits, is an error.
        ``occurs_at`` gives it a new time first, so that one Movement can serve again and again.
        """
        if occurs_at is None:
            occurs_at = movement.occurs_at
        else:
            movement.occurs_at = occurs_at
        if type(occurs_at) is not int or movement.ticket:
            raise self._misuse(movement)
        now = self.clock.now_ns
        is_future = occurs_at > now
        if not (is_future or occurs_at == now != 0) or occurs_at >= self._end:
            return self._ignore_out_of_range(occurs_at, movement)
        if self._occupied is not None:
            if occurs_at in self._occupied:
                return self._ignore(occurs_at, movement, IgnoredReason.COLLISION)
            self._occupied.add(occurs_at)
        self._last_ticket = movement.ticket = ticket = self._last_ticket + 1
        if is_future:
            heappush(self._future, (occurs_at, ticket, movement))
        else:
            self._present.append((occurs_at, ticket, movement))
        return True

    def schedule(
        self,
        kind: str,
        occurs_at: int,
        from_stock: Source[E],
        to_stock: Sink[E],
        what_to_move: E | None = None,
        notes: str = "",
    ) -> Movement:
        """Make a movement and add it to the schedule.

        As with `add_to_schedule`, a wrong time is no error: the movement that is handed back is
        false then, and is found among the ignored ones with the reason.
        """
        movement = Movement(kind, occurs_at, from_stock, to_stock, what_to_move, notes)
        self.add_to_schedule(movement)
        return movement

    def reschedule(self, movement: Movement, occurs_at: int) -> bool:
        """Schedule a movement for this time, also if it already waits for another."""
        if movement.ticket:
            self._withdraw(movement)
        return self.add_to_schedule(movement, occurs_at)

    def cancel(self, movement: Movement) -> bool:
        """Take a movement out of the schedule; False if it was not waiting there."""
        if not movement.ticket:
            return False
        self._withdraw(movement)
        self._ignore(movement.occurs_at, movement, IgnoredReason.CANCELLED)
        return True

    def _place_boundary(self, movement: Movement) -> None:
        # The start and the halt: the only movements that lie outside the permitted range.
        self._last_ticket = movement.ticket = self._last_ticket + 1
        heappush(self._future, (movement.occurs_at, movement.ticket, movement))

    def _cut_off(self, end: int, sparing: Movement | None) -> None:
        """Take out all that waits for ``end`` or later, in order."""
        self._end = end
        cut = sorted(place for place in self._future if place[0] >= end)
        self._future[:] = [place for place in self._future if place[0] < end]
        heapify(self._future)
        while self._present and self._present[0][0] >= end:
            cut.append(self._present.popleft())
        for occurs_at, ticket, movement in cut:
            if movement.ticket != ticket:
                self._stale -= 1
                continue
            movement.ticket = 0
            if movement is not sparing:
                self._ignore(occurs_at, movement, IgnoredReason.SCHEDULED_AFTER_HALT)

    def _clear(self) -> None:
        """Forget everything that is scheduled; those movements can be scheduled again."""
        for _, ticket, movement in (*self._future, *self._present):
            if movement.ticket == ticket:
                movement.ticket = 0
        # In place: the Environment's loop holds on to both.
        self._future.clear()
        self._present.clear()
        self._stale, self._end = 0, NEVER_NS
        if self._occupied is not None:
            self._occupied.clear()

    def _withdraw(self, movement: Movement) -> None:
        movement.ticket = 0
        if self._occupied is not None:
            self._occupied.discard(movement.occurs_at)
        self._stale += 1
        if self._stale > STALE_PLACES_KEPT and self._stale * 2 > len(self._future):
            self._sweep()

    def _sweep(self) -> None:
        # In place: the Environment's loop holds on to both.
        self._future[:] = [place for place in self._future if place[2].ticket == place[1]]
        heapify(self._future)
        for _ in range(len(self._present)):
            place = self._present.popleft()
            if place[2].ticket == place[1]:
                self._present.append(place)
        self._stale = 0

    def _ignore_out_of_range(self, occurs_at: int, movement: Movement) -> bool:
        late = occurs_at >= self._end
        reason = IgnoredReason.SCHEDULED_AFTER_HALT if late else IgnoredReason.SCHEDULED_IN_THE_PAST
        return self._ignore(occurs_at, movement, reason)

    def _ignore(self, occurs_at: int, movement: Movement, reason: IgnoredReason) -> bool:
        self.ignored_count += 1
        self.recorder.ignored(occurs_at, movement, reason, self.clock.now_ns)
        return False

    def _misuse(self, movement: Movement) -> SimulationError:
        at = movement.occurs_at
        if movement.ticket:
            return SimulationError(f"{movement} is already scheduled for {at} ns")
        return SimulationError(f"{movement}: occurs_at must be whole nanoseconds (int), not {at!r}")
