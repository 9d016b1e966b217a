"""A whole run, walked through once: what every table is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from kubestage.aliases import Json
from kubestage.objects.pod_resources import CPU, MEMORY, PODS
from kubestage.results.analysis import amounts, measured, pod_state, timeline, walking
from kubestage.results.analysis.state import ClusterState

if TYPE_CHECKING:
    import collections
    from collections.abc import Mapping

    from kubestage.objects.prices import Prices
    from kubestage.results.analysis.amounts import Amounts
    from kubestage.results.analysis.measured import MeasuredSeries
    from kubestage.results.analysis.pod_state import PodState
    from kubestage.results.packing.contents import PackedNode


class NodeEnd(NamedTuple):
    """A node at the end of a step."""

    name: str
    allocatable: Amounts
    requested: Amounts
    daemons: Amounts
    """The part of `requested` that is of pods which every node has."""
    packed: PackedNode


class StepEnd(msgspec.Struct, frozen=True):
    """The cluster at the end of a step.

    `typical` is what the typical pod asks for: of each resource the median over all pods that
    are placed or pending. `largest` is the pending pod that asks for the largest share of the
    cluster, and `largest_request` its request.
    """

    step: int
    nodes: tuple[NodeEnd, ...]
    nodes_used: int
    allocatable: Amounts
    requested: Amounts
    pods: int
    pending: int
    gated: int
    typical: Amounts
    largest: str | None
    largest_request: Amounts | None
    median: Amounts
    """The median of CPU and memory over pods that are no daemons; empty without any."""


class Digest(msgspec.Struct, frozen=True):
    """A run: the end of each step, and all pods in the order in which the timeline has them.

    `has_attempts` is False if not a single attempt was recorded, as at detail ``summary``.
    """

    name: str
    phase: str
    message: str
    steps: list[StepEnd]
    pods: list[PodState]
    resources: tuple[str, ...]
    has_attempts: bool
    prices: Prices
    """Those that hold at the end."""
    owners: Mapping[tuple[str, str], Json]
    """The owners of objects that pods may belong to, by kind and ``namespace/name``."""
    measures: list[MeasuredSeries] = []


Run = Json | Digest
"""What every function takes: a Scenario, its status, or the digest of either."""


def digest(run: Run) -> Digest:
    """Walk through a run; a digest is handed back as it is.

    Each function does this for itself; who asks for several tables does it once, before.
    """
    if isinstance(run, Digest):
        return run
    status = timeline.status_of(run)
    ends: list[StepEnd] = []
    offered: set[str] = set()
    state = ClusterState()
    changes = -1
    for step, state in walking.step_ends(run):
        # Most steps of a long run are idle, and need not be looked at.
        idle = state.changes == changes
        ends.append(msgspec.structs.replace(ends[-1], step=step) if idle else _end(step, state))
        changes = state.changes
        offered.update(name for name, amount in state.allocatable.items() if amount)
    pods = state.history
    requested = {name for pod in pods for name, amount in pod.requests.items() if amount}
    return Digest(
        "" if run is status else pod_state.name_of(run),
        str(status.get("phase") or ""),
        str(status.get("message") or ""),
        ends,
        pods,
        amounts.names(requested, offered),
        any(pod.attempts for pod in pods),
        state.prices,
        state.owners,
        measured.of_result(status["scenarioResult"]),
    )


def _end(step: int, state: ClusterState) -> StepEnd:
    nodes = tuple(
        NodeEnd(each.name, each.allocatable, each.requested, each.daemons, each.packed)
        for each in state.nodes.values()
        if each.packed is not None
    )
    gated = sum(pod.is_gated for pod in state.pending.values())
    largest = _largest(state)
    asking = state.demand[PODS].total()
    return StepEnd(
        step,
        nodes,
        sum(1 for node in nodes if node.requested.get(PODS)),
        state.allocatable,
        state.requested,
        len(state.pods),
        len(state.pending) - gated,
        gated,
        {name: _median(counts, asking) for name, counts in state.demand.items()},
        largest.key if largest is not None else None,
        largest.requests if largest is not None else None,
        _medians(state),
    )


def _largest(state: ClusterState) -> PodState | None:
    """The pending pod with the largest dominant share; the first of several that are alike."""
    waiting = [pod for pod in state.pending.values() if not pod.is_gated]
    return max(waiting, key=lambda pod: _dominant_share(pod, state), default=None)


def _dominant_share(pod: PodState, state: ClusterState) -> float:
    """The largest share of the cluster that a pod asks for; of what no node has, it is infinite."""
    return max(
        amount / state.allocatable[name] if state.allocatable.get(name) else float("inf")
        for name, amount in pod.requests.items()
        if amount > 0
    )


def _median(counts: collections.Counter[int], pods: int) -> int:
    """The lower median, an amount that some pod requests; without a request it is 0."""
    middle = (pods + 1) // 2
    silent = pods - counts.total()
    for amount in sorted({0, *counts}):
        middle -= counts[amount] + (silent if amount == 0 else 0)
        if middle <= 0:
            return amount
    return 0


def _medians(state: ClusterState) -> Amounts:
    """The median size of pods that are no daemons, as `statistics.median` has it."""
    pods = state.demand[PODS].total() - state.daemon_demand[PODS].total()
    if not pods:
        return {}
    return {name: _rounded_median(state, name, pods) for name in (CPU, MEMORY)}


def _rounded_median(state: ClusterState, name: str, pods: int) -> int:
    counts, daemons = state.demand[name], state.daemon_demand[name]
    seen, low = 0, None
    for amount in sorted(counts):
        seen += counts[amount] - daemons[amount]
        if low is None and 2 * seen >= pods:
            low = amount
        if low is not None and 2 * seen > pods:
            return round((low + amount) / 2)
    return low or 0
