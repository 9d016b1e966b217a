"""Pods that wait for room which preemption has made for them on a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.views.pod import PodView


class Nominator:
    """Which pods are nominated to run on which node."""

    def __init__(self) -> None:
        self._pods: dict[str, dict[str, PodView]] = {}
        self._node_of: dict[str, str] = {}

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

    def remove(self, uid: str) -> None:
        """Forget a nomination, if there is one."""
        node_name = self._node_of.pop(uid, None)
        if node_name is not None:
            pods = self._pods[node_name]
            del pods[uid]
            if not pods:
                del self._pods[node_name]

    def node_of(self, uid: str) -> str:
        """The node a pod is nominated to, or ''."""
        return self._node_of.get(uid, "")

    def on(self, node_name: str) -> tuple[PodView, ...]:
        """The pods nominated to a node, in the order of their nomination."""
        return tuple(self._pods.get(node_name, {}).values())

    def by_node(self) -> Iterable[tuple[str, tuple[PodView, ...]]]:
        """All nominations."""
        return [(name, tuple(pods.values())) for name, pods in self._pods.items()]
