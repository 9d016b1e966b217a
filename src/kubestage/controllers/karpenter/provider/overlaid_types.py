"""The instance types of NodePools under the NodeOverlays of a cluster, evaluated once."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.instance_types import overlay

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.instance_types.overlay import Overlaid, Problem
    from kubestage.controllers.karpenter.instance_types.types import InstanceType
    from kubestage.controllers.lister import Lister

OVERLAY: Final = ("karpenter.sh/v1alpha1", "NodeOverlay")
_NODE_POOL: Final = ("karpenter.sh/v1", "NodePool")


class OverlaidTypes:
    """Applies NodeOverlays; `types_of` lists the types of a NodePool without them."""

    def __init__(self, lister: Lister, types_of: Callable[[Json], Sequence[InstanceType]]) -> None:
        self._lister = lister
        self._types_of = types_of
        self._evaluated: tuple[list[object], Overlaid] | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_evaluated": None}

    def applied(self, pool: Json, well_known: frozenset[str]) -> Sequence[InstanceType]:
        """The types of a NodePool as overlays have them; as they are if it is none of these."""
        found = self._evaluation(well_known).types.get(pool["metadata"]["name"])
        return self._types_of(pool) if found is None else found

    def problems(self, well_known: frozenset[str]) -> Mapping[str, Problem]:
        """The overlays that do not count, by name: they are not valid, or contradict others."""
        return self._evaluation(well_known).problems

    def _evaluation(self, well_known: frozenset[str]) -> Overlaid:
        found = self._lister.all(OVERLAY)
        pools = self._lister.all(_NODE_POOL)
        listed = {pool["metadata"]["name"]: self._types_of(pool) for pool in pools}
        state: list[object] = [*found, *pools, *listed.values()]
        known = self._evaluated
        if known is not None and len(known[0]) == len(state) and (
            all(map(operator.is_, known[0], state))
        ):  # fmt: skip
            return known[1]
        evaluation = overlay.overlaid(found, pools, listed, well_known)
        self._evaluated = (state, evaluation)
        return evaluation
