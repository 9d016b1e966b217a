"""The instance types of NodePools under the NodeOverlays of a cluster, evaluated once."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.provider import overlays
from kubestage.controllers.karpenter.requirements import rules

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.instance_types.types import InstanceType
    from kubestage.controllers.karpenter.provider.overlays import Evaluation
    from kubestage.controllers.lister import Lister

OVERLAY: Final = ("karpenter.sh/v1alpha1", "NodeOverlay")
_NODE_POOL: Final = ("karpenter.sh/v1", "NodePool")


class OverlaidTypes:
    """Applies NodeOverlays; `types_of` lists the types of a NodePool without them."""

    def __init__(self, lister: Lister, types_of: Callable[[Json], Sequence[InstanceType]]) -> None:
        self._lister = lister
        self._types_of = types_of
        self._evaluated: tuple[list[object], Evaluation] | None = None
        self._applied: dict[str, Sequence[InstanceType]] = {}

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_evaluated": None, "_applied": {}}

    def applied(
        self, pool: Json, listed: Sequence[InstanceType], well_known: Collection[str]
    ) -> Sequence[InstanceType]:
        """The types of a NodePool as overlays have them."""
        name = pool["metadata"]["name"]
        evaluation = self._evaluation(well_known)
        if name not in self._applied:
            self._applied[name] = evaluation.applied(name, listed)
        return self._applied[name]

    def problems(self, well_known: Collection[str]) -> tuple[dict[str, str], frozenset[str]]:
        """What is wrong with overlays, and which contradict others."""
        return self._invalid(well_known), self._evaluation(well_known).conflicting

    def _evaluation(self, well_known: Collection[str]) -> Evaluation:
        found = self._lister.all(OVERLAY)
        pools = {
            pool["metadata"]["name"]: (pool, self._types_of(pool))
            for pool in self._lister.all(_NODE_POOL)
        }
        state: list[object] = [*found, *(part for each in pools.values() for part in each)]
        known = self._evaluated
        if known is not None and len(known[0]) == len(state) and (
            all(map(operator.is_, known[0], state))
        ):  # fmt: skip
            return known[1]
        invalid = self._invalid(well_known)
        valid = (each for each in found if each["metadata"]["name"] not in invalid)
        evaluation = overlays.evaluate(valid, pools)
        self._evaluated = (state, evaluation)
        self._applied = {}
        return evaluation

    def _invalid(self, well_known: Collection[str]) -> dict[str, str]:
        problems = {
            each["metadata"]["name"]: [
                text
                for stated in each["spec"].get("requirements") or ()
                for text in rules.problems(stated, well_known)
            ]
            for each in self._lister.all(OVERLAY)
        }
        return {name: "; ".join(texts) for name, texts in problems.items() if texts}
