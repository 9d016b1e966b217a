"""The root of a simulation: the loop that works through the schedule, and its beginning and end."""

from __future__ import annotations

import pickle
from heapq import heappop, heappush
from itertools import repeat
from typing import TYPE_CHECKING, Any

from kubestage.errors import SimulationError
from kubestage.sim.clock import NEVER_NS, Clock
from kubestage.sim.context import Context
from kubestage.sim.entity import Entity
from kubestage.sim.movement import CompletedMovement, IgnoredMovement, IgnoredReason, Movement
from kubestage.sim.recorder import CountsOnly, MemoryRecorder, Recorder
from kubestage.sim.schedule import Collisions, Schedule
from kubestage.sim.stock import ArrayStock, SinkStock
from kubestage.sim.timer import Timer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kubestage.sim.model import Model

SCENARIO = "Scenario"


class Environment(Schedule):
    """Carries out movements in the order of their times, one after another.

    The order is strict and total: movements of one nanosecond happen in the order in which
    they were scheduled. With ``collisions="ignored"`` a nanosecond takes one movement only and
    a later one for the same time is ignored. Without ``halt_time`` the run is open-ended until
    ``halt`` is called. ``context`` gives values that models share; its logger is always there.
    """

    def __init__(
        self,
        halt_time: int | None = None,
        *,
        clock: Clock | None = None,
        collisions: Collisions = "ordered",
        recorder: Recorder | None = None,
        context: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(
            Clock() if clock is None else clock,
            MemoryRecorder() if recorder is None else recorder,
            collisions,
        )
        if self.clock.now_ns != 0:
            raise SimulationError("a simulation begins at time zero: give it a clock that is there")
        self.context = Context(self.clock, {} if context is None else context)
        self.models: dict[str, Model] = {}
        self.completed_count = 0
        self._is_running = False
        self._place_start()
        if halt_time is not None:
            self.halt(halt_time)

    def _place_start(self) -> None:
        before: ArrayStock[Entity] = ArrayStock("BeforeScenario", SCENARIO)
        during: ArrayStock[Entity] = ArrayStock("RunningScenario", SCENARIO)
        self._after: SinkStock[Entity] = SinkStock("HaltedScenario", SCENARIO)
        before.add(Entity("scenario-1", SCENARIO))
        self._place_boundary(Movement("start_to_running", 0, before, during))
        self._running_to_halted = Movement("running_to_halted", NEVER_NS, during, self._after)

    @property
    def current_movement_time(self) -> int:
        """The time of the movement under way, or at which the run stands."""
        return self.clock.now_ns

    @property
    def is_running(self) -> bool:
        """Whether a movement is under way."""
        return self._is_running

    @property
    def is_halted(self) -> bool:
        """Whether ``running_to_halted`` has occurred."""
        return self._after.count > 0

    @property
    def completed_movements(self) -> Sequence[CompletedMovement]:
        """What happened, in order; kept by the default recorder only."""
        return self._memory().completed_movements

    @property
    def ignored_movements(self) -> Sequence[IgnoredMovement]:
        """What did not happen and why, in order; kept by the default recorder only."""
        return self._memory().ignored_movements

    def halt(self, at_ns: int | None = None) -> None:
        """End the simulation at this time (by default, right after the current nanosecond).

        The end can be brought forward and not put off. Movements that waited for the halting
        time or later are ignored, as they would have been had the halt been known. While no
        movement is under way, it may be the time at which the run stands: the halt is then the
        last movement of that nanosecond.
        """
        now = self.clock.now_ns
        end = now + 1 if at_ns is None else at_ns
        first = now + 1 if self._is_running else self.earliest_ns
        if type(end) is not int or not first <= end <= self._end or self.is_halted:
            known = "" if self.halt_time is None else f" and the halt is at {self.halt_time} ns"
            raise SimulationError(f"cannot halt at {end!r}: it is {now} ns{known}")
        self._cut_off(end, sparing=self._running_to_halted)
        self._running_to_halted.occurs_at = end
        self._place_boundary(self._running_to_halted)

    def timer(self, name: str, callback: Callable[[], None]) -> Timer:
        """A timer that calls a function; ``set`` says when. The name is for traces."""
        return Timer(self, name, callback)

    def run(self, until_ns: int | None = None) -> None:
        """Carry out movements up to the halt, or up to and including ``until_ns``.

        Without either, the run ends when nothing is scheduled. After ``until_ns`` the clock
        stands there and ``run`` may be called again. An error from a stock ends the run at once,
        with the entity in neither stock; a SimulationError names its movement.
        """
        if until_ns is None:
            self._work(NEVER_NS, repeat(None))
            return
        self._check_not_past(until_ns)
        self._work(until_ns, repeat(None))
        self._advance(min(until_ns, self._end))

    def run_some(self, until_ns: int, at_most: int) -> bool:
        """As `run`, but at most so many movements at a time, for callers with other work.

        Whether more are left to be carried out; until they are, the clock does not stand at
        ``until_ns``.
        """
        self._check_not_past(until_ns)
        self._work(until_ns, repeat(None, at_most))
        due_ns = self.next_movement_time
        if due_ns is not None and due_ns <= until_ns:
            return True
        self._advance(min(until_ns, self._end))
        return False

    def restart(self, epoch_ns: int) -> None:
        """Start again at time zero, which is this moment of the calendar, with nothing scheduled.

        Models are forgotten with their stocks. Who shares the clock goes on with it.
        """
        if self._is_running:
            raise SimulationError("an Environment cannot be restarted in the middle of a movement")
        self._clear()
        self.models.clear()
        self.clock.restart(epoch_ns)
        self._place_start()

    def step(self) -> bool:
        """Carry out the next movement; False if nothing is scheduled."""
        if self.next_movement_time is None:
            return False
        self._work(NEVER_NS, repeat(None, 1))
        return True

    def fork(self) -> Environment:
        """An independent copy with all its models and stocks, which goes on identically."""
        copy: Environment = pickle.loads(pickle.dumps(self, pickle.HIGHEST_PROTOCOL))
        return copy

    def __getstate__(self) -> dict[str, Any]:
        if self._is_running:
            raise SimulationError("an Environment cannot be forked in the middle of a movement")
        return self.__dict__

    def _check_not_past(self, until_ns: int) -> None:
        if type(until_ns) is not int or until_ns < self.clock.now_ns:
            raise SimulationError(f"cannot run until {until_ns!r}: it is {self.clock.now_ns} ns")

    def _work(self, limit_ns: int, turns: Iterable[None]) -> None:
        if self._is_running:
            raise SimulationError("the Environment is running: a stock cannot run it again")
        self._is_running = True
        try:
            self._loop(limit_ns, turns)
        finally:
            self._is_running = False

    def _loop(self, limit_ns: int, turns: Iterable[None]) -> None:
        # NOTE: what each movement needs is a local and done in line, for this is where a run
        # spends its time (benchmarks/sim.py).
        future, present, clock, occupied = self._future, self._present, self.clock, self._occupied
        record = None if type(self.recorder) is CountsOnly else self.recorder.completed
        for _ in turns:
            if present and not (future and future[0][0] == clock.now_ns):
                occurs_at, ticket, movement = present.popleft()
            elif future:
                occurs_at, ticket, movement = place = heappop(future)
                if occurs_at > limit_ns:
                    heappush(future, place)
                    return
            else:
                return
            if movement.ticket != ticket:
                self._stale -= 1
                continue
            movement.ticket = 0
            if occupied is None:
                clock.now_ns = occurs_at
            else:
                self._advance(occurs_at)
            try:
                entity = movement.from_stock.remove(movement.what_to_move)
                if entity is None:
                    self._ignore_empty(occurs_at, movement)
                    continue
                movement.to_stock.add(entity)
            except SimulationError as error:
                raise SimulationError(f"{movement} at {occurs_at} ns: {error}") from error
            self.completed_count += 1
            if record is not None:
                record(occurs_at, movement, entity)

    def _advance(self, now_ns: int) -> None:
        if now_ns > self.clock.now_ns:
            if self._occupied is not None:
                self._occupied.discard(self.clock.now_ns)
            self.clock.now_ns = now_ns

    def _ignore_empty(self, occurs_at: int, movement: Movement) -> None:
        named = movement.what_to_move is not None
        reason = IgnoredReason.ENTITY_NOT_IN_STOCK if named else IgnoredReason.FROM_STOCK_EMPTY
        self._ignore(occurs_at, movement, reason)

    def _memory(self) -> MemoryRecorder:
        if not isinstance(self.recorder, MemoryRecorder):
            kind = type(self.recorder).__name__
            raise SimulationError(f"{kind} keeps no movements in memory; MemoryRecorder does")
        return self.recorder
