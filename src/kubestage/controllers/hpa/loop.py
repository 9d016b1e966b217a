"""The loop of HorizontalPodAutoscalers, each with a timer of its own."""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING, Any

from kubestage.controllers.controller import Controller
from kubestage.controllers.decision_trace import DecisionTrace
from kubestage.controllers.hpa import user_autoscaler
from kubestage.controllers.hpa.live_context import AUTOSCALER, SharedContext
from kubestage.controllers.hpa.reconcile import RESCALED, HorizontalAutoscaler
from kubestage.controllers.hpa.selecting import PodSelectors
from kubestage.controllers.hpa.user_autoscaler import UserAutoscaler
from kubestage.sim.periodic_timer import PeriodicTimer
from kubestage.store.event_recorder import NORMAL
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change


class HorizontalController(Controller):
    """Each autoscaler ticks on its own, from one sync period after it appeared.

    Upstream's queue holds every key back for the sync period and drops what is added meanwhile, so
    changes of an autoscaler never make it sync earlier, and one that is deleted and created again
    between two syncs continues where it was.
    """

    name = "horizontal-pod-autoscaler"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._selectors = PodSelectors()
        board = cluster.metrics.board
        self._shared = SharedContext(self.store, self.lister, board, self._selectors)
        self._decisions = DecisionTrace(cluster.environment, "Hpa")
        self._timers: dict[str, PeriodicTimer] = {}
        self._autoscalers: dict[str, HorizontalAutoscaler | UserAutoscaler] = {}

    def handlers(self) -> Handlers:
        """Autoscalers; everything else is read when one ticks."""
        return {("autoscaling", "HorizontalPodAutoscaler"): self._on_autoscaler}

    def _on_autoscaler(self, change: Change) -> None:
        key, namespace = change.key, change.new["metadata"]["namespace"]
        if change.type == DELETED:
            self._selectors.leave(namespace, key)
            return
        self._selectors.enter(namespace, key)
        if key not in self._timers:
            self.cluster.metrics.require()
            self._timers[key] = timer = PeriodicTimer(
                self.cluster.environment,
                f"HpaTicktock/{key}",
                "hpa_tick",
                self.settings.hpa.sync_period_ns,
                functools.partial(self.queue.add, key),
            )
            timer.start()

    def sync(self, key: str) -> None:
        """Sync an autoscaler, or drop one that is gone."""
        hpa = self.lister.get(AUTOSCALER, key)
        if hpa is None:
            self._autoscalers.pop(key, None)
            self._timers.pop(key).stop()
            return
        autoscaler = self._autoscalers.get(key)
        if autoscaler is None:
            autoscaler = self._autoscalers[key] = self._make(key, hpa)
        result = autoscaler.sync(self.clock.unix_ns, hpa, self._shared.context(key, hpa))
        log = self.cluster.environment.context.logger
        for kind, reason, message in result.events:
            self.events.event(hpa, kind, reason, message)
            level = logging.INFO if kind == NORMAL else logging.WARNING
            log.log(level, "HPA %s: %s: %s", key, reason, message)
            if reason == RESCALED:
                self._decisions.record("rescale", key, message)

    def _make(self, key: str, hpa: dict[str, Any]) -> HorizontalAutoscaler | UserAutoscaler:
        """The HPA's rules, unless the user provides an autoscaler for it."""
        user_class = user_autoscaler.chosen_class(self.cluster.autoscalers, key)
        if user_class is None:
            return HorizontalAutoscaler(self.settings.hpa)
        log = self.cluster.environment.context.logger
        return UserAutoscaler(self.settings.hpa, user_class(hpa), self.clock, log)
