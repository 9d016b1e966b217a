"""How many nodes of a group pods would need: first-fit decreasing, with the scheduler's filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.node_autoscaler.groups import HOSTNAME
from kubestage.golang import sort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.node_autoscaler.equivalence import PodGroup
    from kubestage.controllers.node_autoscaler.templates import Template
    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.objects.views.pod import PodView

_SPREAD: Final = "node(s) didn't match pod topology spread constraints"


class Estimate(msgspec.Struct, frozen=True):
    """So many nodes, on which these pods would run."""

    node_count: int
    pods: list[PodView]


def estimate(
    snapshot: Snapshot, groups: Sequence[PodGroup], template: Template, most_nodes: int
) -> Estimate:
    """Pack pods on new nodes, at most so many; the largest first.

    Each is put where there is room on the nodes that were opened for those before it, else on one
    that is opened for it.
    """
    sizes = [(_size(group.exemplar, template), group) for group in groups]
    ordered = [group for _, group in sort.in_order(sizes, lambda one, other: one[0] > other[0])]
    snapshot.fork()
    packing = _Packing(snapshot, template, most_nodes)
    for number, group in enumerate(ordered, 1):
        packing.pack(group.pods, is_last=number == len(ordered))
    snapshot.revert()
    return Estimate(len(packing.used) + packing.counted_nodes, packing.packed)


def _size(pod: PodView, template: Template) -> float:
    """How much of a node a pod takes, in CPU and memory together."""
    offered, request = template.allocatable, pod.requests
    size = 0.0
    if offered.milli_cpu > 0:
        size += request.milli_cpu / offered.milli_cpu
    if offered.memory > 0:
        size += request.memory / offered.memory
    return size


class _Packing:
    """New nodes, those of them that have pods, and the pods.

    `counted_nodes` are nodes that were counted and not tried: most pods fill one node as they
    fill another.
    """

    def __init__(self, snapshot: Snapshot, template: Template, most_nodes: int) -> None:
        self._snapshot = snapshot
        self._template = template
        self._left = most_nodes
        self._opened: list[str] = []
        self._is_over = most_nodes <= 0
        self.used: set[str] = set()
        self.packed: list[PodView] = []
        self.counted_nodes = 0

    def pack(self, pods: Sequence[PodView], *, is_last: bool) -> None:
        """Find room for pods that are all alike."""
        placed = self._place(pods, self._opened) if self._opened else 0
        left = pods[placed:]
        if not left or self._is_over:
            return
        if self._snapshot.fills_nodes_alike(left[0]):
            self._open_full_nodes(left, is_last=is_last)
        else:
            self._open_one_by_one(left)

    def _place(self, pods: Sequence[PodView], among: list[str] | None, *, but: str = "") -> int:
        names = self._snapshot.place(pods, among, but=but)
        self.used.update(names)
        self.packed += pods[: len(names)]
        return len(names)

    def _open(self, known_to_fit: Sequence[PodView] = ()) -> str | None:
        """Another node, if there may be one; None if not."""
        if self._left <= 0:
            self._is_over = True
            return None
        self._left -= 1
        node, pods = self._template.copy(f"e-{len(self._opened)}")
        self._snapshot.add_node(node, [*pods, *known_to_fit])
        name: str = node["metadata"]["name"]
        self._opened.append(name)
        return name

    @property
    def _has_idle_node(self) -> bool:
        """Whether the last node that was opened took no pod: another would not either."""
        return bool(self._opened) and self._opened[-1] not in self.used

    def _open_full_nodes(self, pods: Sequence[PodView], *, is_last: bool) -> None:
        if self._has_idle_node or (name := self._open()) is None:
            return
        each = self._snapshot.fill(pods, name)
        if each:
            self.used.add(name)
        self.packed += pods[:each]
        left = pods[each:]
        if not each or not left:
            return
        if is_last:
            count = min(-(-len(left) // each), self._left)
            self.counted_nodes += count
            self.packed += left[: count * each]
            return
        while left and (name := self._open(left[:each])) is not None:
            self.used.add(name)
            self.packed += left[:each]
            left = left[each:]

    def _open_one_by_one(self, pods: Sequence[PodView]) -> None:
        for pod in pods:
            if self._opened and self._fits_an_open_node(pod):
                continue
            if self._has_idle_node or (name := self._open()) is None:
                return
            # It may not fit even an empty node, if it is to be spread over zones.
            if self._put(pod, name) is not None:
                return

    def _put(self, pod: PodView, name: str) -> tuple[str, ...] | None:
        reasons = self._snapshot.put(pod, name)
        if reasons is None:
            self.used.add(name)
            self.packed.append(pod)
        return reasons

    def _fits_an_open_node(self, pod: PodView) -> bool:
        last = self._opened[-1]
        reasons = self._put(pod, last)
        if reasons is None:
            return True
        if _SPREAD not in reasons or not _is_spread_over_nodes(pod):
            return False
        return bool(self._place([pod], None, but=last))


def _is_spread_over_nodes(pod: PodView) -> bool:
    stated = pod.raw["spec"].get("topologySpreadConstraints") or ()
    return any(each.get("topologyKey") == HOSTNAME for each in stated)
