from __future__ import annotations

from typing import Any

import pytest

from kubestage.aliases import Json
from kubestage.controllers.karpenter.conditions import hashing, node_pool_hash
from tests.controllers.karpenter import objects

EKS = {"group": "eks.amazonaws.com", "kind": "NodeClass", "name": "default"}
EC2 = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
HASH = "karpenter.sh/nodepool-hash"
VERSION = "karpenter.sh/nodepool-hash-version"


def _pool(metadata: Json | None = None, **spec: Any) -> Json:
    template: Json = {"spec": spec}
    if metadata is not None:
        template["metadata"] = metadata
    return {"kind": "NodePool", "metadata": {"name": "a"}, "spec": {"template": template}}


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        # Annotations of real clusters, as their owners published them.
        (
            _pool({}, expireAfter="336h", nodeClassRef=EKS, terminationGracePeriod="24h0m0s"),
            "4012513481623584108",
        ),
        (_pool(None, expireAfter="720h", nodeClassRef=EC2), "6821555240594823858"),
    ],
)
def test_the_hash_is_that_of_real_clusters(pool: Json, expected: str) -> None:
    assert node_pool_hash.of(pool) == expected


def test_requirements_and_notation_do_not_count() -> None:
    plain = node_pool_hash.of(_pool(None, expireAfter="720h", nodeClassRef=EC2))
    requirement = {"key": "kubernetes.io/arch", "operator": "Exists"}
    other = _pool(None, expireAfter="43200m", nodeClassRef=EC2, requirements=[requirement])
    assert node_pool_hash.of(other) == plain


@pytest.mark.parametrize(
    ("metadata", "spec"),
    [
        ({"labels": {"a": "b"}}, {}),
        ({"annotations": {"a": "b"}}, {}),
        ({"labels": {}}, {}),
        (None, {"taints": [{"key": "a", "effect": "NoSchedule"}]}),
        (None, {"startupTaints": [{"key": "a", "effect": "NoSchedule"}]}),
        (None, {"taints": [{"key": "a", "effect": "NoSchedule", "value": "b"}]}),
        (None, {"taints": [{"key": "a", "timeAdded": "2000-01-01T00:00:00Z"}]}),
        (None, {"terminationGracePeriod": "1h"}),
        (None, {"expireAfter": "1h"}),
        (None, {"expireAfter": "Never"}),
        (None, {"nodeClassRef": EKS}),
    ],
)
def test_whatever_else_a_template_says_counts(metadata: Json | None, spec: Json) -> None:
    plain = {"expireAfter": "720h", "nodeClassRef": EC2}
    assert node_pool_hash.of(_pool(metadata, **{**plain, **spec})) != node_pool_hash.of(
        _pool(None, **plain)
    )


def test_node_claims_of_an_older_hash_are_migrated_unless_they_have_drifted() -> None:
    pool = hashing.with_hash(objects.node_pool())
    claim = objects.node_claim("a", objects.labels("m.4"))
    claim["metadata"]["annotations"] = {HASH: "1", VERSION: "v2"}
    migrated = hashing.migrated(pool, claim)["metadata"]["annotations"]
    assert migrated == {HASH: pool["metadata"]["annotations"][HASH], VERSION: "v3"}
    claim["status"]["conditions"].append({"type": "Drifted", "status": "True"})
    assert hashing.migrated(pool, claim)["metadata"]["annotations"] == {HASH: "1", VERSION: "v3"}
    assert not hashing.needs_migration(pool)
    assert hashing.needs_migration(objects.node_pool())
