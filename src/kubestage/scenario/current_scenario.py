"""The Scenario that is running or paused: its status, its steps, and what watches it."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING

from kubestage.scenario import phases, resource, timeline, wiping
from kubestage.scenario.attempts import Attempts
from kubestage.scenario.ledger import Ledger
from kubestage.scenario.machine import Machine
from kubestage.scenario.new_cluster import NewCluster
from kubestage.scenario.pod_watch import PodWatch
from kubestage.scenario.resource import SCENARIO
from kubestage.scenario.scheduling import measuring_of
from kubestage.scenario.settings import Detail, Settings
from kubestage.scenario.settling import Settling
from kubestage.scenario.status import StatusWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from kubestage.aliases import Json
    from kubestage.scenario.operations import OperationFailed
    from kubestage.scenario.resource import InvalidEvent, Spec
    from kubestage.scenario.scheduler_writes import ForeignWrite
    from kubestage.scenario.scheduling import NoScheduler, Scheduling
    from kubestage.scenario.sink import Sink
    from kubestage.scheduler.record import Listener
    from kubestage.sim.environment import Environment
    from kubestage.store.log import Change
    from kubestage.store.store import Store


class CurrentScenario:
    """Starts a Scenario on a new cluster, or resumes one, and forgets it at its end.

    `ScenarioController` decides which one, and when.
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
        # Receives the scheduler's attempts while no Scenario is running.
        self.listener: Listener | None = None
        self.machine: Machine | None = None
        self.problem: InvalidEvent | OperationFailed | NoScheduler | ForeignWrite | None = None
        self._store = store
        self._environment = environment
        self._is_alive = is_alive
        self._version = version
        self._new_cluster = NewCluster(store, start_over, origin_ns)
        self._status: StatusWriter | None = None
        self._is_inside = False
        # Whether the cluster is being emptied for a Scenario, and some of it is still there.
        self.is_emptying = False
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

    def divide(self, grain: int) -> None:
        """Let no piece be longer than so many movements, or attempts of the scheduler."""
        self._grain = self._settling.grain = grain

    @property
    def is_preparing(self) -> bool:
        """Whether a step is half done: its events, or what they bring about right away."""
        return self.machine is not None and self.machine.is_preparing

    def _connect(self, scheduling: Scheduling) -> None:
        self._scheduling = scheduling
        self.watch = PodWatch(self._store, Ledger(), scheduling.schedulers)
        self.attempts = Attempts(self._store, self.watch, self.settings.detail)
        self._settling = Settling(
            self._store, self._environment, self.watch, self.settings, is_alive=self._is_alive
        )
        self._settling.grain = self._grain

    def _begin(self, name: str) -> Iterator[None]:
        self._scheduling.stop()
        self._status = self._writer(name)
        self._prepare(timeline.Timeline(self.sink))
        self._status.enter(phases.RUNNING, "")
        assert self.machine is not None
        self.machine.is_preparing = True
        self.is_emptying = True
        try:
            yield from wiping.wipe(self._store, self._grain)
        finally:
            self.is_emptying = False
        counts = self._new_cluster.begin(name)
        # The new scheduler is stopped, too. Components receive changes before watchers do.
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
        written_timeline = (scenario["status"].get("scenarioResult") or {}).get("timeline") or {}
        self._prepare(
            timeline.resumed(written_timeline, self.sink, self._new_cluster.resume(scenario))
        )
        assert self.machine is not None
        written = resource.normalized(scenario)["spec"]["events"]
        happened = [event for events in written_timeline.values() for event in events]
        self.machine.resume(self._status.step, [each["id"] for each in happened or written])
        self.attempts.before = self.watch.timeline.last_attempt
        self.watch.take_up(self._status.step or 0)

    def _prepare(self, events: timeline.Timeline) -> None:
        assert self._status is not None
        self.watch.timeline = events
        self.attempts.detail = self._chosen(self._status.name).detail
        self.attempts.measuring = measuring_of(self._scheduling)
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

    def _forget(self) -> None:
        """A Scenario is over: what the cluster does from now on is not recorded."""
        self._status = self.machine = None
        self.watch.forget()
        self._scheduling.listen(self.listener, in_full=self.listener is not None)
        self._scheduling.go_on()

    def _ignored_message(self) -> str:
        assert self.machine is not None
        return self.machine.ignored_message

    def _writer(self, name: str, *, is_counted: bool = True) -> StatusWriter:
        """What writes a status; without counting, the status keeps the counts it has."""
        pod_counts = self.watch.pod_counts if is_counted else None
        return StatusWriter(
            self._store,
            name,
            self._chosen(name).strategy,
            self._version,
            pod_counts,
            measuring_of(self._scheduling),
        )

    def _chosen(self, name: str) -> Settings:
        """The settings of a Scenario: its own choice, else what holds for all."""
        return self.settings.for_scenario(self._store.read(SCENARIO)[name])

    @abc.abstractmethod
    def on_change(self, change: Change) -> None:
        """Take one change of the store."""
