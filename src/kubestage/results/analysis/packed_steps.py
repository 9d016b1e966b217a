"""What nodes cost at the end of a step, and how well pods are packed.

The numbers are defined in `results.packing`; here they are made of a timeline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import lazy
from kubestage.objects.pod_resources import CPU, MEMORY
from kubestage.results.analysis import pod_state

with lazy.imports():
    from kubestage.results.packing import contents, costs, measures

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.analysis.digest import Digest, StepEnd
    from kubestage.results.analysis.pod_state import PodState
    from kubestage.results.packing.contents import Contents, Occupancy

_GENERATIONS: Final = 4
_HASH_LABEL: Final = "pod-template-hash"


class StepPacking(msgspec.Struct, frozen=True, rename="camel"):
    """Cost and packing at the end of a step; costs are None if no node has a price.

    Rates are shares: `idle_rate` and `daemon_cost_rate` of the cost, `cpu_rate` and
    `cpu_daemon_rate` of what nodes offer, `cpu_stranded_rate` of what is free.
    """

    currency: str
    unpriced_nodes: int
    cost_per_hour: float | None
    idle_rate: float | None
    daemon_cost_rate: float | None
    cpu_rate: float | None
    memory_rate: float | None
    cpu_daemon_rate: float | None
    memory_daemon_rate: float | None
    cpu_stranded: int
    memory_stranded: int
    cpu_stranded_rate: float | None
    memory_stranded_rate: float | None
    cpu_fragmentation: float | None
    memory_fragmentation: float | None
    median_cpu: int
    median_memory: int
    fit_in_sum: int
    fit_nowhere: int


def at_end_of(end: StepEnd, currency: str) -> StepPacking:
    """The cost and the packing at the end of a step."""
    sums = _occupancy(end)
    cost = costs.totals(sums.uses)
    used = measures.utilization(sums)
    stranded, scattered = measures.stranded(sums), measures.fragmentation(sums)
    return StepPacking(
        currency,
        cost.unpriced_nodes,
        cost.cluster_cost,
        cost.idle_share,
        cost.daemon_share,
        used.requested_share[CPU],
        used.requested_share[MEMORY],
        used.daemon_share[CPU],
        used.daemon_share[MEMORY],
        stranded.milli_cpu,
        stranded.memory_bytes,
        stranded.cpu_share,
        stranded.memory_share,
        *msgspec.structs.astuple(scattered),
    )


def at_end(run: Digest) -> Contents:
    """The nodes and pods at the end of a run, with their workloads."""
    end = run.steps[-1] if run.steps else None
    nodes = [] if end is None else [node.packed for node in end.nodes]
    pods = [
        contents.PackedPod(
            pod.key.partition("/")[0], _workload(run, pod), pod.node, pod.requests, pod.is_daemon
        )
        for pod in run.pods
        if not pod.is_gone and pod.finished is None
    ]
    return contents.Contents(nodes, pods, run.prices)


def _occupancy(end: StepEnd) -> Occupancy:
    uses = [contents.NodeUse(node.packed, node.requested, node.daemons) for node in end.nodes]
    return contents.Occupancy(uses, end.median)


def _workload(run: Digest, pod: PodState) -> str:
    """The last owner of a pod; a timeline need not have those in between."""
    namespace = pod.key.partition("/")[0]
    owner = pod_state.controller_of(pod.object)
    if owner is None:
        return f"pod/{namespace}/{contents.NO_OWNER}"
    for _ in range(_GENERATIONS):
        above = run.owners.get((str(owner.get("kind")), f"{namespace}/{owner.get('name')}"))
        if above is None:
            break
        owner = above
    kind, name = _without_hash(owner, pod.object)
    return f"{kind.lower()}/{namespace}/{name}"


def _without_hash(owner: Json, pod: Json) -> tuple[str, str]:
    """The Deployment of a ReplicaSet that was named by the Deployment's controller."""
    kind, name = str(owner.get("kind")), str(owner.get("name"))
    labels = pod["metadata"].get("labels") or {}
    ending = f"-{labels.get(_HASH_LABEL)}"
    if kind == "ReplicaSet" and _HASH_LABEL in labels and name.endswith(ending):
        return "Deployment", name.removesuffix(ending)
    return kind, name
