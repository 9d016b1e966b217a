"""The vertical pod autoscaler in a cluster: its timers and its handlers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import Controller
from kubestage.controllers.pods import POD
from kubestage.controllers.vpa import policies
from kubestage.controllers.vpa.admission import PodAdmission
from kubestage.controllers.vpa.recommender import RecommenderRound
from kubestage.controllers.vpa.targets import Targets
from kubestage.controllers.vpa.updater import Updater
from kubestage.sim.periodic_timer import PeriodicTimer
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change

_TICK: Final = "vpa_tick"


class VpaController(Controller):
    """Recommender, updater and admission, as long as there is a VerticalPodAutoscaler.

    The recommender's tick comes before the updater's of the same moment, so that what is updated
    is what is recommended now.
    """

    name = "vpa-updater"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        settings = self.settings.vpa
        targets = Targets(self.store)
        self.recommender = RecommenderRound(cluster, targets, settings)
        self.updater = Updater(cluster, self.lister, targets, settings, self.events)
        self.admission = PodAdmission(self.store, targets)
        environment = cluster.environment
        self._timers = (
            PeriodicTimer(
                environment,
                "VpaRecommender",
                _TICK,
                settings.recommender_interval_ns,
                self.recommender.run,
            ),
            PeriodicTimer(
                environment, "VpaUpdater", _TICK, settings.updater_interval_ns, self.updater.run
            ),
        )

    def handlers(self) -> Handlers:
        """Autoscalers and pods."""
        return {
            ("autoscaling.k8s.io", "VerticalPodAutoscaler"): self._on_vpa,
            ("", "Pod"): self._on_pod,
        }

    def sync(self, key: str) -> None:
        """Nothing is ever queued: everything is done at ticks."""
        raise AssertionError(key)

    def _on_pod(self, change: Change) -> None:
        if self.is_on:
            self.recommender.feeder.on_pod_change(change)

    def _on_vpa(self, change: Change) -> None:
        is_gone = change.type == DELETED
        self.admission.on_vpa(change.key, None if is_gone else change.new, change.old)
        if not is_gone:
            self._start_work()
        elif not self.store.read(policies.VPA):
            for timer in self._timers:
                timer.stop()
            self.store.remove_webhook(self.admission)

    @property
    def is_on(self) -> bool:
        """Whether there is anything to do."""
        return self._timers[0].is_running

    def _start_work(self) -> None:
        """Start with all existing pods: they were ignored while there was no autoscaler."""
        if self.is_on:
            return
        self.recommender.feeder.add_pods(self.store.read(POD))
        self.cluster.metrics.require()
        self.store.add_webhook(self.admission)
        for timer in self._timers:
            timer.start()
