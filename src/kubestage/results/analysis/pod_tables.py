"""What became of each pod: one row each, who waited, who had to go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.results.analysis import pod_state
from kubestage.results.analysis.digest import digest
from kubestage.results.analysis.table import Kind, Table, columns

if TYPE_CHECKING:
    from kubestage.results.analysis.digest import Digest, Run
    from kubestage.results.analysis.pod_state import PodState

_PODS: Final = columns(
    pod=Kind.TEXT,
    status=Kind.TEXT,
    node=Kind.TEXT,
    profile=Kind.TEXT,
    priority=Kind.INT,
    createdAt=Kind.INT,
    boundAt=Kind.INT,
    pendingSteps=Kind.INT,
    attempts=Kind.INT,
    preemptedAt=Kind.INT,
    preemptedBy=Kind.TEXT,
    deletedAt=Kind.INT,
    finishedAt=Kind.INT,
    uid=Kind.TEXT,
    message=Kind.TEXT,
)
_PENDING: Final = columns(
    pod=Kind.TEXT,
    status=Kind.TEXT,
    createdAt=Kind.INT,
    boundAt=Kind.INT,
    pendingSteps=Kind.INT,
    attempts=Kind.INT,
    message=Kind.TEXT,
)
_PREEMPTIONS: Final = columns(
    step=Kind.INT,
    pod=Kind.TEXT,
    node=Kind.TEXT,
    priority=Kind.INT,
    boundAt=Kind.INT,
    preemptedBy=Kind.TEXT,
    preemptorPriority=Kind.INT,
    preemptorNode=Kind.TEXT,
)


def by_pod(run: Run) -> Table:
    """One row per pod, in the order in which they were first heard of.

    A name that was used again has a row for each pod that had it. `message` says why a pod has no
    node. `attempts` is None if no attempts were recorded at all.
    """
    told = digest(run)
    return Table(_PODS, [_row(told, pod) for pod in told.pods])


def pending(run: Run) -> Table:
    """Who had to wait: every pod that ended a step without a node, longest wait first.

    Those that still wait come first, with the scheduler's last words.
    """
    told = digest(run)
    waited = [pod for pod in told.pods if pod.is_waiting or waiting_steps(told, pod)]
    waited.sort(key=lambda pod: (not pod.is_waiting, -waiting_steps(told, pod)))
    rows = [
        (
            pod.key,
            pod.status,
            pod.created,
            pod.bound,
            waiting_steps(told, pod),
            _attempts(told, pod),
            pod.message if pod.is_waiting else None,
        )
        for pod in waited
    ]
    return Table(_PENDING, rows)


def preemptions(run: Run) -> Table:
    """Every pod that had to go for another, in the order of time."""
    told = digest(run)
    by_key = {pod.key: pod for pod in told.pods}
    gone = [pod for pod in told.pods if pod.preempted is not None]
    gone.sort(key=lambda pod: pod.preempted or 0)
    return Table(
        _PREEMPTIONS, [_preemption(pod, by_key.get(pod.preempted_by or "")) for pod in gone]
    )


def waiting_steps(told: Digest, pod: PodState) -> int:
    """Steps from a pod's creation until it got a node, was gone, or the run stopped."""
    ends = (pod.bound, pod.preempted, pod.deleted, pod.finished)
    last = told.steps[-1].step if told.steps else pod.created
    until = min([end for end in ends if end is not None], default=last)
    return max(until - pod.created, 0)


def _row(told: Digest, pod: PodState) -> tuple[Any, ...]:
    return (
        pod.key,
        pod.status,
        pod.node or None,
        pod.profile,
        pod.priority,
        pod.created,
        pod.bound,
        waiting_steps(told, pod),
        _attempts(told, pod),
        pod.preempted,
        pod.preempted_by,
        pod.deleted,
        pod.finished,
        pod.uid or None,
        pod.message or None if pod.status in (pod_state.PENDING, pod_state.GATED) else None,
    )


def _attempts(told: Digest, pod: PodState) -> int | None:
    return len(pod.attempts) if told.has_attempts else None


def _preemption(victim: PodState, preemptor: PodState | None) -> tuple[Any, ...]:
    return (
        victim.preempted,
        victim.key,
        victim.node or None,
        victim.priority,
        victim.bound,
        victim.preempted_by,
        preemptor.priority if preemptor is not None else None,
        preemptor.node or None if preemptor is not None else None,
    )
