"""Why a new node cannot have some instance types: by requirement, by room, by what is offered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.controllers.karpenter import amounts, labels
from kubestage.controllers.karpenter.instance_types import prices
from kubestage.controllers.karpenter.instance_types.catalogue import Catalogue
from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.controllers.karpenter.scheduling import templates
from kubestage.controllers.node_decisions import Exclusion
from kubestage.objects.pod_resources import PODS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.controllers.karpenter.instance_types.catalogue import Mask
    from kubestage.controllers.karpenter.instance_types.types import InstanceType
    from kubestage.controllers.karpenter.requirements.requirement import Requirement
    from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim

_SHOWN: Final = 4
_CUT: Final = f"not among the {prices.MAX_INSTANCE_TYPES} cheapest, which a NodeClaim names at most"
_OFFERED: Final = (labels.ZONE, labels.CAPACITY_TYPE)


class Exclusions:
    """Finds the reasons; instance types are put into columns once for as long as they stay."""

    def __init__(self) -> None:
        self._types: Sequence[InstanceType] = ()
        self._catalogue: Catalogue | None = None

    def __getstate__(self) -> dict[str, object]:
        return {"_types": (), "_catalogue": None}

    def of(
        self,
        claim: NewNodeClaim,
        types: Sequence[InstanceType],
        well_known: frozenset[str],
        rest: str,
    ) -> list[Exclusion]:
        """Each type counts for the first reason that holds; `rest` is the reason of the others."""
        catalogue = self._of_types(types, well_known)
        left: Mask = np.ones(len(catalogue.types), dtype=np.bool_)
        found = []
        for reason, mask in self._tests(claim, catalogue):
            found.append(_exclusion(reason, catalogue, left & ~mask))
            left &= mask
        kept = {each.name for each in claim.instance_types}
        if kept:
            usable: Mask = np.array([each.name in kept for each in catalogue.types], dtype=np.bool_)
            left &= ~usable
            cut = self._cut(claim, catalogue, left, well_known)
            found.append(_exclusion(rest, catalogue, left & ~cut))
            found.append(_exclusion(_CUT, catalogue, left & cut))
        return [each for each in found if each.count]

    @staticmethod
    def _cut(
        claim: NewNodeClaim, catalogue: Catalogue, left: Mask, well_known: frozenset[str]
    ) -> Mask:
        """The types that are dearer than all that a NodeClaim names, if it names all it may."""
        cut: Mask = np.zeros(len(catalogue.types), dtype=np.bool_)
        if len(claim.instance_types) < prices.MAX_INSTANCE_TYPES:
            return cut
        dearest = max(
            prices.lowest_price(each, claim.requirements, well_known)
            for each in claim.instance_types
        )
        for at in np.flatnonzero(left):
            price = prices.lowest_price(catalogue.types[at], claim.requirements, well_known)
            cut[at] = price >= dearest
        return cut

    def _of_types(self, types: Sequence[InstanceType], well_known: frozenset[str]) -> Catalogue:
        if self._catalogue is None or self._types is not types:
            self._types, self._catalogue = types, Catalogue(types, well_known)
        return self._catalogue

    @staticmethod
    def _tests(claim: NewNodeClaim, catalogue: Catalogue) -> Iterator[tuple[str, Mask]]:
        """The reasons, and the types that pass each."""
        own = templates.requirements_of(claim.node_pool)
        for each in stated(own):
            yield f"the NodePool requires {each}", catalogue.met(Requirements([each])).types
        for each in stated(claim.requirements):
            if each.key not in own or own.get(each.key) != each:
                yield f"its pods require {each}", catalogue.met(Requirements([each])).types
        requested = amounts.of_quantities(claim.requests)
        for at, name in enumerate(catalogue.resources):
            amount = requested.get(name, 0)
            if amount:
                rows = catalogue.allocatable[:, at] >= amount
                yield _too_small(name, claim), catalogue.any_of_rows(rows)
        offered = [each for each in claim.requirements if each.key in _OFFERED]
        rows = catalogue.met(Requirements(offered)).rows
        where = ", ".join(str(each) for each in offered) or "any zone"
        yield f"not available with {where}", catalogue.any_of_rows(rows)


def stated(requirements: Iterable[Requirement]) -> list[Requirement]:
    """The requirements that say anything to a reader: not those of every node."""
    return [
        each
        for each in requirements
        if each.key not in (*labels.SIMULATED, labels.NODE_POOL, labels.HOSTNAME)
        and not each.key.endswith("nodeclass")
    ]


def _too_small(name: str, claim: NewNodeClaim) -> str:
    """That a type has not enough of a resource."""
    shown = claim.requests[name]
    return f"room for less than {shown} pods" if name == PODS else f"less than {shown} {name}"


def _exclusion(reason: str, catalogue: Catalogue, mask: Mask) -> Exclusion:
    places = np.flatnonzero(mask)
    names = tuple(catalogue.types[at].name for at in places[:_SHOWN])
    return Exclusion(reason, len(places), names)
