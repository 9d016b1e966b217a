"""A company's plugin: pods start faster on a node that already runs pods of their app."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler.framework import MAX_NODE_SCORE

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.framework import CycleState, NodeInfo
    from kubestage.scheduler.handle import Handle


class WarmNodes:
    """Prefers nodes with pods of the same app, which have the image and warm caches."""

    name = "WarmNodes"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        self.warm_at: int = args["warmAt"]

    def score_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> int:
        app = pod.labels.get("app")
        count = sum(other.labels.get("app") == app for other in node.pods.values())
        return MAX_NODE_SCORE * min(count, self.warm_at) // self.warm_at
