"""Which of an owner's pods are deleted first."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.objects import timestamps
from kubestage.objects.validation import pod_annotations

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json


_PHASES: Final = {"Pending": 0, "Unknown": 1, "Running": 2}


def first_to_go(
    candidates: Sequence[Json], related: Iterable[Json], count: int, now_unix_ns: int
) -> list[Json]:
    """The `count` pods that are missed least.

    `related` are pods that serve the same purpose, the candidates among them: of candidates that
    are alike otherwise, one that shares its node with more of them goes first.
    """
    if count >= len(candidates):
        return list(candidates)
    on_node = Counter(_node(pod) for pod in related if pods.is_active(pod))
    ranked = (
        _Ranked(pod, position, on_node[_node(pod)], now_unix_ns)
        for position, pod in enumerate(candidates)
    )
    return [each.pod for each in heapq.nsmallest(count, ranked)]


class _Ranked:
    """A pod with its merits; the lesser goes first."""

    __slots__ = ("created_ns", "head", "now_ns", "pod", "position", "ready_ns", "restarts", "uid")

    def __init__(self, pod: Json, position: int, neighbours: int, now_ns: int) -> None:
        metadata, status = pod["metadata"], pod.get("status") or {}
        ready = pods.condition(status, "Ready")
        is_ready = ready is not None and ready["status"] == "True"
        self.pod = pod
        self.position = position
        self.now_ns = now_ns
        self.uid: str = metadata["uid"]
        self.head = (
            bool(_node(pod)),
            _PHASES.get(pods.phase(pod), 0),
            is_ready,
            _cost(metadata.get("annotations")),
            -neighbours,
        )
        # Of a pod that is not ready, no time matters: among its equals none is ready.
        self.ready_ns = _time_ns(ready.get("lastTransitionTime")) if ready and is_ready else 0
        self.restarts = _restarts(pod, status)
        self.created_ns = _time_ns(metadata.get("creationTimestamp"))

    def __lt__(self, other: _Ranked) -> bool:
        if self.head != other.head:
            return self.head < other.head
        if self.ready_ns != other.ready_ns:
            return self._is_younger(other, self.ready_ns, other.ready_ns)
        if self.restarts != other.restarts:
            return self.restarts > other.restarts
        if self.created_ns != other.created_ns:
            return self._is_younger(other, self.created_ns, other.created_ns)
        return self.position < other.position

    def _is_younger(self, other: _Ranked, one_ns: int, other_ns: int) -> bool:
        """Ages are compared by their powers of two, and those alike by uid: as good as by lot."""
        if not one_ns or not other_ns:
            return not one_ns
        one, two = _age(one_ns, self.now_ns), _age(other_ns, self.now_ns)
        return self.uid < other.uid if one == two else one < two


def _age(since_ns: int, now_ns: int) -> int:
    return int(math.log2(now_ns - since_ns)) if now_ns > since_ns else -1


def _node(pod: Json) -> str:
    node: str = pod["spec"].get("nodeName") or ""
    return node


def _cost(annotations: dict[str, str] | None) -> int:
    if not annotations or pod_annotations.DELETION_COST not in annotations:
        return 0
    is_valid = pod_annotations.has_valid_deletion_cost(annotations)
    return int(annotations[pod_annotations.DELETION_COST]) if is_valid else 0


def _time_ns(text: str | None) -> int:
    return timestamps.parse_time(text) if text else 0


def _restarts(pod: Json, status: Json) -> tuple[int, int]:
    """The most restarts of a container, and of a sidecar."""
    regular = max((_count(each) for each in status.get("containerStatuses") or ()), default=0)
    statuses = status.get("initContainerStatuses")
    if not statuses:
        return regular, 0
    sidecars = {
        each["name"]
        for each in pod["spec"].get("initContainers") or ()
        if each.get("restartPolicy") == "Always"
    }
    among = (_count(each) for each in statuses if each["name"] in sidecars)
    return regular, max(among, default=0)


def _count(container: Json) -> int:
    count: int = container.get("restartCount") or 0
    return count
