"""What the autoscaler reports, as the recordings have it: everything, in a settled order."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.groups import Group
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.replay.cluster_autoscaler.recorded_cluster import RecordedCluster


class RecordedReports:
    """Keeps Events until they are taken. Those about groups are about the status ConfigMap."""

    def __init__(self, cluster: RecordedCluster, settings: NodeAutoscalerSettings) -> None:
        self._cluster = cluster
        self._status = f"ConfigMap/{settings.namespace}/{settings.status_config_map_name}"
        self._has_status = settings.write_status_configmap
        self._events: list[Json] = []

    def report(self, regarding: Json, kind: str, reason: str, message: str) -> None:
        """Something about a pod, a node or a ConfigMap."""
        metadata = regarding["metadata"]
        parts = (regarding["kind"], metadata.get("namespace"), metadata["name"])
        self._keep("/".join(part for part in parts if part), kind, reason, message)

    def report_group(self, group: Json, kind: str, reason: str, message: str) -> None:
        """Something about a group."""
        del group
        self._keep_status(kind, reason, message)

    def report_status(self, groups: Iterable[Group], kind: str, reason: str, message: str) -> None:
        """Something about all groups together."""
        del groups
        self._keep_status(kind, reason, message)

    def stamp(self, group: str, field: str, now_ns: int) -> None:
        """The recordings do not have when groups were scaled."""

    def take(self) -> list[Json]:
        """What was reported since the last call."""
        events, self._events = self._events, []
        return sorted(events, key=_order)

    def _keep_status(self, kind: str, reason: str, message: str) -> None:
        if self._has_status:
            self._keep(self._status, kind, reason, message)

    def _keep(self, regarding: str, kind: str, reason: str, message: str) -> None:
        self._events.append(
            {
                "object": regarding,
                "type": kind,
                "reason": reason,
                "message": message,
                "t": self._cluster.seconds,
            }
        )


def _order(event: Json) -> tuple[float, str, str, str]:
    return event["t"], event["object"], event["reason"], event["message"]
