"""What the scheduler knows of nodes and the pods on them, kept as columns."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from kubestage.scheduler import kept_rows
from kubestage.scheduler.columns import Columns
from kubestage.scheduler.image_states import ImageStates
from kubestage.scheduler.node_info import NodeInfo
from kubestage.scheduler.own_columns import OwnDefinitions

if TYPE_CHECKING:
    from collections.abc import Set

    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.hooks import Hooks
    from kubestage.scheduler.pod_counters import PodKind
    from kubestage.scheduler.quick.forecast import Forecast


class Cache:
    """Nodes in zone-interleaved order and their pods.

    Pods and node updates patch rows in place; a node that comes or goes, or changes its zone,
    changes the order, and other columns follow when they are next used.
    """

    def __init__(self) -> None:
        self._infos: dict[str, NodeInfo] = {}
        self._zones: dict[str, list[str]] = {}
        self._node_of: dict[str, str] = {}
        self._strays: dict[str, dict[str, PodView]] = {}
        self._assumed: set[str] = set()
        self._images = ImageStates()
        self._columns = Columns([])
        self._is_stale = False
        # While columns are stale: the nodes that came, or that changed or whose pods did.
        self._changed: set[str] = set()
        self.forecast: Forecast | None = None
        self.own = OwnDefinitions()
        self.hooks: Hooks | None = None

    def __getstate__(self) -> dict[str, Any]:
        """A copy knows what is, and has its own expectations."""
        self.withdraw()
        return self.__dict__.copy()

    @property
    def columns(self) -> Columns:
        """The columns, up to date, without what is only expected."""
        if self.forecast is not None:
            self.withdraw()
        if self._is_stale:
            self._follow(self._columns)
        self._columns.trim()
        return self._columns

    def sizes(self) -> dict[str, int]:
        """How many nodes, pods and assumed pods there are, by upstream's names for them."""
        assumed, pods = len(self._assumed), len(self._node_of)
        return {"assumed_pods": assumed, "nodes": len(self._infos), "pods": pods}

    def withdraw(self) -> None:
        """Forget what is only expected."""
        forecast, self.forecast = self.forecast, None
        if forecast is not None:
            forecast.withdraw()

    def add_node(self, view: NodeView) -> None:
        """Take up a node, or what became of it."""
        self.withdraw()
        info = self._infos.get(view.name)
        if info is not None:
            self._images.remove(info.view)
        self._images.add(view)
        if info is None:
            info = self._infos[view.name] = NodeInfo(view)
            self._changed.add(view.name)
            for pod in self._strays.pop(view.name, {}).values():
                info.add(pod)
            self._enter_zone(view)
        elif info.view.zone_key != view.zone_key:
            self._changed.add(view.name)
            self._leave_zone(info.view)
            info.view = view
            self._enter_zone(view)
        elif self._is_stale:
            self._changed.add(view.name)
            info.view = view
        else:
            self._columns.update_node(self._columns.row_of[view.name], view)
        if self.hooks is not None:
            self.hooks.node(view)

    def remove_node(self, name: str) -> None:
        """Drop a node; its pods are kept in mind in case it comes back."""
        self.withdraw()
        info = self._infos.pop(name)
        self._images.remove(info.view)
        if info.pods:
            self._strays[name] = info.pods
        self._leave_zone(info.view)
        if self.hooks is not None:
            self.hooks.node_removed(name)

    def add_pod(self, pod: PodView) -> None:
        """Count a pod in on the node it names, replacing an earlier version of it.

        A pod that was assumed to be there no longer is: now it is known.
        """
        before = self._node_of.get(pod.uid)
        stays = before == pod.node_name and pod.uid not in self._assumed
        if not self._replaced(pod):
            if before == pod.node_name:
                self._count_out(pod.uid, before)
            else:
                self.remove_pod(pod.uid)
            self._count_in(pod)
        if self.hooks is not None and not stays:
            self.hooks.pod_bound(pod)

    def _count_in(self, pod: PodView) -> None:
        self.withdraw()
        self._node_of[pod.uid] = pod.node_name
        info = self._infos.get(pod.node_name)
        if info is None:
            self._strays.setdefault(pod.node_name, {})[pod.uid] = pod
        elif self._is_stale:
            self._changed.add(pod.node_name)
            info.add(pod)
        else:
            self._columns.add_pod(self._columns.row_of[pod.node_name], pod)

    def remove_pod(self, uid: str) -> None:
        """Count a pod out, if it is counted in."""
        name = self._node_of.get(uid)
        if name is None:
            return
        is_bound = uid not in self._assumed
        pod = self._count_out(uid, name)
        self.own.forget(uid)
        if self.hooks is not None and is_bound:
            self.hooks.pod_removed(pod)

    def _count_out(self, uid: str, name: str) -> PodView:
        self.withdraw()
        del self._node_of[uid]
        self._assumed.discard(uid)
        info = self._infos.get(name)
        if info is None:
            strays = self._strays[name]
            pod = strays.pop(uid)
            if not strays:
                del self._strays[name]
            return pod
        if self._is_stale:
            self._changed.add(name)
            return info.remove(uid)
        return self._columns.remove_pod(self._columns.row_of[name], uid)

    def assume_pod(self, pod: PodView) -> None:
        """Count a pod in that is about to be bound to the node it names."""
        self.remove_pod(pod.uid)
        self._count_in(pod)
        self._assumed.add(pod.uid)

    def assume_forecast(self, pod: PodView, row: int, kind: PodKind | None) -> None:
        """The same for a pod of which that was expected, so that it is counted in already."""
        self._node_of[pod.uid] = pod.node_name
        self._columns.settle_pod(row, pod, kind)
        self._assumed.add(pod.uid)

    def confirm_pod(self, pod: PodView) -> None:
        """A pod is where it was assumed to be, and counts for what it was assumed to."""
        self._assumed.remove(pod.uid)
        info = self._infos.get(pod.node_name)
        if info is None:
            self._strays[pod.node_name][pod.uid] = pod
        else:
            info.replace(pod)
        if self.hooks is not None:
            self.hooks.pod_bound(pod)

    def known_pod(self, uid: str) -> PodView | None:
        """A pod that is on a node which is there; None if it is only assumed to be."""
        if uid in self._assumed:
            return None
        info = self._infos.get(self._node_of.get(uid, ""))
        return None if info is None else info.pods.get(uid)

    def refresh_pod(self, pod: PodView) -> None:
        """Another version of a known pod, which counts for the same."""
        self._infos[pod.node_name].replace(pod)

    def forget_pod(self, uid: str) -> None:
        """Count a pod out that was only assumed."""
        if uid in self._assumed:
            self.remove_pod(uid)

    @property
    def assumed(self) -> Set[str]:
        """The uids of all pods that are assumed to be where they are, for reading."""
        return self._assumed

    def assumed_pod(self, uid: str) -> PodView | None:
        """The pod as it was assumed, or None if it was not or is known to be there by now."""
        if uid not in self._assumed:
            return None
        name = self._node_of[uid]
        info = self._infos.get(name)
        return info.pods[uid] if info is not None else self._strays[name][uid]

    def node_of(self, uid: str) -> str | None:
        """The node on which a pod counts, or None."""
        return self._node_of.get(uid)

    def _follow(self, earlier: Columns) -> None:
        """Have columns over the nodes that there are now, in their order."""
        names = self._interleaved()
        kept = kept_rows.find(earlier.row_of, names, self._changed)
        infos = list(map(self._infos.__getitem__, names))
        self._columns = Columns(infos, self._images, earlier, kept, self.own)
        self._columns.generation = earlier.generation + 1
        self._is_stale = False
        self._changed.clear()

    def _replaced(self, pod: PodView) -> bool:
        """Put a new version of a pod in the old one's place if both count for the same."""
        info = self._infos.get(pod.node_name)
        before = None if info is None else info.pods.get(pod.uid)
        if info is None or before is None or not _count_alike(before, pod):
            return False
        self._assumed.discard(pod.uid)
        info.replace(pod)
        return True

    def _enter_zone(self, view: NodeView) -> None:
        self._zones.setdefault(view.zone_key, []).append(view.name)
        self._is_stale = True

    def _leave_zone(self, view: NodeView) -> None:
        names = self._zones[view.zone_key]
        names.remove(view.name)
        if not names:
            del self._zones[view.zone_key]
        self._is_stale = True

    def _interleaved(self) -> list[str]:
        """One node of each zone in turn, so that neighbours in the list are far apart."""
        turns = itertools.zip_longest(*self._zones.values(), fillvalue="")
        return [name for turn in turns for name in turn if name]


def _count_alike(before: PodView, pod: PodView) -> bool:
    """Whether two versions of a pod are the same to everything that is kept in columns."""
    return (
        before.plan is pod.plan
        and before.requests is pod.requests
        and (before.labels is pod.labels or before.labels == pod.labels)
        and before.priority == pod.priority
        and (before.deletion_ns is None) == (pod.deletion_ns is None)
    )
