"""PreEnqueue: whether a pod may be tried at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.status import SUCCESS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.scheduler.queue.hints import QueueingHints
    from kubestage.scheduler.queue.queued_pod import QueuedPod
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.timing import Timekeeper


class Gates:
    """The PreEnqueue plugins of all profiles."""

    def __init__(
        self, profiles: Mapping[str, Profile], hints: QueueingHints, time: Timekeeper
    ) -> None:
        self._profiles = profiles
        self._hints = hints
        self._time = time

    def let_in(self, queued: QueuedPod) -> bool:
        """Run the PreEnqueue plugins, first the one that held the pod back last time."""
        name = queued.pod.scheduler_name
        plugins = self._profiles[name].pre_enqueue
        last = queued.gating_plugin
        if last:
            plugins = sorted(plugins, key=lambda plugin: plugin.name != last)
        queued.gating_plugin = ""
        for plugin in plugins:
            if not plugin.pre_enqueue(queued.pod).is_success:
                queued.unschedulable_plugins |= {plugin.name}
                queued.gating_plugin = plugin.name
                queued.gating_events = self._hints.events_of(plugin.name)
                break
        # Upstream reports every result as a success.
        self._time.ran("PreEnqueue", SUCCESS, name)
        return not queued.gating_plugin
