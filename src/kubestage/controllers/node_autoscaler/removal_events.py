"""The Events about nodes that are removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.store.event_recorder import NORMAL, WARNING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.cloud_provider import CloudProvider
    from kubestage.controllers.node_autoscaler.draining import Removal
    from kubestage.controllers.node_autoscaler.reports import Reports
    from kubestage.controllers.node_autoscaler.scan_result import StartedRemoval


class RemovalEvents:
    """Reports how removals go, about the nodes and about their groups."""

    def __init__(self, reports: Reports, provider: CloudProvider) -> None:
        self._reports = reports
        self._provider = provider

    def marked(self, node: Json) -> None:
        """A node is closed to pods."""
        text = "marked the node as toBeDeleted/unschedulable"
        self._reports.report(node, NORMAL, "ScaleDown", text)

    def unmarked(self, node: Json, key: str) -> None:
        """A mark of an earlier autoscaler is gone."""
        text = f"removed {key} taint from node {node['metadata']['name']}"
        self._reports.report(node, NORMAL, "ClusterAutoscalerCleanup", text)

    def started(self, removal: StartedRemoval, *, drains: bool) -> None:
        """A removal starts."""
        if not drains:
            text = f'Scale-down: removing empty node "{removal.node}"'
            self._report_group(removal.group, "ScaleDownEmpty", text)
            return
        text = (
            f"Scale-down: removing node {removal.node}, utilization: {removal.utilization}, "
            f"pods to reschedule: {','.join(pod.name for pod in removal.evicted)}"
        )
        self._report_group(removal.group, "ScaleDown", text)

    def removed(self, removal: Removal, node: Json) -> None:
        """A node has gone."""
        self._reports.report(node, NORMAL, "ScaleDown", "nodes removed by cluster autoscaler")
        if removal.drains:
            text = f"Scale-down: node {removal.name} removed with drain"
            self._report_group(removal.group, "ScaleDown", text)
        else:
            text = f"Scale-down: empty node {removal.name} removed"
            self._report_group(removal.group, "ScaleDownEmpty", text)

    def failed(self, removal: Removal, node: Json, problem: str) -> None:
        """A node stays after all."""
        what = "drain and delete" if removal.drains else "delete empty"
        text = f"failed to {what} node: {problem}"
        self._reports.report(node, WARNING, "ScaleDownFailed", text)

    def _report_group(self, name: str, reason: str, text: str) -> None:
        for group in self._provider.groups():
            if group.name == name:
                self._reports.report_group(group.raw, NORMAL, reason, text)
