"""Runs a scheduler as virtual time passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.sim.environment import Environment


class Driver:
    """Two alarms: one for the next attempt, one for what waits on the clock.

    Each attempt is a movement of its own, in the instant in which its pod became ready but behind
    whatever else is due then. So nothing else is blocked while many pods are scheduled.
    """

    def __init__(self, scheduler: Scheduler, environment: Environment) -> None:
        self._scheduler = scheduler
        self._is_stopped = False
        self._turn = environment.timer("SchedulerTurn", self._take_turn)
        self._timer = environment.timer("SchedulerTimer", self._on_time)
        scheduler.queue.reports.ready = self.on_ready
        scheduler.queue.reports.settled = self.set_timer
        scheduler.waiting.changed = self.on_ready

    def stop(self) -> None:
        """Do nothing until `go_on`."""
        self._is_stopped = True
        self._turn.set(None)
        self._timer.set(None)

    def go_on(self) -> None:
        """Work by itself again."""
        self._is_stopped = False
        self.on_ready()

    def on_ready(self) -> None:
        """There is something to try."""
        if not self._turn.is_set and not self._is_stopped:
            self._turn.set(self._scheduler.free_ns)
        self.set_timer()

    def set_timer(self) -> None:
        """See when time alone will bring something about."""
        if self._is_stopped:
            return
        self._timer.set(self._scheduler.due_ns)

    def _take_turn(self) -> None:
        if self._scheduler.schedule_next():
            self.on_ready()

    def _on_time(self) -> None:
        self._scheduler.catch_up()
        self.set_timer()
