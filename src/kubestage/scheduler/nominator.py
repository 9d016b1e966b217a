"""Pods that wait for room which preemption has made for them on a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.nominated_pods import NominatedPods

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.resource_table import Table


class Nominator:
    """Which pods are nominated to run on which node."""

    def __init__(self) -> None:
        self._pods: dict[str, dict[str, PodView]] = {}
        self._node_of: dict[str, str] = {}
        self._nominated: NominatedPods | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no pod is nominated anywhere."""
        return not self._node_of

    def add(self, pod: PodView, node_name: str) -> None:
        """Nominate a pod, wherever it was nominated before."""
        self.remove(pod.uid)
        if node_name:
            self._pods.setdefault(node_name, {})[pod.uid] = pod
            self._node_of[pod.uid] = node_name
            if self._nominated is not None:
                self._nominated.change(node_name)

    def remove(self, uid: str) -> None:
        """Forget a nomination, if there is one."""
        node_name = self._node_of.pop(uid, None)
        if node_name is not None:
            pods = self._pods[node_name]
            del pods[uid]
            if not pods:
                del self._pods[node_name]
            if self._nominated is not None:
                self._nominated.change(node_name)

    def node_of(self, uid: str) -> str:
        """The node a pod is nominated to, or ''."""
        return self._node_of.get(uid, "")

    def on(self, node_name: str) -> tuple[PodView, ...]:
        """The pods nominated to a node, in the order of their nomination."""
        return tuple(self._pods.get(node_name, {}).values())

    def yielded_to(self, pod: PodView, node_name: str) -> tuple[PodView, ...]:
        """The pods nominated to a node that go before another pod."""
        pods = self._pods.get(node_name)
        if pods is None:
            return ()
        return tuple(
            [
                each
                for each in pods.values()
                if each.priority >= pod.priority and each.uid != pod.uid
            ]
        )

    def nominated_amounts(self, pod: PodView, columns: Columns, rows: Ints) -> tuple[Ints, Table]:
        """Where among the rows a pod yields to others, and what these would take up there.

        Places are those in the list of rows; amounts come in the lines of the resource table.
        """
        return self._nominated_on(columns).nominated_amounts(pod, self.node_of(pod.uid), rows)

    def by_row(self, pod: PodView, columns: Columns) -> Mapping[int, tuple[PodView, ...]]:
        """All pods that a pod yields to, by the rows of their nodes."""
        return self._nominated_on(columns).by_row(pod, self.node_of(pod.uid))

    def _nominated_on(self, columns: Columns) -> NominatedPods:
        if self._nominated is None or self._nominated.columns is not columns:
            self._nominated = NominatedPods(columns, self._pods)
        return self._nominated
