"""Keeps the nominator up to date with pods and their status."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Lister
    from kubestage.scheduler.nominator import Nominator


class Nominations:
    """Nominations from pods' statuses, and those that a status does not show yet."""

    def __init__(self, nominator: Nominator, lister: Lister) -> None:
        self._nominator = nominator
        self._lister = lister

    def add(self, pod: PodView, node_name: str | None = None) -> None:
        """Nominate a pod: by default to the node in its status; '' withdraws the nomination.

        Pods that are gone or have a node by now are not nominated.
        """
        self._nominator.remove(pod.uid)
        nominated = pod.nominated_node_name if node_name is None else node_name
        if not nominated:
            return
        found = self._lister.get("v1", "Pod", pod.name, pod.namespace)
        if found is not None and not found["spec"].get("nodeName"):
            self._nominator.add(pod, nominated)

    def update(self, old: Json, pod: PodView) -> None:
        """A pod has changed; a nomination that its status does not show yet stays."""
        if not pod.nominated_node_name and self._nominator.is_empty:
            return
        nominated = None
        if not pod.nominated_node_name and not (old.get("status") or {}).get("nominatedNodeName"):
            nominated = self._nominator.node_of(pod.uid) or None
        self.add(pod, nominated)

    def remove(self, uid: str) -> None:
        """Withdraw a nomination, if there is one."""
        self._nominator.remove(uid)
