"""Pods that are left alone because what they ask for is no business of Karpenter's, or wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.requirements import of_pods, requirement
from kubestage.controllers.karpenter.requirements import validation as requirement_problems
from kubestage.controllers.karpenter.scheduling import volume_topology

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.state.objects import Objects


def avoids_karpenter(pod: Json) -> bool:
    """Whether a pod states that it must not run on a node of any NodePool."""
    own = of_pods.preferred(pod)
    return (
        labels.NODE_POOL in own and own.get(labels.NODE_POOL).operator == requirement.DOES_NOT_EXIST
    )


def problems_of(pod: Json, objects: Objects, well_known: frozenset[str]) -> str:
    """What is wrong with a pod, in words; empty if nothing is."""
    found = list(_problems_of_selectors(pod, well_known))
    claim = volume_topology.problem_of(pod, objects)
    if claim is not None:
        found.append(str(claim))
    return "; ".join(found)


def _problems_of_selectors(pod: Json, well_known: frozenset[str]) -> Iterator[str]:
    selector = pod["spec"].get("nodeSelector") or {}
    for key in sorted(selector):
        stated = {"key": key, "operator": "In", "values": [selector[key]]}
        yield from requirement_problems.problems_of(stated, well_known)
    for term in of_pods.required_terms(pod):
        if term.get("matchFields") is not None:
            yield "node selector term with matchFields is not supported"
        for each in term.get("matchExpressions") or ():
            yield from requirement_problems.problems_of(each, well_known)
