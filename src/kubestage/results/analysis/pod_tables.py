"""Tables of pods: one row each, those that waited, those that were preempted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage import lazy
from kubestage.results.analysis import pod_state
from kubestage.results.analysis.registry import RunChart, RunTable, table
from kubestage.results.analysis.table import Kind, columns

with lazy.imports():
    from kubestage.results.charts import nodes as node_charts
    from kubestage.results.charts import pods as pod_charts

if TYPE_CHECKING:
    from kubestage.results.analysis.digest import Digest
    from kubestage.results.analysis.pod_state import PodState
    from kubestage.results.analysis.registry import Rows


@table(
    RunTable(
        name="pods",
        title="Pods",
        about="each pod: status, node, when created and bound, attempts",
        row="pod",
        columns=columns(
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
        ),
        order=50,
        narrow=("pod", "status", "node", "createdAt", "boundAt", "pendingSteps", "attempts"),
        empty="There was no pod.",
        chart=RunChart(name="placements", function=lambda: node_charts.placements, order=60),
    )
)
def by_pod(run: Digest) -> Rows:
    """One row per pod, in the order in which the timeline first has them.

    A name that was used again has a row for each pod that had it. `message` is why a pod has no
    node. `attempts` is None if no attempts were recorded at all.
    """
    return [_row(run, pod) for pod in run.pods]


@table(
    RunTable(
        name="pending",
        title="Pending pods",
        about="each pod that ended a step without a node, and why",
        row="pod that had to wait",
        columns=columns(
            pod=Kind.TEXT,
            status=Kind.TEXT,
            createdAt=Kind.INT,
            boundAt=Kind.INT,
            pendingSteps=Kind.INT,
            attempts=Kind.INT,
            message=Kind.TEXT,
        ),
        order=60,
        narrow=("pod", "status", "createdAt", "boundAt", "pendingSteps", "attempts"),
        empty="No pod had to wait.",
        chart=RunChart(
            name="pending",
            function=lambda: pod_charts.pending,
            order=50,
            has_content=lambda run: any(end.pending or end.gated for end in run.steps),
        ),
    )
)
def pending(run: Digest) -> Rows:
    """Every pod that ended a step without a node, longest wait first.

    Those that still wait come first, with the scheduler's last message.
    """
    waited = [pod for pod in run.pods if pod.is_waiting or waiting_steps(run, pod)]
    waited.sort(key=lambda pod: (not pod.is_waiting, -waiting_steps(run, pod)))
    return [
        (
            pod.key,
            pod.status,
            pod.created,
            pod.bound,
            waiting_steps(run, pod),
            _attempts(run, pod),
            pod.message if pod.is_waiting else None,
        )
        for pod in waited
    ]


@table(
    RunTable(
        name="preemptions",
        title="Preemptions",
        about="each victim, its node, and the pod that took its place",
        row="preempted pod",
        columns=columns(
            step=Kind.INT,
            pod=Kind.TEXT,
            node=Kind.TEXT,
            priority=Kind.INT,
            boundAt=Kind.INT,
            preemptedBy=Kind.TEXT,
            preemptorPriority=Kind.INT,
            preemptorNode=Kind.TEXT,
        ),
        order=90,
        narrow=("step", "pod", "node", "priority", "preemptedBy", "preemptorPriority"),
        empty="No pod was preempted.",
        chart=RunChart(
            name="preemptions",
            function=lambda: pod_charts.preemptions,
            order=70,
            has_content=lambda run: any(pod.preempted is not None for pod in run.pods),
        ),
    )
)
def preemptions(run: Digest) -> Rows:
    """Every pod that was preempted for another, in the order of time."""
    by_key = {pod.key: pod for pod in run.pods}
    victims = [pod for pod in run.pods if pod.preempted is not None]
    victims.sort(key=lambda pod: pod.preempted or 0)
    return [_preemption(pod, by_key.get(pod.preempted_by or "")) for pod in victims]


def waiting_steps(run: Digest, pod: PodState) -> int:
    """Steps from a pod's creation until it got a node, was gone, or the run stopped."""
    ends = (pod.bound, pod.preempted, pod.deleted, pod.finished)
    last = run.steps[-1].step if run.steps else pod.created
    until = min([end for end in ends if end is not None], default=last)
    return max(until - pod.created, 0)


def _row(run: Digest, pod: PodState) -> tuple[Any, ...]:
    return (
        pod.key,
        pod.status,
        pod.node or None,
        pod.profile,
        pod.priority,
        pod.created,
        pod.bound,
        waiting_steps(run, pod),
        _attempts(run, pod),
        pod.preempted,
        pod.preempted_by,
        pod.deleted,
        pod.finished,
        pod.uid or None,
        pod.message or None if pod.status in (pod_state.PENDING, pod_state.GATED) else None,
    )


def _attempts(run: Digest, pod: PodState) -> int | None:
    return len(pod.attempts) if run.has_attempts else None


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
