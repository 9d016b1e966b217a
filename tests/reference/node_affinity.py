"""NodeAffinity, one node at a time, from the objects themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects import node_selector
from kubestage.objects.label_requirement import SelectorError
from kubestage.scheduler.status import SUCCESS, Status, unresolvable

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.node_info import NodeInfo

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def filter_node(added: dict[str, Any], pod: PodView, node: NodeInfo) -> Status:
    if REQUIRED in added and not _matches(added[REQUIRED], node):
        return unresolvable("node(s) didn't match scheduler-enforced node affinity")
    spec = pod.raw["spec"]
    for key, value in (spec.get("nodeSelector") or {}).items():
        if node.view.labels.get(key) != value:
            return unresolvable("node(s) didn't match Pod's node affinity/selector")
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    if REQUIRED in affinity and not _matches(affinity[REQUIRED], node):
        return unresolvable("node(s) didn't match Pod's node affinity/selector")
    return SUCCESS


def score_node(added: dict[str, Any], pod: PodView, node: NodeInfo) -> int:
    affinity = (pod.raw["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    terms = [*(added.get(PREFERRED) or ()), *(affinity.get(PREFERRED) or ())]
    return sum(
        term["weight"]
        for term in terms
        if _matches({"nodeSelectorTerms": [term["preference"]]}, node)
    )


def normalize(scores: list[int]) -> list[int]:
    greatest = max(scores, default=0)
    return [100 * score // greatest for score in scores] if greatest else scores


def _matches(selector: dict[str, Any], node: NodeInfo) -> bool:
    try:
        return node_selector.lazy(selector).match_node(node.view.raw)
    except SelectorError:
        return False
