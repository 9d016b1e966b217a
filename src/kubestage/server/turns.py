"""What the clock of a stage that is being served does next, one piece at a time.

A piece takes well under a millisecond as a rule. It answers how long, in real seconds, nothing is
to be done after it: 0 if there is more to do at once, None if nothing is until the next write.
"""

from __future__ import annotations

import enum
import time
from typing import TYPE_CHECKING, Final

from kubestage.server.pacing_work import WorkAhead
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.server.external_scheduler import ExternalScheduler
    from kubestage.server.next_moment import NextMoment
    from kubestage.server.scenarios import Scenarios
    from kubestage.server.wall_clock import WallClock, WatchingClients
    from kubestage.stage import Stage

_GRAIN: Final = 8
# A clock that cannot keep up does not try to make good for more than this.
_LAG_S: Final = 1.0
_SHORTEST_SLEEP_S: Final = 0.001
_LONGEST_SLEEP_S: Final = 3600.0
# While a client watches, the wall clock is read this often.
_CHECK_S: Final = 1.0


class Mode(enum.Enum):
    """How virtual time passes by itself."""

    PAUSED = "paused"
    SPEED = "speed"
    JUMP = "jump"


class TargetTime:
    """A moment of virtual time that a client requested; it may be earlier, when `next` has come."""

    __slots__ = ("at_ns", "is_reached", "next")

    def __init__(self, at_ns: int, next_moment: NextMoment | None = None) -> None:
        self.at_ns = at_ns
        self.next = next_moment
        self.is_reached = False

    def look(self, now_ns: int) -> None:
        """Have it be now if what is waited for has come; all that is due now still happens."""
        if self.next is not None and self.next.has_come:
            self.at_ns = min(self.at_ns, now_ns)


