"""The order in which pods are tried, and when it ends."""

from __future__ import annotations

from kubestage.controllers.karpenter.scheduling.options import Options
from kubestage.controllers.karpenter.scheduling.pod_shapes import PodShape
from kubestage.controllers.karpenter.scheduling.queue import PodQueue, QueuedPod
from tests.controllers.karpenter import objects


def _queued(name: str, cpu: str = "1", created: str = objects.CREATED) -> QueuedPod:
    pod = objects.pod(name, cpu=cpu, creationTimestamp=created)
    return QueuedPod(pod, PodShape(pod, Options()), {}, ())


def _name(queued: QueuedPod | None) -> str:
    return "" if queued is None else queued.pod["metadata"]["name"]


def test_large_pods_come_first_then_old_ones_then_by_uid() -> None:
    queue = PodQueue(
        [
            _queued("b"),
            _queued("a"),
            _queued("old", created="1999-01-01T00:00:00Z"),
            _queued("large", cpu="1500m"),
        ]
    )
    assert [_name(queue.pop()) for _ in range(5)] == ["large", "old", "a", "b", ""]


def test_it_ends_when_a_round_has_brought_nothing() -> None:
    queue = PodQueue([_queued("a"), _queued("b"), _queued("c")])
    tried = []
    while (queued := queue.pop()) is not None:
        tried.append(_name(queued))
        queue.push(queued)
    assert tried == ["a", "b", "c"]


def test_it_goes_on_for_as_long_as_pods_are_placed() -> None:
    queue = PodQueue([_queued("a"), _queued("b"), _queued("c")])
    tried = []
    while (queued := queue.pop()) is not None:
        tried.append(_name(queued))
        if _name(queued) != "b":
            queue.push(queued)
    assert tried == ["a", "b", "c", "a"]
