"""What pods require of their node's labels, preferences included or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter.requirements import requirements
from kubestage.golang import sort

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.requirements.requirements import Requirements


def preferred(pod: Json) -> Requirements:
    """The requirements of a pod, with the heaviest preference as if it were required.

    Of several required terms the first counts: who schedules tries the others in turn.
    """
    return _of(pod, with_preference=True)


def strict(pod: Json) -> Requirements:
    """The requirements of a pod without preferences."""
    return _of(pod, with_preference=False)


def has_preferred_node_affinity(pod: Json) -> bool:
    """Whether a pod prefers some nodes."""
    return bool(_node_affinity(pod).get("preferredDuringSchedulingIgnoredDuringExecution"))


def by_weight(terms: list[Json]) -> list[Json]:
    """Preferred terms, the heaviest first, as Go sorts them."""
    return sort.in_order(terms, lambda one, other: _weight(one) > _weight(other))


def required_terms(pod: Json) -> list[Json]:
    """The node selector terms of which a node must match one."""
    required = _node_affinity(pod).get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    terms: list[Json] = required.get("nodeSelectorTerms") or []
    return terms


def _of(pod: Json, *, with_preference: bool) -> Requirements:
    found = requirements.of_labels(pod["spec"].get("nodeSelector"))
    preferences = _node_affinity(pod).get("preferredDuringSchedulingIgnoredDuringExecution")
    if with_preference and preferences:
        found = found.plus(_of_term(by_weight(preferences)[0].get("preference") or {}))
    terms = required_terms(pod)
    return found.plus(_of_term(terms[0])) if terms else found


def _of_term(term: Json) -> Requirements:
    return requirements.of_json(term.get("matchExpressions") or ())


def _node_affinity(pod: Json) -> Json:
    affinity: Json = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    return affinity


def _weight(term: Json) -> int:
    weight: int = term.get("weight") or 0
    return weight
