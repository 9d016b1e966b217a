"""Runs the Scenarios of a store, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scenario import phases, scheduler_writes
from kubestage.scenario.current_scenario import CurrentScenario
from kubestage.scenario.operations import OperationFailed
from kubestage.scenario.resource import SCENARIO, InvalidEvent
from kubestage.scenario.scheduler_writes import ForeignWrite
from kubestage.scenario.scheduling import NoScheduler
from kubestage.store.log import ADDED, MODIFIED

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from kubestage.scenario.resource import Spec
    from kubestage.scenario.scheduling import Scheduling
    from kubestage.store.log import Change


RESTARTED: Final = "the controller restarted while the Scenario was running"
BROKEN_OFF: Final = "step {} was broken off by an error or an interruption"
CONTRADICTED: Final = "the status of the Scenario was changed by somebody else"
RECONFIGURED: Final = "the scheduler configuration was changed while the Scenario was {}"


class ScenarioController(CurrentScenario):
    """Takes the oldest Scenario that is pending and runs it to its end, then the next.

    It observes the cluster only while one is running. `problem` is why the last one failed, if its
    own events caused that. It works only when it is called: `advance` runs one step, `run` all that
    there is to do. A change in between that the cluster itself did not make fails the Scenario.
    `settings` may be replaced; a Scenario keeps those with which it was started. `start_over` and
    `origin_ns` are those of `NewCluster`.
    """

    def start(self) -> None:
        """Take over a store: what was running when its last controller ended has failed."""
        for name, scenario in tuple(self._store.read(SCENARIO).items()):
            phase = (scenario.get("status") or {}).get("phase")
            if phase == phases.RUNNING:
                self._writer(name, is_counted=False).enter(phases.FAILED, RESTARTED)
            elif phase == phases.PAUSED and self._status is None:
                self._resume(name, scenario)
        self._store.subscribe(self.on_change)

    def run(self) -> None:
        """Run Scenarios until all have ended, or one is paused."""
        while self.advance():
            pass

    def advance(self) -> bool:
        """Run one step, or take up the next Scenario; False if there is nothing to do."""
        pieces = self.pieces()
        while True:
            try:
                next(pieces)
            except StopIteration as end:
                return bool(end.value)

    def pieces(self) -> Generator[None, None, bool]:
        """The same as `advance`, piece by piece: in between, the caller does other work.

        A change by others in between makes the Scenario fail, and there are no more pieces. Closing
        them breaks a step off.
        """
        pieces = self._advance()
        try:
            while True:
                self._is_inside = True
                try:
                    next(pieces)
                except StopIteration as end:
                    return bool(end.value)
                finally:
                    self._is_inside = False
                status = self._status
                yield
                if status is None or status is not self._status or not status.is_there:
                    return True
        finally:
            pieces.close()

    def say(self, message: str) -> None:
        """Write into the status of the current Scenario what it waits for."""
        if self._status is not None:
            self._status.enter(self._status.phase, message or self._ignored_message())

    def fail(self, message: str) -> None:
        """End the Scenario that is running or paused."""
        if self._status is not None:
            self._end(phases.FAILED, message)

    def reconfigure(self, scheduling: Scheduling) -> None:
        """Another scheduler has taken over: a running Scenario would be a mixture of two."""
        self.fail(RECONFIGURED.format(self.state))
        self._connect(scheduling)

    def on_change(self, change: Change) -> None:
        """Take one change of the store."""
        status = self._status
        if status is None:
            return
        if (change.kind.api_version, change.kind.kind) == SCENARIO:
            if not (self._is_inside and status.is_about(change.new)):
                self.watch.timeline.scenario_counts.others.append(change.revision)
            if change.type == ADDED and "status" not in change.new:
                self._writer(change.key).enter(phases.PENDING, "")
            elif change.type == MODIFIED and status.is_contradicted_by(change.new):
                self.fail(CONTRADICTED)
            return
        is_inside = self._is_inside or self._environment.is_running
        did = {"ADDED": "created", "MODIFIED": "changed"}.get(change.type, "deleted")
        if not is_inside and not self._scheduling.accounts_for(change):
            self.interfered(change.kind.kind, change.key, did)
            return
        if self._scheduling.is_at_work and not scheduler_writes.is_allowed(change):
            # The step is in the middle of an attempt: it fails when that is over.
            message = self._interference_message(change.kind.kind, change.key, did)
            self.watch.foreign_write = self.watch.foreign_write or message
        self.watch.on_change(change)

    def interfered(self, kind: str, key: str, did: str) -> None:
        """A client that is not part of the simulation created, changed or deleted an object."""
        self.fail(self._interference_message(kind, key, did))

    def _interference_message(self, kind: str, key: str, did: str) -> str:
        return f"{kind} {key} was {did} by somebody else while the Scenario was {self.state}"

    def _advance(self) -> Generator[None, None, bool]:
        if self._status is None:
            return (yield from self._take_up())
        if not self._status.is_there:
            self._forget()
            return True
        assert self.machine is not None
        try:
            spec = yield from self._spec(self._status.name)
            step = self.machine.next_step(spec)
            if step is None:
                return self._pause()
            self._status.enter(phases.RUNNING, self._ignored_message())
            yield from self._run_step(spec, step)
        except (InvalidEvent, OperationFailed, NoScheduler, ForeignWrite) as problem:
            self.problem = problem
            self._end(phases.FAILED, str(problem))
            return True
        if self.machine.is_done:
            self._end(phases.SUCCEEDED, self._ignored_message())
        return True

    def _run_step(self, spec: Spec, step: int) -> Iterator[None]:
        """Run one step; half of one that an error breaks off has happened, so it is not run again.

        An error of the user's plugin, sink or scheduler is raised to the caller.
        """
        assert self.machine is not None
        is_broken_off = True
        try:
            yield from self.machine.run_step(spec, step)
            is_broken_off = False
        except (OperationFailed, NoScheduler, ForeignWrite):
            is_broken_off = False
            raise
        finally:
            if is_broken_off:
                self.fail(BROKEN_OFF.format(step))

    def _take_up(self) -> Generator[None, None, bool]:
        """Start the oldest Scenario that is pending; the others are marked as Pending."""
        waiting = self._waiting()
        for name in waiting:
            self._writer(name).enter(phases.PENDING, "")
        if not waiting:
            return False
        yield from self._begin(waiting[0])
        return True

    def _waiting(self) -> list[str]:
        return [
            name
            for name, scenario in self._store.read(SCENARIO).items()
            if (scenario.get("status") or {}).get("phase", phases.PENDING) == phases.PENDING
        ]

    def _pause(self) -> bool:
        """No events are left: wait for more; False if it was waiting already."""
        assert self._status is not None
        message, before = self._ignored_message(), self._status.phase
        if before != phases.PAUSED or message != self._status.message:
            self._status.enter(phases.PAUSED, message, self.watch.timeline)
        return before != phases.PAUSED

    def _end(self, phase: str, message: str) -> None:
        assert self._status is not None
        self._status.enter(phase, message, self.watch.timeline)
        self._forget()