class Turns:
    """Takes one turn after the other, by the mode; `targets` come before all else."""

    def __init__(
        self,
        stage: Stage,
        mode: Mode,
        speed: float,
        scenarios: Scenarios | None,
        external_scheduler: ExternalScheduler | None,
        watchers: WatchingClients | None = None,
        wall: WallClock | None = None,
    ) -> None:
        self.mode = mode
        self.speed = speed
        self.scenarios = scenarios
        self.external_scheduler = external_scheduler
        self.targets: list[TargetTime] = []
        self.watchers = watchers
        self.wall = wall
        self._stage = stage
        self._clock = stage.clock
        self._environment = stage.environment
        self._work = WorkAhead(stage, keeps_up=wall is not None)
        self._goal_ns: int | None = None
        self._grain = _GRAIN if external_scheduler is None else 1
        # Where real and virtual time met, for a clock that runs at a speed; and the speed.
        self._anchor: tuple[float, int, float] | None = None
        # Up to where a clock that jumps has to keep up with the wall.
        self._requested_ns = 0
        self._epoch_ns = stage.clock.epoch_ns

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is under way that the clock would go on for by itself."""
        if self.targets or (self.scenarios is not None and self.scenarios.is_running):
            return False
        return self._work.goal_ns() is None

    @property
    def is_emptying(self) -> bool:
        """Whether a Scenario empties the cluster, which becomes safe only when it is done."""
        return self.scenarios is not None and self.scenarios.is_emptying

    def halt(self) -> None:
        """Go on with nothing, and break off what is under way."""
        self.set(Mode.PAUSED, self.speed)
        if self.scenarios is not None:
            self.scenarios.close()

    def set(self, mode: Mode, speed: float) -> None:
        """Go on in another way."""
        self.mode, self.speed, self._anchor = mode, speed, None

    def wrote(self, *, is_report: bool = False) -> None:
        """A client changed something; time does not go on for a report alone."""
        if not is_report:
            self._work.wrote()
        self._goal_ns = None
        if self.scenarios is not None:
            self.scenarios.wake()

    def close(self) -> None:
        """Take no more turns."""
        self._work.close()
        if self.scenarios is not None:
            self.scenarios.close()

    def take(self) -> float | None:
        """One piece of what is to be done now."""
        if self.targets:
            return self._approach(min(self.targets, key=_time))
        is_preparing = self.scenarios is not None and self.scenarios.is_preparing
        if self.mode is Mode.PAUSED and not is_preparing:
            return None
        if self.scenarios is not None:
            wait_s = self.scenarios.turn()
            self._notice_restart()
            if wait_s is not None:
                return wait_s or self._ahead_s()
            if self.scenarios.current is not None:
                self._anchor = None
                return None
        if self.mode is Mode.PAUSED:
            return None
        return self.keep_pace() if self.mode is Mode.SPEED else self._jump_on()

    def keep_pace(self) -> float | None:
        """Let happen what is due at this speed; how long until more is."""
        if self.wall is None or self.speed != 1:
            return self._pass_at(self.speed)
        return self._pass_with_wall(self.wall)

    def catch_up(self) -> float | None:
        """A request has come: what a clock that jumps owes the wall clock until now."""
        if self.wall is None:
            return None
        self._requested_ns = max(self._requested_ns, self.wall.polled_ns())
        return self._keep_up(self._requested_ns)

    def _pass_at(self, speed: float) -> float | None:
        due_ns = max(self._due_ns(speed), self._clock.now_ns)
        wait_s = self._time_for_external_scheduler()
        if wait_s:
            return wait_s
        if self._pass(due_ns):
            if due_ns - self._clock.now_ns > _LAG_S * speed * SECOND_NS:
                self._anchor = None
            return 0
        return self._until_next(due_ns, speed)

    def _pass_with_wall(self, wall: WallClock) -> float | None:
        """Real time: the clock of the stage is the wall clock, unless it is ahead of it."""
        speed = wall.speed(lag_ns=0)
        if speed != 1:
            return self._pass_at(speed)
        self._anchor = None
        wait_s = self._time_for_external_scheduler()
        if wait_s:
            return wait_s
        due_ns = max(wall.due_ns(lag_ns=0), self._clock.now_ns)
        if self._pass(due_ns):
            wall.fell_behind(lag_ns=0)
            return 0
        wall.kept_up()
        return self._until_next(due_ns, speed)

    def _until_next(self, due_ns: int, speed: float) -> float | None:
        """How long, in real seconds, until something happens."""
        next_ns = self._environment.next_movement_time
        if next_ns is None:
            return None
        wait_s = (next_ns - due_ns) / SECOND_NS / speed
        return min(max(wait_s, _SHORTEST_SLEEP_S), _LONGEST_SLEEP_S)

    def _notice_restart(self) -> None:
        """A Scenario that begins has the clock count from zero: other counts mean nothing now."""
        if self._clock.epoch_ns != self._epoch_ns:
            self._epoch_ns = self._clock.epoch_ns
            self._anchor = self._goal_ns = None
            self._requested_ns = 0
            self._work.wrote()

    def _keep_up(self, until_ns: int) -> float | None:
        """Catch up with the wall clock; None when that is done, or takes too long."""
        assert self.wall is not None
        if until_ns <= self._clock.now_ns:
            self.wall.kept_up()
            return None
        wait_s = self._time_for_external_scheduler()
        if wait_s:
            return wait_s
        if self._pass(until_ns) and not self.wall.fell_behind():
            return 0
        self._requested_ns = 0
        self._anchor = None
        return None

    def _go_along(self) -> float | None:
        """Nothing is under way: time passes on for those who watch."""
        if self.wall is not None:
            wait_s = self._keep_up(self._requested_ns)
            if wait_s is not None:
                return wait_s
        if self.watchers is None or not self.watchers.is_there:
            self._anchor = None
            return None
        if self.wall is not None:
            wait_s = self._keep_up(self.wall.requested_ns())
            if wait_s is not None:
                return wait_s
        wait_s = self._pass_at(self.watchers.speed)
        return _CHECK_S if wait_s is None else min(wait_s, _CHECK_S)

    def _approach(self, target: TargetTime) -> float:
        """Go on towards a requested moment."""
        wait_s = self._time_for_external_scheduler()
        if wait_s:
            return wait_s
        target.look(self._clock.now_ns)
        if target.at_ns >= self._clock.now_ns and self._pass(target.at_ns):
            return 0
        if self._stage.traffic is not None:
            self._stage.traffic.check()
        self.targets.remove(target)
        target.is_reached = True
        self._anchor = None
        return 0

    def _jump_on(self) -> float | None:
        """Go on with work that is under way."""
        if self._goal_ns is None or self._goal_ns < self._clock.now_ns:
            self._goal_ns = self._work.goal_ns()
        if self._goal_ns is None:
            return self._go_along()
        self._anchor = None
        wait_s = self._time_for_external_scheduler()
        if wait_s:
            return wait_s
        if not self._pass(max(self._goal_ns, self._clock.now_ns)):
            self._goal_ns = None
        return 0

    def _pass(self, until_ns: int) -> bool:
        """Let the next thing happen, up to a moment; False if that is reached."""
        next_ns = self._environment.next_movement_time
        if next_ns is None or next_ns > until_ns:
            self._environment.run(until_ns=until_ns)
            return False
        self._environment.run_some(max(next_ns, self._clock.now_ns), self._grain)
        return True

    def _time_for_external_scheduler(self) -> float:
        """How long an external scheduler has for the last changes, before time goes on."""
        return 0 if self.external_scheduler is None else self.external_scheduler.busy_s()

    def _due_ns(self, speed: float) -> int:
        """Where a clock that runs at a speed should be now."""
        now_s = time.perf_counter()
        if self._anchor is None or self._anchor[2] != speed:
            self._anchor = now_s, self._clock.now_ns, speed
        began_s, began_ns, _ = self._anchor
        return began_ns + round((now_s - began_s) * speed * SECOND_NS)

    def _ahead_s(self) -> float:
        """How long a Scenario waits for a clock that runs at a speed."""
        if self.mode is not Mode.SPEED:
            return 0
        return max((self._clock.now_ns - self._due_ns(self.speed)) / SECOND_NS / self.speed, 0)


def _time(target: TargetTime) -> int:
    return target.at_ns
