"""The scheduler's gauges: what is in its queue and cache when the metrics are read."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.scheduler.queue import occasions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.scheduler.cache import Cache
    from kubestage.scheduler.metrics import SchedulerMetrics
    from kubestage.scheduler.queue import SchedulingQueue
    from kubestage.scheduler.runtime import Profile

_EVALUATED: Final = {
    "PreFilter": "pre_filter",
    "Filter": "filter",
    "PreScore": "pre_score",
    "Score": "score",
}


@dataclasses.dataclass(slots=True)
class Gauges:
    """Reads the parts of a scheduler."""

    cache: Cache
    queue: SchedulingQueue
    profiles: Mapping[str, Profile]

    def put(self, metrics: SchedulerMetrics) -> None:
        """Bring the gauges up to date."""
        pods = self.queue.pods()
        metrics.pending_pods.put({(queue,): len(found) for queue, found in pods.items()})
        metrics.goroutines.put({("binding",): 0})
        sizes = self.cache.sizes()
        metrics.cache_size.put({(kind,): size for kind, size in sizes.items()})
        rejected: collections.Counter[tuple[str, ...]] = collections.Counter()
        for found in pods.values():
            for queued in found:
                profile = queued.pod.scheduler_name
                plugins = queued.unschedulable_plugins | queued.pending_plugins
                rejected.update((plugin, profile) for plugin in plugins)
        metrics.unschedulable_pods.put(rejected)
        in_flight = self.queue.in_flight
        events = collections.Counter(occasions.label_of(each) for each in in_flight.events())
        events["PodPopped"] = len(in_flight)
        metrics.in_flight_events.put({(event,): count for event, count in events.items()})
        self._count_evaluations(metrics)

    def _count_evaluations(self, metrics: SchedulerMetrics) -> None:
        """Plugins are evaluated for all nodes at once: once in every run of their point."""
        ran: collections.Counter[tuple[str, str]] = collections.Counter()
        for (point, _, profile), found in metrics.point_duration.distributions.items():
            ran[point, profile] += sum(found.counts)
        metrics.plugin_evaluations.values = {
            (plugin.name, point, name): ran[point, name]
            for name, profile in self.profiles.items()
            for point, attribute in _EVALUATED.items()
            for plugin in getattr(profile, attribute)
        }
