"""TaintToleration, one node at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.status import SUCCESS, Status, unresolvable

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.node_info import NodeInfo


def filter_node(pod: PodView, node: NodeInfo) -> Status:
    if _untolerated(pod, node, "NoSchedule") or _untolerated(pod, node, "NoExecute"):
        return unresolvable("node(s) had untolerated taint(s)")
    return SUCCESS


def score_node(pod: PodView, node: NodeInfo) -> int:
    return _untolerated(pod, node, "PreferNoSchedule")


def _untolerated(pod: PodView, node: NodeInfo, effect: str) -> int:
    count = 0
    for taint in node.view.taints:
        tolerated = any(toleration.tolerates(taint) for toleration in pod.tolerations)
        if taint.effect == effect and not tolerated:
            count += 1
    return count


def normalize(scores: list[int]) -> list[int]:
    greatest = max(scores, default=0)
    if greatest == 0:
        return [100 for _ in scores]
    return [100 - 100 * score // greatest for score in scores]
