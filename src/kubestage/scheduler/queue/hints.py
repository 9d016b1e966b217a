"""Which events may help which pods: the plugins' queueing hints, by profile."""

from __future__ import annotations

import enum
import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.scheduler import framework, remembered, scalar
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.implementing import implements
from kubestage.scheduler.plugins import alike_hints
from kubestage.scheduler.queue import occasions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.queue.queued_pod import QueuedPod
    from kubestage.scheduler.queue.unschedulable import Rejection
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.timing import Timekeeper

    _Object = dict[str, Any] | None
    _Hint = Callable[[PodView, _Object, _Object], bool] | None

_TAINT_UPDATE: Final = ClusterEvent(EventResource.NODE, ActionType.UPDATE_NODE_TAINT)
_ADAPTED: Final = (scalar.ScalarFilter, remembered.RememberedFilter)
_EVERYTHING: Final = tuple(
    EventHint(ClusterEvent(resource, ActionType.ALL))
    for resource in (
        EventResource.POD,
        EventResource.NODE,
        EventResource.PERSISTENT_VOLUME,
        EventResource.PERSISTENT_VOLUME_CLAIM,
        EventResource.CSI_NODE,
        EventResource.CSI_DRIVER,
        EventResource.CSI_STORAGE_CAPACITY,
        EventResource.STORAGE_CLASS,
        EventResource.RESOURCE_CLAIM,
        EventResource.DEVICE_CLASS,
    )
)
"""The events of a plugin that does not register any."""


class Strategy(enum.Enum):
    """What becomes of a pod after an event."""

    SKIP = "skip"
    AFTER_BACKOFF = "after backoff"
    IMMEDIATELY = "immediately"


class Concern(enum.Enum):
    """For which pods hints are called: for none, for each, or for one of those that are alike."""

    NOBODY = "nobody"
    EACH = "each"
    ALIKE = "alike"


class QueueingHints:
    """All hints of all profiles; what covers an event is looked up once.

    With a `time` that measures, every answer of a hint is measured.
    """

    def __init__(self, profiles: Mapping[str, Profile], time: Timekeeper | None = None) -> None:
        self._time = time if time is not None and time.is_measuring else None
        self._hints = {name: list(_hints_of(profile)) for name, profile in profiles.items()}
        self._covering: dict[tuple[str, ClusterEvent], list[tuple[str, _Hint]]] = {}
        self._interesting: dict[ClusterEvent, bool] = {}
        self._concerns: dict[ClusterEvent, dict[Rejection, Concern]] = {}
        self._alike = {
            name: {each.name for each in _plugins_of(profile) if alike_hints.answers_alike(each)}
            for name, profile in profiles.items()
        }

    def is_of_interest(self, event: ClusterEvent) -> bool:
        """Whether any plugin of any profile waits for such an event."""
        known = self._interesting.get(event)
        if known is None:
            known = event.is_wildcard or any(self._covered(name, event) for name in self._hints)
            self._interesting[event] = known
        return known

    def concern(self, rejection: Rejection, event: ClusterEvent) -> Concern:
        """For which of the pods that were rejected in one way hints are called."""
        known = self._concerns.setdefault(event, {})
        found = known.get(rejection)
        if found is None:
            found = known[rejection] = self._concern(rejection, event)
        return found

    def events_of(self, plugin: str) -> tuple[ClusterEvent, ...]:
        """The events that a plugin waits for in any profile."""
        return tuple(
            each.event for hints in self._hints.values() for name, each in hints if name == plugin
        )

    def strategy(
        self, queued: QueuedPod, event: ClusterEvent, old: _Object, new: _Object
    ) -> Strategy:
        """Whether an event is worth another attempt at a pod.

        Only the hints of plugins that rejected the pod are called. A plugin that reported it as
        pending may bring it back at once; for the others it backs off first.
        """
        if not queued.is_rejected:
            return Strategy.AFTER_BACKOFF
        pod = queued.pod
        if event.is_wildcard:
            is_for_it = new is None or new["metadata"].get("uid") == pod.uid
            return Strategy.AFTER_BACKOFF if is_for_it else Strategy.SKIP
        found = Strategy.SKIP
        for plugin, hint in self._covered(pod.scheduler_name, event):
            pending = plugin in queued.pending_plugins
            if not pending and (
                found is not Strategy.SKIP or plugin not in queued.unschedulable_plugins
            ):
                continue
            if hint is not None and not hint(pod, old, new):
                continue
            if pending:
                return Strategy.IMMEDIATELY
            found = Strategy.AFTER_BACKOFF
            if not queued.pending_plugins:
                return found
        return found

    def _concern(self, rejection: Rejection, event: ClusterEvent) -> Concern:
        plugins = rejection.unschedulable_plugins | rejection.pending_plugins
        if event.is_wildcard or not plugins:
            return Concern.EACH
        rejecting = [
            (plugin, hint)
            for plugin, hint in self._covered(rejection.profile, event)
            if plugin in plugins
        ]
        if not rejecting:
            return Concern.NOBODY
        alike = self._alike[rejection.profile]
        return (
            Concern.ALIKE
            if all(hint is None or plugin in alike for plugin, hint in rejecting)
            else Concern.EACH
        )

    def _covered(self, profile: str, event: ClusterEvent) -> list[tuple[str, _Hint]]:
        found = self._covering.get((profile, event))
        if found is None:
            found = [
                (plugin, self._measured(plugin, event, each.hint))
                for plugin, each in self._hints[profile]
                if each.event.matches(event)
            ]
            self._covering[profile, event] = found
        return found

    def _measured(self, plugin: str, event: ClusterEvent, hint: _Hint) -> _Hint:
        if self._time is None or hint is None:
            return hint
        return functools.partial(self._time.hinted, plugin, occasions.label_of(event), hint)


def _plugins_of(profile: Profile) -> Iterable[Any]:
    """The plugins whose rejection keeps a pod in the queue, each once."""
    plugins: dict[str, Any] = {}
    for place in (
        profile.pre_enqueue, profile.pre_filter, profile.filter, profile.reserve, profile.permit,
    ):  # fmt: skip
        for each in place:
            plugin = each.plugin if isinstance(each, _ADAPTED) else each
            plugins.setdefault(plugin.name, plugin)
    return plugins.values()


def _hints_of(profile: Profile) -> Iterator[tuple[str, EventHint]]:
    """Their hints."""
    for plugin in _plugins_of(profile):
        waits_for = _EVERYTHING
        if implements(plugin, framework.EnqueueExtensions):
            waits_for = tuple(plugin.events_to_register())
        for each in waits_for:
            yield plugin.name, each
        nodes = [each.event for each in waits_for if each.event.resource is EventResource.NODE]
        if any(event.action & ActionType.ADD for event in nodes) and not any(
            event.action & ActionType.UPDATE_NODE_TAINT for event in nodes
        ):
            # As upstream: a plugin that registers new nodes gets updates of taints, too.
            yield plugin.name, EventHint(_TAINT_UPDATE)
