"""The hash annotations: on NodePools always, on NodeClaims when the way to hash has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.conditions import drift, node_pool_hash, status

if TYPE_CHECKING:
    from kubestage.aliases import Json


def with_hash(node_pool: Json) -> Json:
    """The NodePool with the hash of its template."""
    return _annotated(
        node_pool,
        {
            labels.NODE_POOL_HASH: node_pool_hash.of(node_pool),
            labels.NODE_POOL_HASH_VERSION: node_pool_hash.VERSION,
        },
    )


def migrated(node_pool: Json, node_claim: Json) -> Json:
    """A NodeClaim with an older kind of hash gets the present one; what has drifted stays so."""
    annotations = node_claim["metadata"].get("annotations") or {}
    if annotations.get(labels.NODE_POOL_HASH_VERSION) == node_pool_hash.VERSION:
        return node_claim
    added = {labels.NODE_POOL_HASH_VERSION: node_pool_hash.VERSION}
    if status.find(node_claim, drift.DRIFTED) is None:
        added[labels.NODE_POOL_HASH] = node_pool_hash.of(node_pool)
    return _annotated(node_claim, added)


def needs_migration(node_pool: Json) -> bool:
    """Whether a NodePool was hashed in another way, so that its NodeClaims have to be migrated."""
    annotations = node_pool["metadata"].get("annotations") or {}
    return bool(annotations.get(labels.NODE_POOL_HASH_VERSION) != node_pool_hash.VERSION)


def _annotated(obj: Json, added: dict[str, str]) -> Json:
    metadata = obj["metadata"]
    annotations = {**(metadata.get("annotations") or {}), **added}
    return {**obj, "metadata": {**metadata, "annotations": annotations}}
