"""What the nodes of a NodePool cost together, by the prices of their offerings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.instance_types import InstanceType

_NEEDED: Final = (labels.INSTANCE_TYPE, labels.CAPACITY_TYPE, labels.ZONE, labels.NODE_POOL)


def by_node_pool(
    node_claims: Iterable[Json], types: Mapping[str, Mapping[str, InstanceType]]
) -> dict[str, float]:
    """The sums over NodeClaims by NodePool; a type or offering that is not known costs nothing."""
    total: dict[str, float] = {}
    for node_claim in node_claims:
        stated = node_claim["metadata"].get("labels") or {}
        if any(key not in stated for key in _NEEDED):
            continue
        name = stated[labels.NODE_POOL]
        instance_type = types.get(name, {}).get(stated[labels.INSTANCE_TYPE])
        price = None
        if instance_type is not None:
            price = instance_type.price(stated[labels.ZONE], stated[labels.CAPACITY_TYPE])
        total[name] = total.get(name, 0.0) + (price or 0.0)
    return total
