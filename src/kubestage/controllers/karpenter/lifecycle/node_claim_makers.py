"""Makes NodeClaims: for what a simulation found, and for static NodePools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter import amounts, labels, node_claim_objects
from kubestage.controllers.karpenter.decisions import purchases
from kubestage.controllers.karpenter.decisions.exclusions import Exclusions
from kubestage.controllers.karpenter.lifecycle.at_work import NODE_POOL
from kubestage.controllers.karpenter.scheduling import templates
from kubestage.controllers.karpenter.scheduling.options import Options
from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim, nominated
from kubestage.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.disruption.command import Command
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork


class NodeClaimMaker:
    """Creates NodeClaims, unless the limits of their NodePool are exceeded."""

    def __init__(self, at_work: AtWork) -> None:
        self._at_work = at_work
        self._exclusions = Exclusions()

    def make(
        self, claims: Sequence[NewNodeClaim], *, nominates: bool, command: Command | None = None
    ) -> list[str]:
        """Create NodeClaims, if for a `command` its replacements; their names, in this order."""
        made = []
        for claim in claims:
            created = self._create(claim)
            if created is None:
                continue
            made.append(str(created["metadata"]["name"]))
            self._report(created, claim, command)
            if nominates:
                for pod in claim.pods:
                    self._at_work.publish(nominated(pod, None, created))
        return made

    def make_static(self, pool: Json) -> None:
        """Create a NodeClaim of a static NodePool, for any of its types."""
        cloud = self._at_work.cloud
        required = templates.requirements_of(pool)
        options = Options(well_known=cloud.well_known, reservation_label=cloud.reservation_label)
        types, _ = templates.usable_types(required, cloud.types_of(pool), options)
        claim = NewNodeClaim(pool, required, types, [], {}, min_values_relaxed=False)
        obj = node_claim_objects.of(claim, cloud.well_known)
        # The provider chooses among all that there is by then.
        stated = required.without(*labels.SIMULATED).node_selector_requirements()
        created = self._store({**obj, "spec": {**obj["spec"], "requirements": stated}})
        if created is not None:
            self._report(created, claim, None, purchases.STATIC)

    def _report(
        self, created: Json, claim: NewNodeClaim, command: Command | None, why: str = purchases.PODS
    ) -> None:
        """Say what a NodeClaim was made for, and which types it may have."""
        at_work, cloud = self._at_work, self._at_work.cloud
        if not at_work.decisions.is_observed:
            return
        decision = purchases.of(
            at_work.now_ns,
            created,
            claim,
            cloud.types_of(claim.node_pool),
            self._exclusions,
            cloud.well_known,
            why,
            command,
        )
        at_work.decisions.report(decision)

    def _create(self, claim: NewNodeClaim) -> Json | None:
        pool = self._at_work.lister.get(NODE_POOL, claim.pool_name)
        if pool is None or self._is_exceeded(pool):
            return None
        return self._store(node_claim_objects.of(claim, self._at_work.cloud.well_known))

    def _store(self, obj: Json) -> Json | None:
        try:
            return self._at_work.store.create(obj)
        except ApiError:
            return None

    def _is_exceeded(self, pool: Json) -> bool:
        limits = amounts.of(pool["spec"].get("limits"))
        used = self._at_work.cluster.node_pool_resources(pool["metadata"]["name"])
        return any(used.get(name, 0) > most for name, most in limits.items())
