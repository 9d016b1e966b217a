"""The NodeClaim that is created for a node to be made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.conditions import node_pool_hash
from kubestage.controllers.karpenter.instance_types import prices
from kubestage.controllers.karpenter.requirements import requirement
from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.controllers.karpenter.scheduling import templates

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.instance_types.types import InstanceType
    from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim

_FROM_TEMPLATE: Final = (
    "taints", "startupTaints", "nodeClassRef", "terminationGracePeriod", "expireAfter",
)  # fmt: skip


def of(
    claim: NewNodeClaim,
    well_known: frozenset[str],
    draw: Callable[[int, int], int] = requirement.lowest,
) -> Json:
    """A NodeClaim without a name; `draw` chooses numbers for labels that only have bounds."""
    node_pool = claim.node_pool
    template = node_pool["spec"]["template"]
    types = prices.order_by_price(claim.instance_types, claim.requirements, well_known)
    types = types[: prices.MAX_INSTANCE_TYPES]
    required = _with_types(claim.requirements, types, well_known)
    spec = {name: template["spec"][name] for name in _FROM_TEMPLATE if name in template["spec"]}
    spec["requirements"] = required.without(*labels.SIMULATED).node_selector_requirements()
    spec["resources"] = {"requests": {name: str(each) for name, each in claim.requests.items()}}
    metadata = node_pool["metadata"]
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {
            "generateName": f"{metadata['name']}-",
            "annotations": _annotations(claim, types),
            "labels": {
                **templates.labels_of(node_pool),
                **_custom_labels(required, well_known, draw),
            },
            "ownerReferences": [
                {
                    "apiVersion": "karpenter.sh/v1",
                    "kind": "NodePool",
                    "name": metadata["name"],
                    "uid": metadata.get("uid") or "",
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": spec,
    }


def _with_types(
    required: Requirements, types: list[InstanceType], well_known: frozenset[str]
) -> Requirements:
    minimum = required.get(labels.INSTANCE_TYPE).min_values
    names = requirement.new(
        labels.INSTANCE_TYPE, requirement.IN, (each.name for each in types), minimum
    )
    required = required.plus(Requirements([names]))
    capacity_types = {
        offering.capacity_type
        for each in types
        for offering in prices.compatible_offerings(each.available, required, well_known)
    }
    if not capacity_types:
        return required
    only = requirement.new(labels.CAPACITY_TYPE, requirement.IN, sorted(capacity_types))
    return required.plus(Requirements([only]))


def _annotations(claim: NewNodeClaim, types: list[InstanceType]) -> dict[str, str]:
    template = claim.node_pool["spec"]["template"].get("metadata") or {}
    annotations = {
        **(template.get("annotations") or {}),
        labels.NODE_POOL_HASH: node_pool_hash.of(claim.node_pool),
        labels.NODE_POOL_HASH_VERSION: node_pool_hash.VERSION,
        labels.MIN_VALUES_RELAXED: "true" if claim.min_values_relaxed else "false",
    }
    if any(offering.price_overlaid for each in types for offering in each.offerings):
        annotations[labels.PRICE_OVERLAY_APPLIED] = "true"
    if any(each.capacity_overlaid for each in types):
        annotations[labels.CAPACITY_OVERLAY_APPLIED] = "true"
    return annotations


def _custom_labels(
    required: Requirements, well_known: frozenset[str], draw: Callable[[int, int], int]
) -> dict[str, str]:
    """The labels of the NodePool's own that have a value; a type's labels come with the type."""
    known = well_known | labels.RESTRICTED | labels.SIMULATED
    chosen = {each.key: each.any(draw) for each in required if each.key not in known}
    return {key: value for key, value in chosen.items() if value}
