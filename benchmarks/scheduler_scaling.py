"""What a pod costs as clusters grow: `basic` pods, bound and with their Events.

All pods are queued before the first is tried. They are made one at a time, so what is held in
memory is the product's own.
"""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any, Final

import scheduler_lists
import scheduler_measuring

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from kubestage.scheduler.scheduler import Scheduler

NODES: Final = (1_000, 5_000, 20_000, 100_000)
PODS: Final = (10_000, 100_000)
LARGE: Final = 1_000_000
SLICE_SECONDS: Final = 1.0
MAX_MB: Final = 8 * 1024


def sizes(*, large: bool) -> Iterator[tuple[int, int]]:
    """Nodes and pods of each row, smallest first; pods that would not fit are left out."""
    pods = (*PODS, LARGE) if large else PODS
    for row in itertools.product(NODES, pods):
        if fits(*row):
            yield row


def fits(nodes: int, pods: int) -> bool:
    """Whether there is room for so many pods."""
    return pods <= nodes * scheduler_lists.PODS_A_NODE


def measure(nodes: int, pods: int, folder: pathlib.Path | None) -> dict[str, Any]:
    """One size in this process."""
    made = itertools.chain(
        map(scheduler_lists.node, range(nodes)), map(scheduler_lists.pod, range(pods))
    )
    started = time.process_time()
    scheduler, _, pending = scheduler_measuring.prepared(scheduler_measuring.Work(made))
    filling_seconds = time.process_time() - started
    effort = scheduler_measuring.run(scheduler, folder, SLICE_SECONDS)
    assert effort.attempts == pending == pods, "each pod is tried once"
    evaluated, scored = _looked_at(scheduler)
    return {
        "nodes": nodes,
        "pods": pods,
        "us_per_pod": effort.seconds * 1e6 / pods,
        "speed": effort.speed,
        "evaluated_per_pod": evaluated / pods,
        "scored_per_pod": scored / pods,
        "filling_us_per_object": filling_seconds * 1e6 / (nodes + pods),
        "peak_mb": scheduler_measuring.peak_mb(),
    }


def _looked_at(scheduler: Scheduler) -> tuple[int, int]:
    """How many nodes all attempts together looked at and scored; every pod must have got one."""
    evaluated = scored = 0
    for row in scheduler.record.decisions:
        assert row.node, f"{row.pod} has no node"
        evaluated += row.evaluated
        scored += row.feasible
    return evaluated, scored
