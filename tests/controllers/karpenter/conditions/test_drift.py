from __future__ import annotations

from typing import Any

import pytest

from kubestage.aliases import Json
from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.conditions import hashing, status
from kubestage.controllers.karpenter.conditions.drift import DriftCheck
from kubestage.units import HOUR_NS, MINUTE_NS
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.clouds import Cloud

NOW_NS = objects.START_NS
ARM_ONLY = {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}


def _reason(cloud: Cloud, pool: Json, claim: Json) -> str:
    found = DriftCheck(cloud).with_drifted(pool, claim, NOW_NS)
    condition = status.find(found, "Drifted")
    return "" if condition is None else str(condition["reason"])


def _claim(**more: str) -> Json:
    return objects.node_claim("a", objects.labels("m.4", **more))


def _hashed(pool: Json, **changes: Any) -> Json:
    claim = _claim()
    annotations = hashing.with_hash(pool)["metadata"]["annotations"]
    claim["metadata"]["annotations"] = {**annotations, **changes}
    return claim


def test_a_node_claim_as_its_node_pool_wants_it_has_not_drifted() -> None:
    pool = hashing.with_hash(objects.node_pool())
    assert _reason(Cloud(), pool, _hashed(pool)) == ""


def test_another_hash_is_drift_but_only_of_the_same_version() -> None:
    pool = hashing.with_hash(objects.node_pool())
    assert _reason(Cloud(), pool, _hashed(pool, **{labels.NODE_POOL_HASH: "1"})) == (
        "NodePoolDrifted"
    )
    older = {labels.NODE_POOL_HASH: "1", labels.NODE_POOL_HASH_VERSION: "v2"}
    assert _reason(Cloud(), pool, _hashed(pool, **older)) == ""


def test_reasons_are_looked_for_in_order() -> None:
    pool = hashing.with_hash(objects.node_pool(template={"requirements": [ARM_ONLY]}))
    cloud = Cloud(drifted={"a": "ImageDrifted"})
    other_hash = _hashed(pool, **{labels.NODE_POOL_HASH: "1"})
    assert _reason(cloud, pool, other_hash) == "NodePoolDrifted"
    assert _reason(cloud, pool, _hashed(pool)) == "RequirementsDrifted"
    assert _reason(Cloud((), {"a": "X"}), objects.node_pool(), _claim()) == "InstanceTypeNotFound"
    assert _reason(cloud, objects.node_pool(), _claim()) == "ImageDrifted"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({}, ""),
        ({labels.INSTANCE_TYPE: "gone"}, "InstanceTypeNotFound"),
        ({labels.ZONE: "zone-9"}, "InstanceTypeNotFound"),
        ({labels.CAPACITY_TYPE: labels.SPOT}, "InstanceTypeNotFound"),
        # A reserved machine becomes an on-demand one when its reservation ends.
        ({labels.CAPACITY_TYPE: labels.RESERVED}, ""),
    ],
)
def test_an_offering_that_is_no_more_is_drift(stated: dict[str, str], expected: str) -> None:
    pool = objects.node_pool(template={"requirements": []})
    assert _reason(Cloud(), pool, _claim(**stated)) == expected


def test_offerings_are_looked_at_after_an_hour_and_then_every_half_hour() -> None:
    cloud = Cloud()
    check = DriftCheck(cloud)
    pool, claim = objects.node_pool(), _claim()
    created_ns = NOW_NS - 2 * HOUR_NS
    assert check.reason(pool, claim, NOW_NS) == ""
    cloud.offered = ()
    assert check.reason(pool, claim, NOW_NS + 29 * MINUTE_NS) == ""
    assert check.reason(pool, claim, NOW_NS + 30 * MINUTE_NS) == "InstanceTypeNotFound"
    assert DriftCheck(cloud).reason(pool, claim, created_ns + HOUR_NS) == ""


def test_the_condition_goes_when_the_drift_does_and_before_the_launch() -> None:
    pool = objects.node_pool()
    drifted = DriftCheck(Cloud(drifted={"a": "X"})).with_drifted(pool, _claim(), NOW_NS)
    assert status.is_true(drifted, "Drifted")
    assert status.find(DriftCheck(Cloud()).with_drifted(pool, drifted, NOW_NS), "Drifted") is None
    starting = status.without(drifted, "Launched")
    check = DriftCheck(Cloud(drifted={"a": "X"}))
    assert status.find(check.with_drifted(pool, starting, NOW_NS), "Drifted") is None
