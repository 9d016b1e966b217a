"""The pods that wait to be placed, until a whole round has brought nothing."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from kubestage.objects.pod_resources import CPU, MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.requirements.requirements import Requirements
    from kubestage.controllers.karpenter.scheduling.plain_shapes import PlainShape
    from kubestage.controllers.karpenter.scheduling.pod_shapes import PodShape
    from kubestage.controllers.karpenter.state.usage import Volumes


class QueuedPod:
    """A pod to be placed, its volumes by driver, and the alternatives of where they can be had.

    A pod whose volumes cannot be looked up counts in no topology until it has failed once. One that
    lost a volume goes to no node of the cluster.
    """

    __slots__ = (
        "has_lost_volume",
        "key",
        "movable",
        "order",
        "plain",
        "pod",
        "shape",
        "tracked",
        "uid",
        "volume_terms",
        "volumes",
    )  # fmt: skip

    def __init__(
        self,
        pod: Json,
        shape: PodShape,
        volumes: Volumes,
        volume_terms: tuple[Requirements, ...],
        *,
        tracked: bool = True,
        movable: bool = True,
    ) -> None:
        metadata = pod["metadata"]
        self.pod = pod
        self.uid: str = metadata.get("uid") or ""
        self.key = f"{shape.namespace}/{metadata['name']}"
        self.shape = shape
        self.volumes = volumes
        self.volume_terms = volume_terms
        self.tracked = tracked
        self.movable = movable
        self.has_lost_volume = False
        self.plain: PlainShape | None = None
        requests = shape.amounts
        created: str = metadata.get("creationTimestamp") or ""
        self.order = (-requests.get(CPU, 0), -requests.get(MEMORY, 0), created, self.uid)


class PodQueue:
    """Large pods first; those that fail go to the back."""

    def __init__(self, pods: Iterable[QueuedPod]) -> None:
        self._pods = collections.deque(sorted(pods, key=order_of))
        self._length_when_pushed: dict[str, int] = {}

    def pop(self) -> QueuedPod | None:
        """The next pod; None when none is left or all have failed in turn."""
        if not self._pods:
            return None
        pod = self._pods[0]
        if self._length_when_pushed.get(pod.uid) == len(self._pods):
            return None
        return self._pods.popleft()

    def push(self, pod: QueuedPod) -> None:
        """Put back a pod that has failed."""
        self._pods.append(pod)
        self._length_when_pushed[pod.uid] = len(self._pods)


def order_of(queued: QueuedPod) -> tuple[int, int, str, str]:
    """Where a pod comes in the queue."""
    return queued.order
