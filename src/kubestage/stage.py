"""The stage: one simulated cluster as a value, where the rooms meet.

A Stage holds the store with all objects, the environment with its clock, and the named random
streams of one seed. It pickles, so it can be saved, forked and sent to another process, and goes
on identically there.
"""

from __future__ import annotations

import contextlib
import gc
import pickle
from typing import TYPE_CHECKING, Any

import kubestage
from kubestage.cluster.profile import INSTANT
from kubestage.cluster.staged import StagedCluster
from kubestage.controllers import registry
from kubestage.controllers.kwok import yielding
from kubestage.controllers.runner import Runner
from kubestage.controllers.settings import Settings
from kubestage.errors import InputError, SimulationError
from kubestage.metrics.scraper import Metrics
from kubestage.objects import durations, manifest, timestamps
from kubestage.scenario.controller import ScenarioController
from kubestage.scenario.kss_annotations import KssAnnotations
from kubestage.scenario.scheduling import BuiltIn, NextPod, Outside, Scheduling
from kubestage.scheduler import config, extender_http
from kubestage.scheduler.scheduler import Scheduler
from kubestage.scheduler.what_if import WhatIf
from kubestage.sim.clock import EPOCH_2026_NS, Clock
from kubestage.sim.environment import Environment
from kubestage.sim.recorder import CountsOnly
from kubestage.sim.streams import Streams
from kubestage.store import restoring
from kubestage.store.client_side_apply import Applier
from kubestage.store.core import LASTING_STREAM
from kubestage.store.store import Store
from kubestage.traffic.traffics import Traffics

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from kubestage.cluster.profile import Profile
    from kubestage.controllers.controller import Controller
    from kubestage.controllers.hpa.framework import Autoscaler
    from kubestage.scenario.settings import Settings as ScenarioSettings
    from kubestage.scenario.sink import Sink
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.store.restoring import Past

    Objects = str | bytes | dict[str, Any] | Iterable[dict[str, Any]]

_COLLECTIONS = (100_000, 50, 100)
# Of Python's collections, before each who wanted few of them.
_thresholds: list[tuple[int, int, int]] = []
_SLICE_NS = 1_000_000_000
_MOVEMENTS = 5_000
# What others refer to comes first, as an operator would create it.
_FIRST = ("CustomResourceDefinition", "Namespace", "PriorityClass", "StorageClass")


def _nobody() -> None:
    """Nobody wants to be told."""


