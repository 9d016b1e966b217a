"""What a rehearsal did to workloads, pods and requests, from what was recorded."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from typing import TYPE_CHECKING

import msgspec

from kubestage.aliases import Json
from kubestage.runs.rehearse.traffic_loss import TrafficLoss  # noqa: TC001 - msgspec reads it

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.life.life import Life
    from kubestage.runs.rehearse.recording import Recording


class WorkloadEffect(msgspec.Struct, frozen=True, rename="camel"):
    """How low the ready replicas of one workload went, and for how long."""

    workload: str
    desired: int
    ready_lowest: int
    ready_lowest_at_seconds: float | None
    below_desired_seconds: float
    lost_seconds: float
    """For how long it had fewer than it had had before: new replicas on their way are not lost."""
    ready_at_end: int
    windows: list[tuple[float, float]]
    """When it was below desired, in seconds since the beginning."""
    desired_at_lowest: int
    """How many it was to have when the fewest were ready: an autoscaler may change that."""

    @property
    def name(self) -> str:
        """Its name, without kind and namespace."""
        return self.workload.rpartition("/")[2]


class WorstMoment(msgspec.Struct, frozen=True, rename="camel"):
    """When the most workloads were below desired at a time."""

    at_seconds: float
    workloads: list[str]


class Effects(msgspec.Struct, frozen=True, rename="camel"):
    """What happened to workloads, pods and requests."""

    workloads: list[WorkloadEffect]
    pending: Json
    """The pods without a node at the end, by reason."""
    pending_peak: int
    pending_peak_at_seconds: float | None
    recovery_seconds: float | None
    """When all workloads had all replicas again; 0 if they always had, None if they have not."""
    worst: WorstMoment | None
    nodes_not_ready: list[Json]
    traffic: list[TrafficLoss]


def of(recording: Recording, life: Life) -> Effects:
    """What was recorded, as a rehearsal reports it."""
    health = life.summary["health"]
    rows = [
        WorkloadEffect(
            each["workload"],
            each["desired"] or 0,
            each["readyLowest"],
            each["readyLowestAtSeconds"],
            each["belowDesiredSeconds"],
            each["lostSeconds"],
            each["readyAtEnd"],
            [(begin, end) for begin, end in each["windows"]],
            each["desiredAtLowest"] or each["desired"] or 0,
        )
        for each in health["workloads"]
        if each["everReady"]
    ]
    pending = health["pending"]
    return Effects(
        workloads=rows,
        pending=life.summary["pending"],
        pending_peak=pending["peak"],
        pending_peak_at_seconds=pending["peakAtSeconds"],
        recovery_seconds=_recovery(rows),
        worst=worst_of(rows),
        nodes_not_ready=health["nodesNotReady"],
        traffic=recording.lost_traffic(),
    )


def _recovery(rows: Sequence[WorkloadEffect]) -> float | None:
    if any(each.ready_at_end < each.desired for each in rows):
        return None
    return max((end for each in rows for _, end in each.windows), default=0.0)


def worst_of(rows: Sequence[WorkloadEffect]) -> WorstMoment | None:
    """The moment with the most workloads below desired; of several, that of the lowest points."""
    missing = {begin: 0 for each in rows for begin, _ in each.windows}
    for each in rows:
        at = each.ready_lowest_at_seconds
        if at is not None and each.windows:
            lost = each.desired - each.ready_lowest if _is_below(each, at) else 0
            missing[at] = missing.get(at, 0) + lost
    moments = sorted(missing)
    levels = _levels(rows, moments)
    most = max(levels, default=0)
    if not most:
        return None
    worst = [at for at, level in zip(moments, levels, strict=True) if level == most]
    chosen = max(worst, key=missing.__getitem__)
    return WorstMoment(chosen, [each.workload for each in rows if _is_below(each, chosen)])


def _levels(rows: Sequence[WorkloadEffect], moments: Sequence[float]) -> list[int]:
    """How many workloads were below desired at each of some moments, which are in order.

    NOTE: to look at all windows at each moment took 1.5 % of the time of a drain of 1,000 nodes
    (benchmarks/rehearse.py).
    """
    steps = [0] * (len(moments) + 1)
    for each in rows:
        reached = 0
        for begin, end in sorted(each.windows):
            first, last = bisect_left(moments, begin), bisect_left(moments, end)
            if last > reached:
                steps[max(first, reached)] += 1
                steps[last] -= 1
                reached = last
    return list(itertools.accumulate(steps))[: len(moments)]


def _is_below(row: WorkloadEffect, at: float) -> bool:
    return any(begin <= at < end for begin, end in row.windows)
