"""A pod in the scheduling queue, with its history there."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.errors import SimulationError

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.cluster_events import ClusterEvent
    from kubestage.scheduler.plugins.alike_hints import Likeness

_MAX_TRIES: Final = 1000
"""A pod that is tried so often in one instant would be tried without end."""


@dataclasses.dataclass(slots=True, eq=False)
class QueuedPod:
    """A pod on its way to a node.

    `queued_ns` is when it last came (back) to the queue and `sequence` numbers such moments, so
    that pods of one nanosecond keep their order. `gating_plugin` is the PreEnqueue plugin that
    keeps it from being tried at all, '' if none does. `tries` counts the attempts within the
    instant `tried_ns`. `likeness` is that of the pod, once it is known.
    `key` is ``namespace/name``, by which queues know a pod.
    """

    pod: PodView
    queued_ns: int
    sequence: int
    attempts: int = 0
    unschedulable_count: int = 0
    consecutive_errors: int = 0
    backoff_until_ns: int | None = None
    first_attempt_ns: int | None = None
    unschedulable_plugins: frozenset[str] = frozenset()
    pending_plugins: frozenset[str] = frozenset()
    gating_plugin: str = ""
    gating_events: tuple[ClusterEvent, ...] = ()
    flushed_ns: int | None = None
    tried_ns: int = -1
    tries: int = 0
    likeness: Likeness | None = None
    key: str = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.key = self.pod.key

    def renew(self, pod: PodView) -> None:
        """Take in another version of the pod."""
        old = self.pod
        if not (
            old.plan is pod.plan
            and old.requests is pod.requests
            and old.labels is pod.labels
            and old.raw["metadata"].get("ownerReferences")
            is pod.raw["metadata"].get("ownerReferences")
        ):
            self.likeness = None
        self.pod = pod

    def count_try(self, now_ns: int) -> None:
        """Count an attempt that starts now."""
        if self.tried_ns != now_ns:
            self.tried_ns, self.tries = now_ns, 0
        self.tries += 1
        if self.tries > _MAX_TRIES:
            raise SimulationError(f"pod {self.key} is tried over and over again at {now_ns} ns")
        self.attempts += 1

    @property
    def is_gated(self) -> bool:
        """Whether a PreEnqueue plugin holds it back."""
        return bool(self.gating_plugin)

    def is_gated_from(self, event: ClusterEvent) -> bool:
        """Whether an event is of no use to it because its gate does not wait for such."""
        return (
            self.is_gated
            and not event.is_wildcard
            and not any(each.matches(event) for each in self.gating_events)
        )

    @property
    def is_rejected(self) -> bool:
        """Whether a plugin refused it, as opposed to something having gone wrong."""
        return bool(self.unschedulable_plugins or self.pending_plugins)

    @property
    def waiting_since_ns(self) -> int:
        """Since when it is among the unschedulable pods, for their timeout."""
        return self.queued_ns if self.flushed_ns is None else max(self.queued_ns, self.flushed_ns)
