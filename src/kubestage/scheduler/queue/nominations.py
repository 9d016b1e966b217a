"""Who is promised a node: keeps the nominator in step with pods and their status."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Lister
    from kubestage.scheduler.nominator import Nominator


class Nominations:
    """Promises that are made here may run ahead of what a pod's status says."""

    def __init__(self, nominator: Nominator, lister: Lister) -> None:
        self._nominator = nominator
        self._lister = lister

    def add(self, pod: PodView, node_name: str | None = None) -> None:
        """Promise a pod a node: by default the one in its status; '' withdraws the promise.

        Pods that are gone or have a node by now are promised nothing.
        """
        self._nominator.remove(pod.uid)
        wanted = pod.nominated_node_name if node_name is None else node_name
        if not wanted:
            return
        found = self._lister.get("v1", "Pod", pod.name, pod.namespace)
        if found is not None and not found["spec"].get("nodeName"):
            self._nominator.add(pod, wanted)

    def update(self, old: Json, pod: PodView) -> None:
        """A pod has changed; a promise that its status has yet to show is kept."""
        promised = None
        if not pod.nominated_node_name and not (old.get("status") or {}).get("nominatedNodeName"):
            promised = self._nominator.node_of(pod.uid) or None
        self.add(pod, promised)

    def remove(self, uid: str) -> None:
        """Withdraw a promise, if there is one."""
        self._nominator.remove(uid)
