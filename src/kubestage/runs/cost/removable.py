"""Nodes that could be removed: their pods fit on the others, by the scheduler's own filters.

The search is that of the node autoscaler: emptiest nodes first, pods are moved on a copy, and stay
there for the next node. Its rules about pods that must not be moved hold, and so does the smallest
size of a NodeGroup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.lister import Lister
from kubestage.controllers.node_autoscaler import equivalence, node_state, utilization
from kubestage.controllers.node_autoscaler.budgets import Budgets
from kubestage.controllers.node_autoscaler.drainability import Drainability
from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
from kubestage.objects import gvk, node_pools, prices
from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.results.packing import contents
from kubestage.scheduler.what_if import WhatIf

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.runs.observer import Observer
    from kubestage.scheduler.what_if_snapshot import WhatIfSnapshot
    from kubestage.stage import Stage

_BUDGET: Final = ("policy/v1", "PodDisruptionBudget")
_OVER: Final = ("Succeeded", "Failed")


class Removable(msgspec.Struct, frozen=True, rename="camel"):
    """A node that could be removed, and how many pods would move for that."""

    node: str
    pool: str
    pods: int
    price_per_hour: float | None


def search(stage: Stage, observer: Observer) -> list[Removable]:
    """Nodes that could all be removed together."""
    nodes = stage.store.read(gvk.NODE)
    pods = [
        pod_views.of(pod)
        for pod in stage.store.read(gvk.POD).values()
        if (pod.get("status") or {}).get("phase") not in _OVER and pod["spec"].get("nodeName")
    ]
    snapshot = WhatIf(stage).snapshot(nodes.values(), pods)
    searched = _Search(stage, snapshot)
    order = searched.candidates(nodes)
    found = []
    known = contents.prices_of(stage.store)
    with observer.progress("nodes that could be removed", len(order), noticeable=500) as advance:
        for number, name in enumerate(order):
            advance(number, name)
            moved = searched.remove(name)
            if moved is not None:
                node = nodes[name]
                pool = node_pools.of(node)
                found.append(Removable(name, pool, moved, known.of_node(node)))
    return found


class _Search:
    """A copy of the cluster from which nodes are taken away one by one."""

    def __init__(self, stage: Stage, snapshot: WhatIfSnapshot) -> None:
        store = stage.store
        self._settings = NodeAutoscalerSettings()
        self._drainability = Drainability(self._settings, Lister(store))
        self._budgets = Budgets(store.read(_BUDGET).values())
        self._snapshot = snapshot
        self._now_ns = store.clock.unix_ns
        self._spare = {
            name: -(group["spec"].get("minSize") or 0)
            for name, group in store.read(prices.NODE_GROUP).items()
        }
        for node in store.read(gvk.NODE).values():
            group = node_pools.of(node)
            if group in self._spare:
                self._spare[group] += 1

    def candidates(self, nodes: Mapping[str, Json]) -> list[str]:
        """All nodes that may go, the emptiest first."""
        ranked = []
        for name, node in nodes.items():
            annotations = node["metadata"].get("annotations") or {}
            if annotations.get(node_state.SCALE_DOWN_DISABLED) == "true":
                continue
            offered = node_views.of(node).allocatable
            pods = self._snapshot.pods(name)
            used = utilization.node_utilization(offered, pods, self._settings, self._now_ns)
            if used is not None:
                ranked.append((used.share, name))
        return [name for _, name in sorted(ranked)]

    def remove(self, name: str) -> int | None:
        """Move the pods of a node elsewhere and take it away; None if that cannot be done."""
        snapshot = self._snapshot
        node = snapshot.node(name)
        assert node is not None
        group = node_pools.of(node)
        if self._spare.get(group, 1) < 1 or len(snapshot.node_names) == 1:
            return None
        moves = self._drainability.moves(snapshot.pods(name), self._budgets, self._now_ns)
        if moves.obstacle or moves.awaited:
            return None
        snapshot.fork()
        for pod in snapshot.pods(name):
            snapshot.remove_pod(name, pod)
        homeless = [msgspec.structs.replace(pod, node_name="") for pod in moves.pods]
        for run in equivalence.runs_of(homeless):
            if len(snapshot.place(run, but=name)) < len(run):
                snapshot.revert()
                return None
        snapshot.remove_node(name)
        snapshot.commit()
        if group in self._spare:
            self._spare[group] -= 1
        return len(moves.pods)
