"""Which nodes count for a topology spread: by the pod's node selector, affinity and tolerations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.karpenter.requirements import of_pods, requirements
from kubestage.controllers.karpenter.scheduling import tolerance

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.requirements.requirements import Requirements
    from kubestage.objects.taints import Taint, Toleration

HONOR: Final = "Honor"
IGNORE: Final = "Ignore"


class NodeFilter(NamedTuple):
    """The alternatives of which a node must meet one, and the taints it may have."""

    requirements: tuple[Requirements, ...] = ()
    taint_policy: str = ""
    affinity_policy: str = ""
    tolerations: tuple[Toleration, ...] = ()

    def matches(self, taints: tuple[Taint, ...], node_requirements: Requirements) -> bool:
        """Whether a node counts."""
        if (
            self.affinity_policy == HONOR
            and self.requirements
            and not any(map(node_requirements.is_compatible, self.requirements))
        ):
            return False
        return self.taint_policy != HONOR or tolerance.tolerates(taints, self.tolerations)


ANY_NODE: Final = NodeFilter()


def of_pod(pod: Json, taint_policy: str, affinity_policy: str) -> NodeFilter:
    """The filter of a pod's topology spread."""
    selected = requirements.of_labels(pod["spec"].get("nodeSelector"))
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    alternatives: tuple[Requirements, ...] = (selected,)
    if affinity.get("requiredDuringSchedulingIgnoredDuringExecution") is not None:
        alternatives = tuple(
            selected.plus(requirements.of_json(term.get("matchExpressions") or ()))
            for term in of_pods.required_terms(pod)
        )
    return NodeFilter(alternatives, taint_policy, affinity_policy, tolerance.tolerations_of(pod))
