"""The plugin of a company that wants its load spread evenly: fewer pods on a node are better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler.framework import MAX_NODE_SCORE

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.framework import CycleState, NodeInfo
    from kubestage.scheduler.handle import Handle


class EvenPods:
    """Prefers nodes that run few pods, however large the pods and the nodes are."""

    name = "EvenPods"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        self.enough: int = args.get("enough", 20)

    def score_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> int:
        free = max(self.enough - len(node.pods), 0)
        return MAX_NODE_SCORE * free // self.enough
