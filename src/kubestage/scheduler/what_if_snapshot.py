"""A copy of the cluster to move pods and nodes about on, and to have it as it was again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.objects.views import node as node_views
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.node_info import NodeInfo
from kubestage.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from kubestage.scheduler.plugins.node_ports import NodePorts
from kubestage.scheduler.preemption import by_amounts
from kubestage.scheduler.what_if_columns import WhatIfColumns
from kubestage.scheduler.what_if_placing import Placing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.runtime import Profile


_NOBODY: Final = node_views.of({"metadata": {"name": ""}, "spec": {"unschedulable": True}})
_SPARE: Final = 16
_HOSTNAME: Final = "kubernetes.io/hostname"


class SearchPosition:
    """Where searches for a node go on: behind the node that the last one found.

    It is a place in the list of nodes as it is then, so it can outlive a snapshot. For autoscalers
    a search counts also if only one node could be found.
    """

    def __init__(self, last: int = -1, *, counts_all: bool = False) -> None:
        self.last = last
        self.counts_all = counts_all


class WhatIfSnapshot:
    """Nodes and pods as columns with spare rows, and what it takes to undo each change.

    NOTE: columns are made for a set of nodes, and making them again takes milliseconds. A spare row
    is a node without name, labels or room, which no plugin takes into account.
    """

    def __init__(
        self,
        profiles: Mapping[str, Profile],
        nodes: Sequence[NodeView],
        pods: Iterable[PodView],
        position: SearchPosition | None = None,
    ) -> None:
        self._profiles = profiles
        self._first_profile = next(iter(profiles.values()))
        infos = {view.name: NodeInfo(view) for view in nodes}
        for pod in pods:
            info = infos.get(pod.node_name)
            if info is not None:
                info.add(pod)
        self._rows = {name: row for row, name in enumerate(infos)}
        self._used = len(infos)
        self._columns = WhatIfColumns(
            [*infos.values(), *_spares(_SPARE)], self._first_profile.definitions
        )
        self._live: Ints | None = None
        self._position = position or SearchPosition()
        self._undo: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self._forks: list[int] = []

    @property
    def node_names(self) -> list[str]:
        """The nodes, in the order in which they came."""
        return sorted(self._rows, key=self._rows.__getitem__)

    def node(self, name: str) -> Json | None:
        """A node as it is here."""
        row = self._rows.get(name)
        return None if row is None else self._columns.infos[row].view.raw

    def pods(self, name: str) -> list[PodView]:
        """The pods on a node."""
        row = self._rows.get(name)
        return [] if row is None else list(self._columns.infos[row].pods.values())

    def fork(self) -> None:
        """Remember how things are."""
        self._forks.append(len(self._undo))

    def revert(self) -> None:
        """Have things as they were at the last fork, which is over."""
        start = self._forks.pop()
        while len(self._undo) > start:
            undo, arguments = self._undo.pop()
            undo(*arguments)

    def commit(self) -> None:
        """Keep what was changed since the last fork, which is over."""
        self._forks.pop()

    def add_node(self, node: Json, pods: Sequence[PodView] = ()) -> None:
        """Add a node that there is not, with pods on it."""
        view = node_views.of(node)
        assert view.name not in self._rows, "a node is added once"
        row = self._used
        if row == len(self._columns):
            self._columns = WhatIfColumns(
                [*self._columns.infos, *_spares(max(_SPARE, row))], self._first_profile.definitions
            )
        self._used += 1
        self._enter(row, view)
        self._note(self._give_back, row)
        for pod in pods:
            self._put(row, pod)

    def change_node(self, node: Json) -> None:
        """Have a node be otherwise; its pods stay."""
        view = node_views.of(node)
        row = self._rows[view.name]
        self._note(self._columns_update, row, self._columns.infos[row].view)
        self._columns.update_node(row, view)

    def remove_node(self, name: str) -> None:
        """Take a node away, and its pods with it."""
        row = self._rows[name]
        for pod in reversed(self.pods(name)):
            self.remove_pod(name, pod)
        self._note(self._enter, row, self._columns.infos[row].view)
        self._leave(row)

    def remove_pod(self, name: str, pod: PodView) -> None:
        """Take a pod off a node."""
        row = self._rows[name]
        taken = self._columns.remove_pod(row, pod.uid)
        self._note(self._columns_add, row, taken)

    def reasons_against(self, pod: PodView, name: str) -> tuple[str, ...] | None:
        """Why a pod does not fit a node, in the scheduler's words; None if it does."""
        profile, state = self._profile_of(pod), CycleState()
        result = profile.run_pre_filter(state, pod, self._columns)
        if not result.status.is_success:
            return result.status.reasons
        if result.nodes is not None and name not in result.nodes:
            return ()
        status = profile.filter_one(state, pod, self._columns, self._rows[name])
        return None if status.is_success else status.reasons

    def put(self, pod: PodView, name: str) -> tuple[str, ...] | None:
        """Put a pod on a node, if it fits; else why it does not."""
        reasons = self.reasons_against(pod, name)
        if reasons is None:
            self._put(self._rows[name], pod)
        return reasons

    def fills_nodes_alike(self, pod: PodView) -> bool:
        """Whether pods such as this fill an empty node just as they fill the next one like it."""
        profile, state = self._profile_of(pod), CycleState()
        if not Placing.can_share(profile, pod):
            return False
        result = profile.run_pre_filter(state, pod, self._columns)
        return result.status.is_success and all(
            plugin.name in state.skip_filter or _reads_nothing_else(plugin, pod)
            for plugin in (*profile.filter, *profile.tracking)
        )

    def place(
        self, pods: Sequence[PodView], among: Collection[str] | None = None, *, but: str = ""
    ) -> list[str]:
        """Put pods that are all alike on nodes one by one, until one fits nowhere.

        `among` are the nodes that may be used, by default all but one. Each search goes on behind
        the node that the one before it found. Returns the nodes of the first pods; those for which
        there is none are left out.
        """
        if not pods:
            return []
        live, found = self._live_rows(), list[int]()
        rows = self._searched(live, among, but)
        profile = self._profile_of(pods[0])
        together = Placing.can_share(profile, pods[0])
        for turn in (pods,) if together else [(pod,) for pod in pods]:
            if not len(rows):
                break
            placing = Placing(profile, turn[0], self._columns, self._rotated(live, rows))
            placed = placing.place(turn)
            for row, pod in zip(placed, turn, strict=False):
                self._note(self._columns_remove, row, pod.uid)
            found += placed
            if placed and (len(rows) > 1 or self._position.counts_all):
                self._position.last = int(np.searchsorted(live, placed[-1]))
            if len(placed) < len(turn):
                break
        names = self._columns.names
        return [names[row] for row in found]

    def fill(self, pods: Sequence[PodView], name: str) -> int:
        """Put pods that are all alike on one node until one does not fit; how many did."""
        profile, row = self._profile_of(pods[0]), np.array([self._rows[name]], np.int64)
        together, count = Placing.can_share(profile, pods[0]), 0
        for turn in (pods,) if together else [(pod,) for pod in pods]:
            placed = Placing(profile, turn[0], self._columns, row).place(turn)
            for each, pod in zip(placed, turn, strict=False):
                self._note(self._columns_remove, each, pod.uid)
            count += len(placed)
            if len(placed) < len(turn):
                break
        return count

    def _profile_of(self, pod: PodView) -> Profile:
        return self._profiles.get(pod.scheduler_name, self._first_profile)

    def _live_rows(self) -> Ints:
        if self._live is None:
            self._live = np.array(sorted(self._rows.values()), np.int64)
        return self._live

    def _searched(self, live: Ints, among: Collection[str] | None, but: str) -> Ints:
        """The rows of the nodes that may be used, in order; those closed to pods are left out."""
        known, rows = self._rows, live
        if among is not None:
            rows = np.array(sorted([known[name] for name in among if name in known]), np.int64)
        if but:
            rows = rows[rows != known[but]]
        open_rows: Ints = rows[~self._columns.unschedulable[rows]]
        return open_rows

    def _rotated(self, live: Ints, rows: Ints) -> Ints:
        first = live[(self._position.last + 1) % len(live)]
        start = int(np.searchsorted(rows, first))
        return np.concatenate((rows[start:], rows[:start])) if start else rows

    def _note(self, undo: Callable[..., None], *arguments: Any) -> None:
        if self._forks:
            self._undo.append((undo, arguments))

    def _put(self, row: int, pod: PodView) -> None:
        self._columns.add_pod(row, pod)
        self._note(self._columns_remove, row, pod.uid)

    # The columns may be others by the time that something is undone.
    def _columns_add(self, row: int, pod: PodView) -> None:
        self._columns.add_pod(row, pod)

    def _columns_remove(self, row: int, uid: str) -> None:
        self._columns.remove_pod(row, uid)

    def _columns_update(self, row: int, view: NodeView) -> None:
        self._columns.update_node(row, view)

    def _enter(self, row: int, view: NodeView) -> None:
        columns = self._columns
        columns.update_node(row, view)
        columns.names[row] = view.name
        columns.row_of[view.name] = self._rows[view.name] = row
        self._live = None

    def _leave(self, row: int) -> None:
        columns = self._columns
        name = columns.names[row]
        del columns.row_of[name], self._rows[name]
        columns.names[row] = ""
        columns.update_node(row, _NOBODY)
        self._live = None

    def _give_back(self, row: int) -> None:
        self._leave(row)
        self._used -= 1


def _reads_nothing_else(plugin: object, pod: PodView) -> bool:
    """Whether pods like this one on other nodes make no difference to a plugin's answer."""
    if type(plugin) is InterPodAffinity:
        terms = pod.required_anti_affinity
        return not pod.required_affinity and all(term.topology_key == _HOSTNAME for term in terms)
    return type(plugin) is NodePorts or by_amounts.reads_no_pods(plugin)


def _spares(count: int) -> list[NodeInfo]:
    return [NodeInfo(_NOBODY) for _ in range(count)]
