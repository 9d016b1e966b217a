"""On how many nodes a DaemonSet is to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Resource, Selection
from kubestage.measure.informer import Informer
from kubestage.objects import node_selector, taints

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.cluster.access import Cluster


_NODES: Final = Selection(Resource("v1", "Node"))
_KEEP_OUT: Final = (taints.NO_EXECUTE, taints.NO_SCHEDULE)
_TOLERATED: Final = tuple(
    taints.Toleration(key=f"node.kubernetes.io/{name}", operator="Exists", effect=effect)
    for name, effect in (
        ("not-ready", taints.NO_EXECUTE),
        ("disk-pressure", taints.NO_SCHEDULE),
        ("memory-pressure", taints.NO_SCHEDULE),
        ("pid-pressure", taints.NO_SCHEDULE),
        ("unschedulable", taints.NO_SCHEDULE),
    )
)


class NodeCounter:
    """Counts the nodes that pods of a template may run on."""

    def __init__(self, spec: Json, changed: Callable[[], None]) -> None:
        self._affinity = node_selector.required_of(spec)
        tolerations = spec.get("tolerations") or ()
        self._tolerations = (*_TOLERATED, *(taints.toleration_of(each) for each in tolerations))
        self._changed = changed
        self._eligible: dict[str, None] = {}

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._eligible)

    def update(self, name: str, node: Json | None) -> None:
        """Update a node; None if it was deleted."""
        is_eligible = node is not None and self._takes(node)
        if is_eligible == (name in self._eligible):
            return
        if is_eligible:
            self._eligible[name] = None
        else:
            del self._eligible[name]
        self._changed()

    def _takes(self, node: Json) -> bool:
        held = [taints.taint_of(each) for each in (node.get("spec") or {}).get("taints") or ()]
        if taints.find_untolerated_taint(held, self._tolerations, _KEEP_OUT) is not None:
            return False
        return self._affinity.match_node(node)


class EligibleNodes:
    """All nodes, and the counters of some of them."""

    def __init__(self, cluster: Cluster) -> None:
        self._counters: list[NodeCounter] = []
        self._nodes = Informer(cluster, _NODES, self._change)

    @property
    def is_synced(self) -> bool:
        """Whether all nodes are known."""
        return self._nodes.is_synced

    def counter(self, spec: Json, changed: Callable[[], None]) -> NodeCounter:
        """Start to count for the spec of a pod template."""
        counter = NodeCounter(spec, changed)
        for name, node in self._nodes.objects.items():
            counter.update(name, node)
        self._counters.append(counter)
        return counter

    def leave(self, counter: NodeCounter) -> None:
        """Stop counting."""
        self._counters.remove(counter)

    def dispose(self) -> None:
        """Stop watching."""
        self._nodes.stop()

    def _change(self, old: Json | None, new: Json | None, at_ns: int) -> None:
        del at_ns
        if not self._counters or (old and new and _is_same(old, new)):
            return
        node = new if new is not None else old
        assert node is not None
        for counter in list(self._counters):
            counter.update(node["metadata"]["name"], new)


def _is_same(old: Json, new: Json) -> bool:
    """Whether a node has the labels and taints it had; heartbeats change neither."""
    before, after = old.get("spec") or {}, new.get("spec") or {}
    return bool(
        old["metadata"].get("labels") == new["metadata"].get("labels")
        and before.get("taints") == after.get("taints")
    )
