"""The domains that nodes could have, by label, and the taints that come with them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.requirements import requirement, requirements
from kubestage.controllers.karpenter.scheduling import node_filter, tolerance

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.instance_types.types import InstanceType
    from kubestage.controllers.karpenter.requirements.requirements import Requirements
    from kubestage.objects.taints import Taint, Toleration


# As many as the NodePools of a cluster need; those of clusters that are gone do not pile up.
_REMEMBERED: Final = 32


class Domains:
    """The domains of one label, each with the sets of taints of the NodePools that have it."""

    def __init__(self) -> None:
        self._taints: dict[str, list[tuple[Taint, ...]]] = {}

    def insert(self, domain: str, taints: tuple[Taint, ...]) -> None:
        """Add a domain; where it is to be had without taints, no others matter."""
        known = self._taints.get(domain)
        if known is None or not taints:
            self._taints[domain] = [taints]
        elif known[0] and taints not in known:
            known.append(taints)

    def usable(self, tolerations: Sequence[Toleration], taint_policy: str) -> Iterable[str]:
        """The domains that a pod of these tolerations can get to."""
        for domain, alternatives in self._taints.items():
            if taint_policy == node_filter.IGNORE or any(
                tolerance.tolerates(taints, tolerations) for taints in alternatives
            ):
                yield domain


def of_node_pools(
    node_pools: Iterable[Json], types: Mapping[str, Sequence[InstanceType]]
) -> dict[str, Domains]:
    """The domains of all labels that NodePools and their instance types define."""
    found: dict[str, Domains] = {}
    for node_pool in sorted(node_pools, key=lambda each: str(each["metadata"]["name"])):
        offered = types.get(node_pool["metadata"]["name"])
        if not offered:
            continue
        template = node_pool["spec"]["template"]
        taints = tolerance.taints_of(template["spec"].get("taints"))
        stated = requirements.of_json(template["spec"].get("requirements") or ()).plus(
            requirements.of_labels((template.get("metadata") or {}).get("labels"))
        )
        for key, values in _values(stated, tuple(offered)).items():
            domains = found.setdefault(key, Domains())
            for value in sorted(values):
                domains.insert(value, taints)
    return found


@functools.lru_cache(maxsize=_REMEMBERED)
def _values(stated: Requirements, types: tuple[InstanceType, ...]) -> Mapping[str, set[str]]:
    """The listed values, also where they are listed as excluded: the real one makes no difference.

    The labels of a type count only as far as the NodePool's requirements allow.
    """
    found: dict[str, set[str]] = {}
    distinct = {each for instance_type in types for each in instance_type.requirements}
    for each in distinct:
        both = each.intersection(stated.get(each.key)) if each.key in stated else each
        found.setdefault(each.key, set()).update(both.values)
    defined = [instance_type.requirements for instance_type in types]
    for each in stated:
        values = found.setdefault(each.key, set())
        if any(each.key not in own for own in defined) or each.operator == requirement.IN:
            values.update(each.values)
    return found
