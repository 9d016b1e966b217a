"""NodeUnschedulable, one node at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.taints import Taint
from kubestage.scheduler.status import SUCCESS, Status, unresolvable

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.node_info import NodeInfo

CORDON = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")


def filter_node(pod: PodView, node: NodeInfo) -> Status:
    if not node.view.unschedulable:
        return SUCCESS
    if any(toleration.tolerates(CORDON) for toleration in pod.tolerations):
        return SUCCESS
    return unresolvable("node(s) were unschedulable")
