"""Runs the Scenarios of a store, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scenario import phases, resource, scheduler_writes, timeline, wiping
from kubestage.scenario.attempts import Attempts
from kubestage.scenario.beginning import Beginning
from kubestage.scenario.ledger import Ledger
from kubestage.scenario.machine import Machine
from kubestage.scenario.operations import OperationFailed
from kubestage.scenario.pod_watch import PodWatch
from kubestage.scenario.resource import SCENARIO, InvalidEvent
from kubestage.scenario.scheduler_writes import ForeignWrite
from kubestage.scenario.scheduling import NoScheduler
from kubestage.scenario.settings import Detail, Settings
from kubestage.scenario.settling import Settling
from kubestage.scenario.status import StatusWriter
from kubestage.store.log import ADDED, MODIFIED

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from kubestage.aliases import Json
    from kubestage.scenario.resource import Spec
    from kubestage.scenario.scheduling import Scheduling
    from kubestage.scenario.sink import Sink
    from kubestage.scheduler.record import Listener
    from kubestage.sim.environment import Environment
    from kubestage.store.log import Change
    from kubestage.store.store import Store


RESTARTED: Final = "the controller restarted while the Scenario was running"
BROKEN_OFF: Final = "step {} was broken off by an error or an interruption"
CONTRADICTED: Final = "the status of the Scenario was changed by somebody else"
RECONFIGURED: Final = "the scheduler configuration was changed while the Scenario was {}"


class ScenarioController:
    """Takes the oldest Scenario that is pending and runs it to its end, then the next.

    It looks at the cluster only while one is under way. `problem` is what the last one that failed
    by its own events failed of. It works only when it is called: `advance` runs one step, `run` all
    that there is to do. What anybody but the cluster itself changes in between makes the Scenario
    fail. `settings` may be replaced; a Scenario keeps those with which it was begun. `start_over`
    and `origin_ns` are those of `Beginning`.
    """

    def __init__(
        self,
        store: Store,
        environment: Environment,
        scheduling: Scheduling,
        settings: Settings | None = None,
        *,
        is_alive: bool,
        version: str,
        start_over: Callable[[int], None],
        origin_ns: int | None = None,
        sink: Sink | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self.sink = sink
        # Who hears of the scheduler's attempts while no Scenario is under way.
        self.listener: Listener | None = None
        self.machine: Machine | None = None
        self.problem: InvalidEvent | OperationFailed | NoScheduler | ForeignWrite | None = None
        self._store = store
        self._environment = environment
        self._is_alive = is_alive
        self._version = version
        self._beginning = Beginning(store, start_over, origin_ns)
        self._status: StatusWriter | None = None
        self._is_inside = False
        self._grain: int | None = None
        # The events as they were last read, with what they were read from.
        self._read: tuple[Json, Spec] | None = None
        self._connect(scheduling)

    @property
    def current(self) -> str | None:
        """The name of the Scenario that is running or paused."""
        return None if self._status is None else self._status.name

    @property
    def is_paused(self) -> bool:
        """Whether the current Scenario waits for more events."""
        return self._status is not None and self._status.phase == phases.PAUSED

    @property
    def state(self) -> str:
        """Whether the current Scenario is running or paused, in one word."""
        return "" if self._status is None else self._status.phase.lower()

    def start(self) -> None:
        """Take over a store: what was running when its last controller ended has failed."""
        for name, scenario in tuple(self._store.read(SCENARIO).items()):
            phase = (scenario.get("status") or {}).get("phase")
            if phase == phases.RUNNING:
                self._writer(name, is_told=False).enter(phases.FAILED, RESTARTED)
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
        """The same as `advance`, piece by piece: in between, whoever asks for them does other work.

        What somebody changes then makes the Scenario fail, and there are no more pieces. To close
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

    def divide(self, grain: int) -> None:
        """Let no piece be longer than so many movements, or attempts of the scheduler."""
        self._grain = self._settling.grain = grain

    @property
    def is_preparing(self) -> bool:
        """Whether a step is half done: its events, or what they bring about right away."""
        return self.machine is not None and self.machine.is_preparing

    def say(self, message: str) -> None:
        """Have the status of the current Scenario say something about what it waits for."""
        if self._status is not None:
            self._status.enter(self._status.phase, message or self._told_ignored())

    def fail(self, message: str) -> None:
        """End the Scenario that is running or paused."""
        if self._status is not None:
            self._end(phases.FAILED, message)

    def reconfigure(self, scheduling: Scheduling) -> None:
        """Another scheduler has taken over: what is under way would be a mixture of two."""
        self.fail(RECONFIGURED.format(self.state))
        self._connect(scheduling)

    def on_change(self, change: Change) -> None:
        """Hear of one change."""
        status = self._status
        if status is None:
            return
        if (change.kind.api_version, change.kind.kind) == SCENARIO:
            if not (self._is_inside and status.is_about(change.new)):
                self.watch.timeline.own_counts.others.append(change.revision)
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
            told = self._told_interference(change.kind.kind, change.key, did)
            self.watch.foreign_write = self.watch.foreign_write or told
        self.watch.on_change(change)

    def interfered(self, kind: str, key: str, did: str) -> None:
        """Somebody who is not part of the simulation created, changed or deleted an object."""
        self.fail(self._told_interference(kind, key, did))

    def _told_interference(self, kind: str, key: str, did: str) -> str:
        return f"{kind} {key} was {did} by somebody else while the Scenario was {self.state}"

    def _connect(self, scheduling: Scheduling) -> None:
        self._scheduling = scheduling
        self.watch = PodWatch(self._store, Ledger(), scheduling.schedulers)
        self.attempts = Attempts(self._store, self.watch, self.settings.detail)
        self._settling = Settling(
            self._store, self._environment, self.watch, self.settings, is_alive=self._is_alive
        )
        self._settling.grain = self._grain

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
            self._status.enter(phases.RUNNING, self._told_ignored())
            yield from self._run_step(spec, step)
        except (InvalidEvent, OperationFailed, NoScheduler, ForeignWrite) as problem:
            self.problem = problem
            self._end(phases.FAILED, str(problem))
            return True
        if self.machine.is_done:
            self._end(phases.SUCCEEDED, self._told_ignored())
        return True

    def _run_step(self, spec: Spec, step: int) -> Iterator[None]:
        """Run one step; half of one that an error breaks off has happened, so it is not run again.

        What a plugin, a sink or a scheduler of the user's own raises goes on to the caller.
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
        """Begin the oldest Scenario that is pending; the others are told that they wait."""
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

    def _begin(self, name: str) -> Iterator[None]:
        self._scheduling.stop()
        self._status = self._writer(name)
        self._prepare(timeline.Timeline(self.sink))
        self._status.enter(phases.RUNNING, "")
        assert self.machine is not None
        self.machine.is_preparing = True
        yield from wiping.wipe(self._store, self._grain)
        counts = self._beginning.begin(name)
        # The new scheduler is stopped, too. Those who work hear of changes before those who watch.
        self._scheduling.stop()
        self._store.unsubscribe(self.on_change)
        self._store.subscribe(self.on_change)
        self.watch.begin(timeline.Timeline(self.sink, counts))
        self.attempts.before = 0
        self.machine.is_preparing = False

    def _resume(self, name: str, scenario: Json) -> None:
        """Go on with a Scenario that was paused when its last controller ended."""
        self._scheduling.stop()
        self._status = self._writer(name)
        told = (scenario["status"].get("scenarioResult") or {}).get("timeline") or {}
        self._prepare(timeline.resumed(told, self.sink, self._beginning.resume(scenario)))
        assert self.machine is not None
        written = resource.normalized(scenario)["spec"]["events"]
        happened = [event for events in told.values() for event in events]
        self.machine.resume(self._status.step, [each["id"] for each in happened or written])
        self.attempts.before = self.watch.timeline.last_attempt
        self.watch.take_up(self._status.step or 0)

    def _prepare(self, told: timeline.Timeline) -> None:
        assert self._status is not None
        self.watch.timeline = told
        self.attempts.detail = self._chosen(self._status.name).detail
        self._scheduling.listen(self.attempts, in_full=self.attempts.detail is Detail.FULL)
        self.machine = Machine(
            self._store,
            self._scheduling,
            self.watch,
            self.attempts,
            self._settling,
            self._status,
            as_written=self.settings.as_written,
        )

    def _spec(self, name: str) -> Generator[None, None, Spec]:
        """The events as they are now; ids that were missing are written down.

        Many are read in pieces; if they are changed meanwhile, they are read once more.
        """
        while True:
            scenario = self._store.read(SCENARIO)[name]
            if self._read is not None and self._read[0] is scenario.get("spec"):
                return self._read[1]
            normal, spec = yield from resource.read_on(scenario, self._read)
            now = self._store.read(SCENARIO).get(name)
            if now is not None and now.get("spec") is not scenario.get("spec"):
                continue
            if normal != scenario.get("spec"):
                scenario = self._store.update({**scenario, "spec": normal})
            self._read = scenario["spec"], spec
            return spec

    def _pause(self) -> bool:
        """No events are left: wait for more; False if it was waiting already."""
        assert self._status is not None
        message, before = self._told_ignored(), self._status.phase
        if before != phases.PAUSED or message != self._status.message:
            self._status.enter(phases.PAUSED, message, self.watch.timeline)
        return before != phases.PAUSED

    def _end(self, phase: str, message: str) -> None:
        assert self._status is not None
        self._status.enter(phase, message, self.watch.timeline)
        self._forget()

    def _forget(self) -> None:
        """A Scenario is over: what a cluster does that goes on for ever is not kept."""
        self._status = self.machine = None
        self.watch.forget()
        self._scheduling.listen(self.listener, in_full=self.listener is not None)
        self._scheduling.go_on()

    def _told_ignored(self) -> str:
        assert self.machine is not None
        return self.machine.told_ignored

    def _writer(self, name: str, *, is_told: bool = True) -> StatusWriter:
        """Who writes a status; one that nothing more is to be told of keeps the counts it has."""
        strategy, tally = self._chosen(name).strategy, self.watch.tally if is_told else None
        return StatusWriter(self._store, name, strategy, self._version, tally)

    def _chosen(self, name: str) -> Settings:
        """The settings of a Scenario: its own choice, else what holds for all."""
        return self.settings.for_scenario(self._store.read(SCENARIO)[name])
