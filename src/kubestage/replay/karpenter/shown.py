"""Decisions in the words of a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter import labels, node_claim_objects
from kubestage.controllers.karpenter.instance_types import prices
from kubestage.controllers.karpenter.state import pod_state

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.events import Event
    from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim, Results


def results(found: Results, well_known: frozenset[str]) -> Json:
    """What a simulation has found."""
    return {
        "newNodeClaims": [new_node_claim(each, well_known) for each in found.new_node_claims],
        "existingNodes": {
            each.node.name: pods(each.pods) for each in found.existing_nodes if each.pods
        },
        "podErrors": {pod_state.key_of(each.pod): str(each.error) for each in found.pod_errors},
    }


def new_node_claim(claim: NewNodeClaim, well_known: frozenset[str]) -> Json:
    """A node to be made."""
    made = node_claim_objects.of(claim, well_known)
    by_price = prices.order_by_price(claim.instance_types, claim.requirements, well_known)
    stated = sorted(made["spec"]["requirements"], key=lambda each: str(each["key"]))
    return {
        "nodePool": claim.pool_name,
        "requirements": [{"values": [], **each} for each in stated],
        "instanceTypes": [each.name for each in claim.instance_types],
        "instanceTypesByPrice": [each.name for each in by_price],
        "requests": made["spec"]["resources"]["requests"],
        "pods": pods(claim.pods),
        "labels": made["metadata"]["labels"],
        "minValuesRelaxed": made["metadata"]["annotations"][labels.MIN_VALUES_RELAXED],
    }


def pods(listed: Iterable[Json]) -> list[str]:
    """Pods by namespace and name."""
    return sorted(map(pod_state.key_of, listed))


def events(published: Iterable[Event]) -> list[Json]:
    """Events, each once and in their order."""
    rows = {
        (f"{each.kind}/{each.name}", each.type, each.reason, each.message) for each in published
    }
    return [
        {"object": where, "type": kind, "reason": reason, "message": message}
        for where, kind, reason, message in sorted(rows)
    ]
