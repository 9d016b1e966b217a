"""One simulated cluster as a value.

A Stage holds the store with all objects, the environment with its clock, and the named random
streams of one seed. It pickles, so it can be saved, forked and sent to another process, and goes
on identically there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import msgspec

import kubestage
from kubestage.cluster.profile import INSTANT
from kubestage.cluster.staged import StagedCluster
from kubestage.controllers import registry
from kubestage.controllers.kubelet.settings import HOLD
from kubestage.controllers.kwok import yielding
from kubestage.controllers.runner import Runner
from kubestage.controllers.settings import Settings
from kubestage.errors import InputError
from kubestage.metrics.scraper import Metrics
from kubestage.scenario.controller import ScenarioController
from kubestage.scenario.kss_annotations import KssAnnotations
from kubestage.scenario.scheduling import BuiltIn, FunctionScheduler, NextPod, Scheduling
from kubestage.scheduler import config, extender_http
from kubestage.scheduler.scheduler import Scheduler
from kubestage.scheduler.what_if import WhatIf
from kubestage.stage.collections import few_collections
from kubestage.stage.state import StageState
from kubestage.store.core import LASTING_STREAM
from kubestage.traffic.traffics import Traffics

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from kubestage.cluster.profile import Profile
    from kubestage.controllers.controller import Loop
    from kubestage.controllers.hpa.framework import Autoscaler
    from kubestage.scenario.settings import Settings as ScenarioSettings
    from kubestage.scenario.sink import Sink
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.stage.options import SchedulerOptions
    from kubestage.store.store import Store


class Stage(StageState):
    """A cluster in virtual time.

    The same seed and the same calls give the same names, uids, times and events, in any process.
    `start` says which moment of the calendar is time zero. Namespaces that loaded objects name are
    created as needed unless `implicit_namespaces` is off. With a `past`, the stage goes on where an
    earlier one ended; schedulers and controllers that are then added take over its objects.

    The other arguments are those of `Store`: the steps and checks of `admission`, whether `garbage`
    is collected at once or by a controller, how many changes watches can go back (`history`), and
    which field manager the first objects name (`seeded_by`).
    """

    scheduler: Scheduler | None = None
    """The scheduler, once it is added."""
    controllers: Runner | None = None
    """The controllers and kubelets, once they are added."""
    scenarios: ScenarioController | None = None
    """What runs Scenarios, once it is added."""
    metrics: Metrics | None = None
    """The metrics of pods, while controllers are at work."""
    traffic: Traffics | None = None
    """The requests of Traffic objects, while controllers are at work."""
    holds_pods = False
    """Whether pods wait for objects that are missing, unless the settings say otherwise."""
    _controller_settings = Settings()
    _traces_requests = False
    _result_annotations: KssAnnotations | None = None

    def add_scheduler(
        self,
        configuration: str | SchedulerConfiguration | None = None,
        **options: Unpack[SchedulerOptions],
    ) -> Scheduler:
        """Have a scheduler work on the stage as time passes.

        `configuration` is a KubeSchedulerConfiguration, as text or loaded; without one the
        defaults of kube-scheduler hold. `SchedulerOptions` describes the options.
        """
        if self.scheduler is not None:
            raise InputError("the stage has a scheduler already", fix="fork it before you add one")
        if isinstance(configuration, str):
            configuration = config.load(configuration)
        options.setdefault("transport", extender_http.post)
        self.scheduler = Scheduler(
            self.store, self.environment, self.streams, configuration, **options
        )
        if self.controllers is not None:
            self.scheduler.wait_for_volumes()
        if self._result_annotations is not None:
            self.scheduler.record.follow(self._result_annotations)
        return self.scheduler

    @property
    def annotates_results(self) -> bool:
        """Whether the result of each attempt is written on its pod, as annotations.

        They are those of kube-scheduler-simulator. All attempts are then recorded in full, which
        takes time. Attempts of an external scheduler are not annotated.
        """
        return self._result_annotations is not None

    @annotates_results.setter
    def annotates_results(self, is_on: bool) -> None:
        if is_on is self.annotates_results:
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
        loops: Iterable[Loop] = registry.ALL,
        traces_requests: bool = False,
        holds_pods: bool = False,
        autoscalers: Mapping[str, type[Autoscaler]] | None = None,
    ) -> Runner:
        """Run controllers, and the kubelets of all nodes, as time passes.

        `settings` are the flags of kube-controller-manager and of the autoscalers, and the
        defaults of pods' lives. `loops` are the loops to run, by default all that there are.
        Where KWOK's Stages are on the stage already, those for pods or nodes stand in for the
        kubelet. Requests of Traffic objects flow from now on, too; with `traces_requests` each of
        their movements is one of the environment, which is slower and comes to the same.
        With `holds_pods`, pods wait for ConfigMaps, Secrets and claims that are missing, unless the
        settings say otherwise, up to the first Scenario.
        `autoscalers` are classes of your own that decide for HPAs, by ``namespace/name`` or ``*``:
        see `kubestage.controllers.hpa.framework`.
        """
        if self.controllers is not None:
            raise InputError("the stage has controllers already", fix="fork it before you add them")
        self._controller_settings = settings or Settings()
        self._traces_requests = traces_requests
        self.holds_pods = holds_pods
        self.metrics = self.metrics or Metrics(self.environment, self._controller_settings.metrics)
        self.controllers = Runner(
            self.store,
            self.environment,
            self.streams,
            loops,
            self._settings_in_force(),
            metrics=self.metrics,
            what_if=WhatIf(self),
            autoscalers=autoscalers,
        )
        self.controllers.start()
        self._add_traffic(self.metrics)
        if self.scheduler is not None:
            self.scheduler.wait_for_volumes()
        return self.controllers

    @property
    def controller_settings(self) -> Settings:
        """The settings that controllers are, or would be, at work with."""
        return self._controller_settings

    def _settings_in_force(self) -> Settings:
        settings = yielding.settings_for(self.store, self._controller_settings)
        if not self.holds_pods or settings.kubelet.absent_references:
            return settings
        kubelet = msgspec.structs.replace(settings.kubelet, absent_references=HOLD)
        return msgspec.structs.replace(settings, kubelet=kubelet)

    def _add_traffic(self, metrics: Metrics) -> None:
        seed, traces = self.streams.seed, self._traces_requests
        self.traffic = Traffics(self.store, self.environment, seed, metrics, traces=traces)
        self.traffic.start()

    def start_over(self, epoch_ns: int) -> None:
        """Start again as a new stage at this moment of the calendar, with the objects it has.

        The scheduler and controllers forget what they did, random streams start again, and time
        begins at zero. Only resource versions go on. That is for a cluster that was emptied: uids
        of deleted objects are used again.
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
            self.holds_pods = False
            settings = self._settings_in_force()
            self.controllers.start_over(settings, metrics=self.metrics, what_if=WhatIf(self))
            self._add_traffic(self.metrics)

    def configure_scheduler(
        self,
        configuration: str | SchedulerConfiguration | None = None,
        **options: Unpack[SchedulerOptions],
    ) -> Scheduler:
        """Replace the scheduler; a Scenario that is running fails by that.

        If the new one cannot be created, the old one stays.
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
        scheduling: Scheduling | None = None,
        sink: Sink | None = None,
        is_live: bool = False,
    ) -> ScenarioController:
        """Add what runs the Scenarios that are created on the stage; `run_scenarios` runs them.

        Each begins as on a new stage, at the stage's start. On a stage that `is_live`, with clients
        connected, the calendar goes on instead.

        `scheduler` is your own scheduler that takes the place of the stage's: a function that is
        called with the store and a hook to call before each attempt; `scheduler_names` are the
        ``schedulerName`` of its pods, if it does not take all of them. `scheduling` is the same for
        a scheduler that works over an API: it says what a step waits for
        (`kubestage.scenario.scheduling.Scheduling`), and the stage must have no scheduler. `sink`
        stores the record.
        """
        if self.scenarios is not None:
            raise InputError("the stage runs Scenarios already", fix="fork it before you add more")
        if scheduling is not None:
            assert self.scheduler is None, "either the stage schedules, or something else does"
        elif scheduler is not None:
            scheduling = FunctionScheduler(self.store, scheduler, scheduler_names)
            if self.scheduler is not None:
                self.scheduler.retire(self.store)
                self.scheduler = None
        elif scheduling is None:
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

    def _check(self) -> None:
        if self.traffic is not None:
            self.traffic.check()
