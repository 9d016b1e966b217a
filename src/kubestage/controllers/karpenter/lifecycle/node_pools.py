"""NodePools: their hash, whether they are ready, what their nodes have, and static ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import amounts, static_pools
from kubestage.controllers.karpenter.conditions import condition_set, hashing
from kubestage.controllers.karpenter.conditions.condition_set import ConditionSet
from kubestage.controllers.karpenter.lifecycle import pool_validation
from kubestage.controllers.karpenter.lifecycle.at_work import (
    NODE_CLAIM,
    NODE_POOL,
    is_going,
    reference_of,
)
from kubestage.controllers.karpenter.provider import launching
from kubestage.units import MINUTE_NS, SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork
    from kubestage.controllers.karpenter.lifecycle.node_claim_makers import NodeClaimMaker
    from kubestage.controllers.karpenter.lifecycle.pool_health import PoolHealth

_VALIDATED: Final = "ValidationSucceeded"
_CLASS_READY: Final = "NodeClassReady"
_BASE: Final = {"cpu": "0", "memory": "0", "pods": "0", "ephemeral-storage": "0", "nodes": "0"}
_COUNTED_NS: Final = 5 * SECOND_NS


class NodePools:
    """Reconciles NodePools; `pool:` keys are synced when one or its class changes."""

    def __init__(self, at_work: AtWork, health: PoolHealth, maker: NodeClaimMaker) -> None:
        self._at_work = at_work
        self._health = health
        self._maker = maker

    def sync(self, name: str) -> None:
        """Bring a NodePool up to date."""
        at_work = self._at_work
        pool = at_work.lister.get(NODE_POOL, name)
        if pool is None or not at_work.is_managed(pool):
            return
        if hashing.needs_migration(pool):
            self._migrate_claims(pool)
        hashed = hashing.with_hash(pool)
        annotations = hashed["metadata"]["annotations"]
        pool = at_work.write_metadata(NODE_POOL, pool, annotations=annotations)
        conditions = ConditionSet(pool, condition_set.NODE_POOL, at_work.now_ns)
        problem = pool_validation.problem(pool, at_work.cloud.well_known)
        if problem:
            conditions.set_false(_VALIDATED, "NodePoolValidationFailed", problem)
        else:
            conditions.set_true(_VALIDATED)
        status = self._with_class(pool, conditions)
        at_work.write_status(NODE_POOL, pool, {**status, **self._counts(name)})

    def count(self, name: str) -> None:
        """Write what the nodes of a NodePool have together."""
        pool = self._at_work.lister.get(NODE_POOL, name)
        if pool is not None and self._at_work.is_managed(pool):
            status = pool.get("status") or {}
            self._at_work.write_status(NODE_POOL, pool, {**status, **self._counts(name)})

    def sync_static(self, name: str) -> None:
        """Bring the number of a static NodePool's nodes to what is stated."""
        at_work = self._at_work
        pool = at_work.lister.get(NODE_POOL, name)
        if pool is None or is_going(pool) or static_pools.replicas(pool) is None:
            return
        if not at_work.settings.static_capacity or not at_work.is_managed(pool):
            return
        for claim in static_pools.to_deprovision(at_work.cluster, pool, at_work.publish):
            at_work.give_up(claim, "its NodePool has fewer replicas")
        conditions = ConditionSet(pool, condition_set.NODE_POOL, at_work.now_ns)
        if conditions.is_true(condition_set.READY):
            count = static_pools.to_provision(at_work.cluster, pool)
            for _ in range(count):
                self._maker.make_static(pool)
        at_work.wake(f"static:{name}", MINUTE_NS)

    def recount(self, name: str) -> None:
        """Nodes have come or gone: count them soon."""
        self._at_work.wake(f"count:{name}", _COUNTED_NS)

    def _with_class(self, pool: Json, conditions: ConditionSet) -> Json:
        """The status of a NodePool by its class."""
        found = self._at_work.cloud.class_of(reference_of(pool))
        if found is None:
            text = "NodeClass not found on cluster"
            conditions.set_false(_CLASS_READY, "NodeClassNotFound", text)
            return conditions.status
        self._set_class_condition(found.obj, conditions)
        generation = found.metadata.get("generation") or 0
        self._health.check(conditions, pool, generation)
        return {**conditions.status, "nodeClassObservedGeneration": generation}

    def _set_class_condition(self, obj: Json, conditions: ConditionSet) -> None:
        ready = next(
            (
                each
                for each in (obj.get("status") or {}).get("conditions") or ()
                if each["type"] == condition_set.READY
            ),
            {"status": condition_set.UNKNOWN},
        )
        if is_going(obj):
            conditions.set_false(_CLASS_READY, "NodeClassTerminating", "NodeClass is Terminating")
        elif ready["status"] == condition_set.UNKNOWN:
            text = "Node Class Readiness Unknown"
            conditions.set_false(_CLASS_READY, "NodeClassReadinessUnknown", text)
        elif ready["status"] == condition_set.FALSE:
            conditions.set_false(_CLASS_READY, ready["reason"], ready["message"])
        else:
            conditions.set_true(_CLASS_READY)

    def _counts(self, name: str) -> Json:
        found = self._at_work.cluster.node_pool_resources(name)
        resources = {**_BASE, **launching.resource_list(found)}
        return {"resources": resources, "nodes": found.get(amounts.NODES, 0) // amounts.UNIT}

    def _migrate_claims(self, pool: Json) -> None:
        at_work, name = self._at_work, pool["metadata"]["name"]
        for claim in at_work.lister.all(NODE_CLAIM):
            if (claim["metadata"].get("labels") or {}).get("karpenter.sh/nodepool") == name:
                migrated = hashing.migrated(pool, claim)["metadata"].get("annotations") or {}
                at_work.write_metadata(NODE_CLAIM, claim, annotations=migrated)
