"""Live pacing: when virtual time passes on a stage that is being served.

Pacing chooses when to step, never what: the same writes at the same virtual times give the same
cluster, however fast the clock ran.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Final

from kubestage.errors import ApiError, BadRequest, Conflict
from kubestage.objects import timestamps
from kubestage.server import slices
from kubestage.server.turns import Mode, TargetTime, Turns
from kubestage.server.wall_clock import WatchingClients

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.external_scheduler import ExternalScheduler
    from kubestage.server.live import Live
    from kubestage.server.next_moment import NextMoment
    from kubestage.server.scenarios import Scenarios
    from kubestage.server.wall_clock import WallClock

__all__ = ["Mode", "Pacer"]

_log = logging.getLogger(__name__)

# How long others wait at most while the stage works, and while there are others.
_SLICE_S: Final = 0.005
_SHORT_SLICE_S: Final = 0.001
# After hours without requests, the first one waits so long for the clock to catch up.
_CATCH_UP_S: Final = 0.05
_MOST_UNSAFE: Final = 2_000
_FASTEST: Final = 1_000_000.0
_GOES_ON: Final = (
    "autoscalers, CronJobs and Traffic go on while a client watches, the clock runs at a speed, or "
    "it is advanced"
)


class Pacer:
    """Lets virtual time pass, a few milliseconds of work at a time.

    Paused, time stands still. At a speed, it passes that many times as fast as real time. Jumping,
    it goes from event to event as fast as it can while work is under way (see `pacing_work`), and
    then stands still until something is written; see `wall_clock` for when it goes on
    nevertheless. While a Scenario is running time is its own, and while it is paused time stands
    still; a clock that is paused stops it, too, as soon as no step is half done.
    """

    def __init__(
        self,
        live: Live,
        mode: Mode = Mode.JUMP,
        speed: float = 1.0,
        *,
        scenarios: Scenarios | None = None,
        external_scheduler: ExternalScheduler | None = None,
        wall: WallClock | None = None,
    ) -> None:
        self.failure = ""
        self._live = live
        self._watchers = WatchingClients(live.stage, live.fanout, wall)
        self._wall = wall
        self._turns = Turns(
            live.stage, mode, speed, scenarios, external_scheduler, self._watchers, wall
        )
        self._waiting: list[tuple[TargetTime, asyncio.Future[None]]] = []
        self._woken = asyncio.Event()
        self._has_request = False
        self._task: asyncio.Task[None] | None = None
        self._last_mode = Mode.JUMP if mode is Mode.PAUSED else mode
        live.pace = self
        live.fanout.on_first_watch = self._woken.set

    def start(self) -> None:
        """Begin to let time pass; a loop must be running."""
        if self._task is None:
            self.failure = ""
            self._task = asyncio.get_running_loop().create_task(self._run())
            self._task.add_done_callback(self._on_end)

    async def close(self) -> None:
        """Let no more time pass."""
        task, self._task = self._task, None
        if task is not None:
            task.remove_done_callback(self._on_end)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        self._give_back()
        self._turns.close()

    @property
    def mode(self) -> Mode:
        """How virtual time passes by itself."""
        return self._turns.mode

    @property
    def speed(self) -> float:
        """How many times as fast as real time it passes, in that mode."""
        return self._turns.speed

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is under way that the clock would go on for by itself."""
        return self._turns.is_quiet

    def state(self) -> Json:
        """The state of the clock."""
        clock, scenarios = self._live.stage.clock, self._turns.scenarios
        due_ns = self._live.stage.environment.next_movement_time
        zero_ns = clock.unix_ns - clock.now_ns
        return {
            "mode": self.mode.value,
            "speed": self.speed,
            "now": timestamps.format_time(clock.unix_ns),
            "nowNs": clock.elapsed_ns,
            "isQuiet": self.is_quiet,
            "isPassing": self._is_passing,
            "aheadOfWallSeconds": self._ahead_s,
            "due": None if due_ns is None else timestamps.format_time(zero_ns + due_ns),
            "scenario": None if scenarios is None else scenarios.current,
            "message": self._message(),
        }

    @property
    def _is_passing(self) -> bool:
        """Whether time passes now although nothing is under way."""
        if self.mode is Mode.JUMP:
            scenarios = self._turns.scenarios
            is_free = scenarios is None or scenarios.current is None
            return is_free and self._watchers.is_there
        return self.mode is Mode.SPEED

    @property
    def _ahead_s(self) -> float | None:
        """How far ahead of the wall clock, if the clock keeps up with that."""
        if self._wall is None or self.mode is not Mode.JUMP:
            return None
        return round(self._wall.ahead_ns() / 1e9, 3)

    def set_mode(self, mode: Mode | str, speed: float | None = None) -> None:
        """Let time pass in another way: ``paused``, ``speed`` or ``jump``."""
        try:
            mode = Mode(mode)
        except ValueError:
            known = ", ".join(each.value for each in Mode)
            raise BadRequest(f'no mode "{mode}": use one of {known}') from None
        if speed is not None and not 0 < speed <= _FASTEST:
            raise BadRequest(f"speed must be more than 0 and at most {_FASTEST:g}: {speed:g}")
        self.catch_up()
        if mode is Mode.PAUSED:
            self._give_back()
        else:
            self._last_mode = mode
        self._turns.set(mode, self.speed if speed is None else speed)
        if self.failure:
            self.failure = ""
            self.start()
        self.wake()

    def pause(self) -> None:
        """Let time stand still; what was to be advanced is not advanced further."""
        self.set_mode(Mode.PAUSED)

    def resume(self) -> None:
        """Let time pass as before it was paused."""
        self.set_mode(self._last_mode)

    async def advance(self, duration_ns: int) -> None:
        """Let so much time pass, as fast as that goes; also on a clock that is paused."""
        if duration_ns < 0:
            raise BadRequest("time does not pass backwards: give a duration of 0 or more")
        # When the time of these comes is not known yet.
        if earlier := [future for target, future in self._waiting if target.next is not None]:
            await asyncio.wait(earlier)
        now_ns, targets = self._live.stage.clock.now_ns, self._turns.targets
        await self.run_until(max((each.at_ns for each in targets), default=now_ns) + duration_ns)

    async def run_until(self, at_ns: int, next_moment: NextMoment | None = None) -> None:
        """Let time pass up to a moment, in nanoseconds since time zero, or to the next event."""
        scenarios = self._turns.scenarios
        if scenarios is not None and scenarios.is_running:
            name = scenarios.current
            raise Conflict(f'Scenario "{name}" is running, and until it ends time is its own')
        if self.failure:
            raise Conflict(self.failure)
        target, future = TargetTime(at_ns, next_moment), asyncio.get_running_loop().create_future()
        self._turns.targets.append(target)
        self._waiting.append((target, future))
        self._woken.set()
        await future

    def catch_up(self) -> None:
        """Bring the clock to where it should be now: a request is about to be served."""
        self._has_request, turns = True, self._turns
        if self.mode is Mode.PAUSED or turns.targets or self._task is None:
            return
        if self._wall is None and self.mode is Mode.JUMP:
            return
        if turns.scenarios is None or turns.scenarios.current is None:
            work = turns.keep_pace if self.mode is Mode.SPEED else turns.catch_up
            slice_s = _SHORT_SLICE_S if self.mode is Mode.SPEED else _CATCH_UP_S
            now_ns = self._live.stage.clock.now_ns
            try:
                slices.spend(work, slice_s)
            except Exception as error:  # noqa: BLE001 - the request has no part in it
                self._break_down(error)
            if self.mode is Mode.JUMP and self._live.stage.clock.now_ns != now_ns:
                # There may be more to do now.
                self._woken.set()

    def wake(self, *, is_report: bool = False) -> None:
        """Something was written, and there may be things to do; not so after a report."""
        self._turns.wrote(is_report=is_report)
        self._woken.set()

    def halt(self, reason: str) -> None:
        """Let no more time pass: what happened would not be kept."""
        self.failure = f"time stands still: {reason}"
        if self._task is not None:
            self._task.cancel()
        self._turns.halt()

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            slice_s = _SHORT_SLICE_S if self._has_request else _SLICE_S
            self._has_request = False
            wait_s = slices.spend(self._turns.take, slice_s)
            self._finish_reached()
            if wait_s == 0:
                await self._give_way()
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._woken.wait()

    async def _give_way(self) -> None:
        """Let others have a turn, and the disk catch up if it is far behind.

        Every answer waits for the disk, so that what is not safe yet must never be much.
        """
        live = self._live
        behind = live.store.revision - _MOST_UNSAFE
        if self._turns.is_emptying or live.durability.revision >= behind:
            await asyncio.sleep(0)
            return
        # What cannot be stored is the journal's to report.
        with contextlib.suppress(ApiError):
            await live.durability.until(behind)
        await asyncio.sleep(0)

    def _finish_reached(self) -> None:
        for target, future in self._waiting:
            if target.is_reached and not future.done():
                future.set_result(None)
        if self._waiting:
            self._waiting = [each for each in self._waiting if not each[1].done()]

    def _message(self) -> str:
        external = self._turns.external_scheduler
        if self.failure or (external is not None and external.message):
            return self.failure or str(external and external.message)
        waits = self.mode is Mode.JUMP and not self._is_passing
        return _GOES_ON if waits and self._watchers.has_endless_work else ""

    def _give_back(self) -> None:
        """Wake all requests that wait for a moment."""
        self._turns.targets.clear()
        for _, future in self._waiting:
            if not future.done():
                future.set_result(None)
        self._waiting = []

    def _on_end(self, task: asyncio.Task[None]) -> None:
        """The stage broke down, by a plugin perhaps: time stands still, the rest is served."""
        self._task = None
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._break_down(error)
        self._give_back()

    def _break_down(self, error: BaseException) -> None:
        self.failure = f"time stands still after an error: {type(error).__name__}: {error}"
        self._turns.set(Mode.PAUSED, self.speed)
        _log.error("%s", self.failure, exc_info=error)
