"""Which pods an event brings back from the pool of unschedulable pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler.queue.hints import Concern, Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kubestage.scheduler.cluster_events import ClusterEvent
    from kubestage.scheduler.queue.hints import QueueingHints
    from kubestage.scheduler.queue.queued_pod import QueuedPod
    from kubestage.scheduler.queue.unschedulable import UnschedulablePods

    _Object = dict[str, Any] | None
    Helped = tuple[QueuedPod, Strategy]


def helped(
    pool: UnschedulablePods,
    hints: QueueingHints,
    event: ClusterEvent,
    old: _Object,
    new: _Object,
) -> list[Helped]:
    """The pods that an event may help, in the order of the pool, and what becomes of them."""
    found: list[Helped] = []
    for rejection in pool.rejections:
        concern = hints.concern(rejection, event)
        if concern is Concern.NOBODY:
            continue
        changed = _key(old if new is None else new)
        for pods in pool.alike(rejection):
            if concern is Concern.ALIKE:
                found.extend(_alike(pods, hints, event, old, new, changed))
            else:
                found.extend(_each(pods, hints, event, old, new))
    found.sort(key=lambda each: pool.place(each[0].key))
    return found


def _each(
    pods: Mapping[str, QueuedPod],
    hints: QueueingHints,
    event: ClusterEvent,
    old: _Object,
    new: _Object,
) -> Iterator[Helped]:
    for queued in pods.values():
        strategy = hints.strategy(queued, event, old, new)
        if strategy is not Strategy.SKIP:
            yield queued, strategy


def _alike(
    pods: Mapping[str, QueuedPod],
    hints: QueueingHints,
    event: ClusterEvent,
    old: _Object,
    new: _Object,
    changed: str,
) -> Iterator[Helped]:
    """One call serves for all, except for the pod that has changed itself."""
    others = pods
    if changed in pods:
        others = {key: queued for key, queued in pods.items() if key != changed}
        yield from _each({changed: pods[changed]}, hints, event, old, new)
    for first in others.values():
        strategy = hints.strategy(first, event, old, new)
        if strategy is not Strategy.SKIP:
            for queued in others.values():
                yield queued, strategy
        break


def _key(obj: _Object) -> str:
    """The key of a pod; that of any other object is no pod's."""
    if obj is None:
        return ""
    metadata = obj["metadata"]
    return f"{metadata.get('namespace') or ''}/{metadata.get('name') or ''}"