class Stage:
    """A cluster in virtual time.

    The same seed and the same calls give the same names, uids, times and events, in any process.
    `start` says which moment of the calendar is time zero. Namespaces that loaded objects name are
    made as needed unless `implicit_namespaces` is off. With a `past`, the stage goes on where an
    earlier one ended; schedulers and controllers that are then added take over what is there.
    `store` are more options of `Store`: which admission it has, who collects garbage.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        start: str | None = None,
        implicit_namespaces: bool = True,
        past: Past | None = None,
        **store: Any,
    ) -> None:
        self.seed = seed
        self.streams = Streams(seed, 0 if past is None else past.boot)
        epoch_ns = EPOCH_2026_NS if start is None else timestamps.parse_time(start)
        self._start_ns = epoch_ns if past is None else past.unix_ns
        self.clock = Clock(self._start_ns)
        self.environment = Environment(clock=self.clock, recorder=CountsOnly())
        if past is not None:
            store |= {"first_revision": past.revision, "seeded": False}
        self.store = Store(
            self.clock, self.streams, implicit_namespaces=implicit_namespaces, **store
        )
        if past is not None:
            restoring.restore(self.store, past)
        self._applier = Applier()
        self.scheduler: Scheduler | None = None
        self.controllers: Runner | None = None
        self.scenarios: ScenarioController | None = None
        self.metrics: Metrics | None = None
        self.traffic: Traffics | None = None
        self._controller_settings = Settings()
        self._traces_requests = False
        self._result_annotations: KssAnnotations | None = None

    @property
    def now(self) -> str:
        """The virtual time, as objects write it."""
        return timestamps.format_time(self.clock.unix_ns)

    def load(self, objects: Objects) -> list[dict[str, Any]]:
        """Put objects on the stage as they are, status and uid included; returns them as stored.

        Takes YAML or JSON text, a dict, or dicts. Definitions, namespaces and classes go first,
        all else in the order given.
        """
        ordered = sorted(_listed(objects), key=rank)
        return [self.store.load(obj) for obj in ordered]

    def apply(self, objects: Objects) -> list[dict[str, Any]]:
        """Create or change objects as ``kubectl apply`` does; returns them as stored.

        What is new is defaulted, admitted and validated, and has no status. What is there takes
        on what the manifest says, and loses what an earlier manifest said and this one does not.
        """
        ordered = sorted(_listed(objects), key=rank)
        return [self._applier.apply(self.store, obj) for obj in ordered]

    def add_scheduler(
        self, configuration: str | SchedulerConfiguration | None = None, **options: Any
    ) -> Scheduler:
        """Have a scheduler work on the stage as time passes.

        `configuration` is a KubeSchedulerConfiguration, as text or loaded; without one the
        defaults of kube-scheduler hold. `options` are those of `Scheduler`: plugins, tie_break,
        recording and so on.
        """
        if self.scheduler is not None:
            raise InputError("the stage has a scheduler already", fix="fork it before you add one")
        if isinstance(configuration, str):
            configuration = config.load(configuration)
        settings = {"transport": extender_http.post, **options}
        self.scheduler = Scheduler(
            self.store, self.environment, self.streams, configuration, **settings
        )
        if self.controllers is not None:
            self.scheduler.wait_for_volumes()
        if self._result_annotations is not None:
            self.scheduler.record.follow(self._result_annotations)
        return self.scheduler

    @property
    def annotates_results(self) -> bool:
        """Whether the result of each attempt is written on its pod, as annotations.

        They are those of kube-scheduler-simulator. All attempts are then told in full, so it takes
        time. A scheduler outside is not told of.
        """
        return self._result_annotations is not None

    @annotates_results.setter
    def annotates_results(self, wanted: bool) -> None:
        if wanted is self.annotates_results:
            return
        record = None if self.scheduler is None else self.scheduler.record
        if self._result_annotations is not None:
            if record is not None:
                record.unfollow(self._result_annotations)
            self._result_annotations = None
            return
        self._result_annotations = KssAnnotations(self.store)
        if record is not None:
            record.follow(self._result_annotations)

    def add_controllers(
        self,
        settings: Settings | None = None,
        *,
        loops: Iterable[type[Controller]] = registry.ALL,
        traces_requests: bool = False,
        autoscalers: Mapping[str, type[Autoscaler]] | None = None,
    ) -> Runner:
        """Have workloads come alive as time passes: the controllers and the kubelets of all nodes.

        `settings` are the flags of kube-controller-manager and of the autoscalers, and the
        defaults of pods' lives. `loops` are the loops to run, by default all that there are.
        Where KWOK's Stages are on the stage already, those for pods or nodes stand in for the
        kubelet. Requests of Traffic objects flow from now on, too; with `traces_requests` each of
        their movements is one of the environment, which is slower and comes to the same.
        `autoscalers` are classes of your own that decide for HPAs, by ``namespace/name`` or ``*``:
        see `kubestage.controllers.hpa.framework`.
        """
        if self.controllers is not None:
            raise InputError("the stage has controllers already", fix="fork it before you add them")
        self._controller_settings = settings or Settings()
        self._traces_requests = traces_requests
        self.metrics = self.metrics or Metrics(self.environment, self._controller_settings.metrics)
        self.controllers = Runner(
            self.store,
            self.environment,
            self.streams,
            loops,
            yielding.settings_for(self.store, self._controller_settings),
            metrics=self.metrics,
            what_if=WhatIf(self),
            autoscalers=autoscalers,
        )
        self.controllers.start()
        self._add_traffic(self.metrics)
        if self.scheduler is not None:
            self.scheduler.wait_for_volumes()
        return self.controllers

    def _add_traffic(self, metrics: Metrics) -> None:
        seed, traces = self.streams.seed, self._traces_requests
        self.traffic = Traffics(self.store, self.environment, seed, metrics, traces=traces)
        self.traffic.start()

    def start_over(self, epoch_ns: int) -> None:
        """Be as a new stage at this moment of the calendar, with the objects that are there.

        Whoever works on the stage does so with nothing in mind, random streams give again what they
        gave first, and time begins at zero. Only versions of objects go on. That is for a cluster
        that was emptied: uids come up again that were given to what is gone.
        """
        self.environment.restart(epoch_ns)
        self.streams.rewind(but=(LASTING_STREAM,))
        if self.traffic is not None:
            self.traffic.stop()
        self.store.start_over()
        if self.scheduler is not None:
            self.scheduler.start_over()
        if self.controllers is not None:
            assert self.metrics is not None
            self.metrics = Metrics(self.environment, self.metrics.settings)
            settings = yielding.settings_for(self.store, self._controller_settings)
            self.controllers.start_over(settings, metrics=self.metrics, what_if=WhatIf(self))
            self._add_traffic(self.metrics)

    def configure_scheduler(
        self, configuration: str | SchedulerConfiguration | None = None, **options: Any
    ) -> Scheduler:
        """Have another scheduler take over; a Scenario that is under way fails by that.

        If it cannot be made, the one that is there works on.
        """
        before = self.scheduler
        self.scheduler = None
        try:
            scheduler = self.add_scheduler(configuration, **options)
        except BaseException:
            self.scheduler = before
            raise
        if before is not None:
            before.retire(self.store)
        if self.scenarios is not None:
            self.scenarios.reconfigure(BuiltIn(scheduler))
        return scheduler

    def add_scenarios(
        self,
        settings: ScenarioSettings | None = None,
        *,
        scheduler: Callable[[Store, NextPod], None] | None = None,
        scheduler_names: Collection[str] | None = None,
        sink: Sink | None = None,
        is_live: bool = False,
    ) -> ScenarioController:
        """Have Scenarios run that are created on the stage; `run_scenarios` lets them.

        Each begins as on a new stage, at the stage's start. On a stage that is live, with people
        or programs watching, the calendar goes on instead.

        `scheduler` is a scheduler of your own that takes the place of the stage's: a function that
        is handed the store and a hook to call before each attempt; `scheduler_names` are the
        names that pods know it by, if it does not take all of them. `sink` keeps the record.
        """
        if self.scenarios is not None:
            raise InputError("the stage runs Scenarios already", fix="fork it before you add more")
        if scheduler is not None:
            scheduling: Scheduling = Outside(self.store, scheduler, scheduler_names)
            if self.scheduler is not None:
                self.scheduler.retire(self.store)
                self.scheduler = None
        else:
            scheduling = BuiltIn(self.scheduler or self.add_scheduler())
        self.scenarios = ScenarioController(
            self.store,
            self.environment,
            scheduling,
            settings,
            is_alive=self.controllers is not None,
            version=kubestage.__version__,
            start_over=self.start_over,
            origin_ns=None if is_live else self._start_ns,
            sink=sink,
        )
        self.scenarios.start()
        return self.scenarios

    def run_scenarios(self) -> None:
        """Run Scenarios until all have ended, or one is paused."""
        if self.scenarios is None:
            self.add_scenarios()
        assert self.scenarios is not None
        with few_collections():
            self.scenarios.run()

    def run(self, duration: str | int) -> None:
        """Let virtual time pass: ``"10m"``, or nanoseconds."""
        if isinstance(duration, str):
            try:
                duration = durations.parse_duration(duration)
            except ValueError as error:
                raise InputError(str(error), fix="write it as 90s, 10m or 1h30m") from error
        with few_collections():
            self.environment.run(until_ns=self.clock.now_ns + duration)
            if self.traffic is not None:
                self.traffic.check()

    def cluster(self, profile: Profile = INSTANT) -> StagedCluster:
        """The stage as a load sees it: calls, watches and pages, as long as `profile` says."""
        return StagedCluster(
            self.store,
            self.environment,
            self.streams,
            profile,
            scheduler=self.scheduler,
            controllers=self.controllers,
            metrics=self.metrics,
        )

    def run_until(self, is_over: Callable[[], bool], told: Callable[[], None] = _nobody) -> None:
        """Let virtual time pass until something is over; `told` is called now and then.

        It is asked after every few thousand movements, so time may go on a little after the end.
        """
        with few_collections():
            while not is_over():
                due_ns = self.environment.next_movement_time
                if due_ns is None:
                    raise SimulationError("nothing is going to happen, and it is not over")
                self.environment.run_some(due_ns + _SLICE_NS, _MOVEMENTS)
                told()
            if self.traffic is not None:
                self.traffic.check()

    def fork(self) -> Stage:
        """An independent copy that goes on as this one would."""
        copy: Stage = pickle.loads(pickle.dumps(self, pickle.HIGHEST_PROTOCOL))
        return copy


def _listed(objects: Objects) -> Iterable[dict[str, Any]]:
    if isinstance(objects, str | bytes):
        return [document.object for document in manifest.load_text(objects)]
    return [objects] if isinstance(objects, dict) else objects


@contextlib.contextmanager
def few_collections() -> Iterator[None]:
    """Have Python look for cycles less often while a run makes objects by the thousand.

    NOTE: a run makes next to no cycles, but each look goes over all objects of the stage: a fifth
    of the time of a large rollout (benchmarks/controllers.py).

    Several may want that at a time, and end in any order: the last one puts things right.
    """
    _thresholds.append(gc.get_threshold())
    gc.set_threshold(*_COLLECTIONS)
    try:
        yield
    finally:
        first = _thresholds[0]
        _thresholds.pop()
        if not _thresholds:
            gc.set_threshold(*first)


def rank(obj: dict[str, Any]) -> int:
    """When an object's turn comes among others that are put on a stage together."""
    kind = obj.get("kind")
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST)
