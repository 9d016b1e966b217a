"""How a DaemonSet stands on every node, kept up as pods and nodes change.

Nodes on which a set stands alike are kept together, so that what the set reports and does next is
found by looking at a handful of groups, however many nodes there are.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.controllers import pods
from kubestage.controllers.daemonset.placement import HASH_LABEL, Placement, target_node
from kubestage.controllers.ownership import labels_of

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.rosters import Claimant, Roster


NONE: Final = 0
UNAVAILABLE: Final = 1
AVAILABLE: Final = 2


class Standing(NamedTuple):
    """How a set stands on one node.

    `is_desired` means that a pod should run there, `is_known` that there is such a node,
    `has_pod` that there is a pod, of which the oldest counts: `is_ready`, `is_available`,
    `is_updated`. `new` and `old` are the pods of this and of earlier templates that are not on
    their way out, and `is_crowded` means that there are too many pods to decide.
    """

    is_desired: bool
    is_known: bool
    has_pod: bool
    is_ready: bool
    is_available: bool
    is_updated: bool
    new: int
    old: int
    is_crowded: bool


class Fleet:
    """The pods of one set by node. `unmanaged` are the nodes not yet examined.

    `vacant` are nodes that were examined since they changed, in order: each is to have a pod, and
    has none.
    """

    def __init__(
        self,
        roster: Roster,
        revisions: Roster,
        nodes: dict[str, Json],
        rng: random.Random,
    ) -> None:
        self._rng = rng
        self.roster = roster
        self.revisions = revisions
        self.nodes = nodes
        self.placement: Placement | None = None
        self.groups: dict[Standing, dict[str, None]] = {}
        self.unmanaged: set[str] = set()
        self.vacant: dict[str, None] = {}
        self.hashes: dict[str, int] = {}
        self.failures: dict[str, tuple[int, int]] = {}
        self.history: tuple[Json, list[Json]] | None = None
        self.history_key: tuple[Any, ...] = ()
        self.generation: tuple[Any, ...] = ()
        self._uncounted: dict[str, None] = {}
        self._standings: dict[str, Standing] = {}
        self._by_node: dict[str, dict[str, Json]] = {}
        self._due: list[tuple[int, str]] = []
        self._min_ready_seconds = 0

    def settle(self, objects: dict[str, Json], claimant: Claimant, now_ns: int) -> None:
        """Take in the pods that have changed and those that time has made available."""
        due = self._due
        while due and due[0][0] <= now_ns:
            self.mark(heapq.heappop(due)[1])
        for key, before, after in self.roster.settle(objects, claimant):
            for pod, step in ((before, -1), (after, 1)):
                if pod is not None:
                    self._count_hash(labels_of(pod).get(HASH_LABEL), step)
            self._move(key, before, after)

    def _move(self, key: str, before: Json | None, after: Json | None) -> None:
        left = target_node(before) if before is not None else None
        entered = target_node(after) if after is not None else None
        if left is not None and left != entered:
            there = self._by_node[left]
            del there[key]
            if not there:
                del self._by_node[left]
            self.mark(left)
        if entered is not None and after is not None:
            self._by_node.setdefault(entered, {})[key] = after
            self.mark(entered)

    def _count_hash(self, value: str | None, step: int) -> None:
        if value:
            count = self.hashes.get(value, 0) + step
            if count:
                self.hashes[value] = count
            else:
                del self.hashes[value]

    def mark(self, node_name: str) -> None:
        """Something about a node or the pods on it has changed."""
        self.unmanaged.add(node_name)
        self._uncounted[node_name] = None

    def place(self, daemon_set: Json, template_hash: str) -> None:
        """Examine all nodes again if the set's template or selector has changed."""
        metadata = daemon_set["metadata"]
        annotations = metadata.get("annotations")
        generation = (metadata.get("generation"), template_hash, annotations)
        if generation == self.generation:
            return
        self.generation = generation
        self.placement = Placement(daemon_set, template_hash)
        self._min_ready_seconds = daemon_set["spec"].get("minReadySeconds") or 0
        self.failures.clear()
        names = sorted({*self.nodes, *self._by_node})
        # Where upstream starts to go through its nodes is random; and what is grouped
        # first is chosen first.
        first = self._rng.randrange(len(names)) if names else 0
        for node_name in (*names[first:], *names[:first]):
            self.mark(node_name)

    def pods_on(self, node_name: str) -> Sequence[Json]:
        """The pods on a node, those aside that have ended and only wait to be removed."""
        there = self._by_node.get(node_name)
        if not there:
            return ()
        return [
            pod
            for pod in there.values()
            if not (pods.is_terminating(pod) and pods.is_terminal(pod))
        ]

    def add_vacant(self, names: Sequence[str]) -> None:
        """Take in nodes that are to have a pod, and have none."""
        if names:
            self.vacant = dict.fromkeys(sorted([*self.vacant, *names]))

    def has_pods(self, node_name: str) -> bool:
        """Whether any pod is on a node or is to be, also one that has ended."""
        return node_name in self._by_node

    def is_scheduled_on(self, node_name: str) -> bool:
        """Whether any pod has been put on a node."""
        there = self._by_node.get(node_name) or {}
        return any(pod["spec"].get("nodeName") for pod in there.values())

    def count(self, now_ns: int) -> None:
        """Update the groups."""
        for node_name in self._uncounted:
            self._regroup(node_name, self._standing(node_name, now_ns))
        self._uncounted.clear()

    @property
    def next_due_ns(self) -> int | None:
        """When time alone will make a pod available."""
        return self._due[0][0] if self._due else None

    def _regroup(self, node_name: str, new: Standing | None) -> None:
        old = self._standings.get(node_name)
        if old == new:
            return
        if old is not None:
            group = self.groups[old]
            del group[node_name]
            if not group:
                del self.groups[old]
        if new is None:
            del self._standings[node_name]
        else:
            self._standings[node_name] = new
            self.groups.setdefault(new, {})[node_name] = None

    def _standing(self, node_name: str, now_ns: int) -> Standing | None:
        assert self.placement is not None
        node, there = self.nodes.get(node_name), self.pods_on(node_name)
        is_desired = node is not None and self.placement.verdict(node)[0]
        if not there:
            if not is_desired:
                return None
            return Standing(True, True, False, False, False, False, NONE, NONE, False)
        oldest = min(there, key=seniority)
        found = {True: NONE, False: NONE}
        is_crowded = False
        for pod in there:
            if not pods.is_terminating(pod):
                is_new = self.placement.is_updated(pod)
                is_crowded |= found[is_new] != NONE
                is_available = self._is_available(pod, node_name, now_ns)
                found[is_new] = AVAILABLE if is_available else UNAVAILABLE
        return Standing(
            is_desired,
            node is not None,
            True,
            pods.is_ready(oldest),
            self._is_available(oldest, node_name, now_ns),
            self.placement.is_updated(oldest),
            found[True],
            found[False],
            is_crowded,
        )

    def _is_available(self, pod: Json, node_name: str, now_ns: int) -> bool:
        from_ns = pods.available_from_ns(pod, self._min_ready_seconds)
        if from_ns is None:
            return False
        if from_ns > now_ns:
            heapq.heappush(self._due, (from_ns, node_name))
            return False
        return True


def seniority(pod: Json) -> tuple[bool, str, str]:
    """Orders the pods of a node: those that are on it first, then the oldest."""
    metadata = pod["metadata"]
    is_waiting = not pod["spec"].get("nodeName")
    return is_waiting, metadata["creationTimestamp"], metadata["name"]
