"""How registrations of a NodePool's nodes went lately: its condition NodeRegistrationHealthy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.conditions import condition_set
from kubestage.controllers.karpenter.conditions.condition_set import ConditionSet
from kubestage.controllers.karpenter.lifecycle.at_work import NODE_POOL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork

HEALTHY: Final = "NodeRegistrationHealthy"
_REMEMBERED: Final = 4
_FAILURES: Final = 2


class PoolHealth:
    """The last four outcomes of each NodePool; two failures among them are unhealthy."""

    def __init__(self, at_work: AtWork) -> None:
        self._at_work = at_work
        self._outcomes: dict[str, list[bool]] = {}

    def succeeded(self, claim: Json) -> None:
        """A node has registered."""
        self._note(claim, True)

    def failed(self, claim: Json) -> None:
        """A node has not come in time."""
        self._note(claim, False)

    def check(self, conditions: ConditionSet, pool: Json, class_generation: int) -> None:
        """Forget the outcomes when the NodePool or its class has changed."""
        uid = pool["metadata"]["uid"]
        found = conditions.get(HEALTHY)
        if uid not in self._outcomes and found is not None:
            known = {condition_set.TRUE: [True], condition_set.FALSE: [False] * _FAILURES}
            self._outcomes[uid] = known.get(found["status"], [])
        seen = (pool.get("status") or {}).get("nodeClassObservedGeneration") or 0
        generation = pool["metadata"].get("generation") or 0
        if found is None or seen != class_generation or (
            found.get("observedGeneration") != generation
        ):  # fmt: skip
            conditions.set_unknown(HEALTHY)
            self._outcomes[uid] = []

    def _note(self, claim: Json, outcome: bool) -> None:
        pool = self._at_work.node_pool_of(claim)
        if pool is None or not _is_owned_by(claim, pool):
            return
        uid = pool["metadata"]["uid"]
        outcomes = [*self._outcomes.get(uid, ()), outcome][-_REMEMBERED:]
        self._outcomes[uid] = outcomes
        conditions = ConditionSet(pool, condition_set.NODE_POOL, self._at_work.now_ns)
        if _are_healthy(outcomes):
            if outcome:
                conditions.set_true(HEALTHY)
        elif not outcome and conditions.value(HEALTHY) != condition_set.FALSE:
            conditions.set_false(HEALTHY, "RegistrationFailed", "Failed to register node")
        self._at_work.write_status(NODE_POOL, pool, conditions.status)


def _are_healthy(outcomes: Sequence[bool]) -> bool:
    return outcomes.count(False) < _FAILURES


def _is_owned_by(claim: Json, pool: Json) -> bool:
    owners = claim["metadata"].get("ownerReferences") or ()
    return any(each["uid"] == pool["metadata"]["uid"] for each in owners)
