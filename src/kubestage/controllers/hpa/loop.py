"""Has every HorizontalPodAutoscaler look at its target, each in its own time."""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING, Any

from kubestage.controllers.controller import Controller
from kubestage.controllers.event_recorder import NORMAL
from kubestage.controllers.hpa import own
from kubestage.controllers.hpa.live import AUTOSCALER, Stagehand
from kubestage.controllers.hpa.own import OwnAutoscaler
from kubestage.controllers.hpa.reconcile import RESCALED, Autoscaler
from kubestage.controllers.hpa.selecting import PodSelectors
from kubestage.controllers.trail import Trail
from kubestage.sim.ticktock import Ticktock
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change


class HorizontalController(Controller):
    """Each autoscaler ticks on its own, from one sync period after it appeared.

    Upstream's queue holds every key back for the sync period and drops what is added meanwhile, so
    changes of an autoscaler never make it look earlier, and one that is deleted and made anew
    between two looks goes on where it was.
    """

    name = "horizontal-pod-autoscaler"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._selectors = PodSelectors()
        board = cluster.metrics.board
        self._stagehand = Stagehand(self.store, self.lister, board, self._selectors)
        self._trail = Trail(cluster.environment, "Hpa")
        self._ticktocks: dict[str, Ticktock] = {}
        self._autoscalers: dict[str, Autoscaler | OwnAutoscaler] = {}

    def handlers(self) -> Handlers:
        """Autoscalers; all else is looked at when one ticks."""
        return {("autoscaling", "HorizontalPodAutoscaler"): self._on_autoscaler}

    def _on_autoscaler(self, change: Change) -> None:
        key, namespace = change.key, change.new["metadata"]["namespace"]
        if change.type == DELETED:
            self._selectors.leave(namespace, key)
            return
        self._selectors.enter(namespace, key)
        if key not in self._ticktocks:
            self.cluster.metrics.require()
            self._ticktocks[key] = ticktock = Ticktock(
                self.cluster.environment,
                f"HpaTicktock/{key}",
                "hpa_tick",
                self.settings.hpa.sync_period_ns,
                functools.partial(self.queue.add, key),
            )
            ticktock.start()

    def sync(self, key: str) -> None:
        """Look once, or forget an autoscaler that is gone."""
        hpa = self.lister.get(AUTOSCALER, key)
        if hpa is None:
            self._autoscalers.pop(key, None)
            self._ticktocks.pop(key).stop()
            return
        autoscaler = self._autoscalers.get(key)
        if autoscaler is None:
            autoscaler = self._autoscalers[key] = self._make(key, hpa)
        outcome = autoscaler.sync(self.clock.unix_ns, hpa, self._stagehand.around(key, hpa))
        log = self.cluster.environment.context.logger
        for kind, reason, message in outcome.events:
            self.events.event(hpa, kind, reason, message)
            level = logging.INFO if kind == NORMAL else logging.WARNING
            log.log(level, "HPA %s: %s: %s", key, reason, message)
            if reason == RESCALED:
                self._trail.leave("rescale", key, message)

    def _make(self, key: str, hpa: dict[str, Any]) -> Autoscaler | OwnAutoscaler:
        """The HPA's own rules, unless somebody has brought others for it."""
        brought = own.chosen(self.cluster.autoscalers, key)
        if brought is None:
            return Autoscaler(self.settings.hpa)
        log = self.cluster.environment.context.logger
        return OwnAutoscaler(self.settings.hpa, brought(hpa), self.clock, log)
