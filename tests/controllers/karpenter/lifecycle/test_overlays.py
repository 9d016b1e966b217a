"""NodeOverlays: other prices and more resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import node_overlays
from tests.controllers.karpenter.lifecycle.stages import (
    claims,
    condition,
    make_web,
    nodes,
    on_demand,
    pending,
    run,
    staged,
    types,
)
from tests.objects.kinds.karpenter_samples import node_overlay

if TYPE_CHECKING:
    from kubestage.aliases import Json

OVERLAY = ("karpenter.sh/v1alpha1", "NodeOverlay")


def about(name: str, *values: str, **spec: Any) -> Json:
    key = "node.kubernetes.io/instance-type"
    requirement = {"key": key, "operator": "In", "values": list(values)}
    return node_overlay(name, requirements=[requirement], **spec)


@pytest.mark.parametrize(
    ("change", "price"),
    [("0.5", 0.5), ("+1.5", 3.5), ("-0.5", 1.5), ("+50%", 3.0), ("-100%", 0.0), ("-5", 0.0)],
)
def test_prices_are_replaced_or_adjusted(change: str, price: float) -> None:
    assert node_overlays.adjusted_price(2.0, change) == pytest.approx(price)


def test_a_dearer_type_is_not_taken() -> None:
    assert _taken(price="9") == ["medium"]
    assert _taken(priceAdjustment="+900%") == ["medium"]


def _taken(**spec: Any) -> list[str]:
    stage = staged(make_web(2), about("dear", "small", **spec), node_overlay=True)
    run(stage, 60)
    overlay = stage.store.get(OVERLAY, "dear")
    assert condition(overlay, "Ready")["status"] == "True"
    annotations = claims(stage)[0]["metadata"]["annotations"]
    assert annotations["karpenter.sh/price-overlay-applied"] == "true"
    return types(stage)


def test_without_the_feature_gate_nothing_changes() -> None:
    stage = staged(make_web(2), about("dear", "small", price="9"))
    run(stage, 60)
    assert types(stage) == ["small"]
    assert "status" not in stage.store.get(OVERLAY, "dear")


def test_nodes_have_the_resources_that_are_added() -> None:
    devices = about("devices", "large", capacity={"example.com/device": "4"})
    wanted = {"cpu": "1", "example.com/device": "1"}
    pod = make_web(1)
    container = pod["spec"]["template"]["spec"]["containers"][0]
    container["resources"] = {"requests": wanted, "limits": {"example.com/device": "1"}}
    stage = staged(pod, devices, node_overlay=True)
    run(stage, 60)
    assert types(stage) == ["large"]
    assert nodes(stage)[0]["status"]["allocatable"]["example.com/device"] == "4"
    assert pending(stage) == 0


def test_the_heavier_overlay_counts_and_equal_ones_contradict() -> None:
    light = about("light", "small", price="0.01", weight=1)
    heavy = about("heavy", "small", price="9", weight=5)
    stage = staged(make_web(2), light, heavy, node_overlay=True)
    run(stage, 60)
    assert types(stage) == ["medium"]
    same = about("same", "small", price="8", weight=5)
    stage = staged(make_web(2), heavy, same, node_overlay=True)
    run(stage, 60)
    found = condition(stage.store.get(OVERLAY, "heavy"), "ValidationSucceeded")
    assert (found["reason"], found["message"]) == ("Conflict", "conflict with another overlay")
    assert condition(stage.store.get(OVERLAY, "same"), "Ready")["status"] == "True"


def test_an_overlay_may_be_about_one_pool_alone() -> None:
    requirement = {"key": "karpenter.sh/nodepool", "operator": "In", "values": ["other"]}
    overlay = node_overlay("other", requirements=[requirement], price="9")
    stage = staged(make_web(2), overlay, on_demand(), node_overlay=True)
    run(stage, 60)
    assert types(stage) == ["small"]


def test_what_its_definition_allows_may_still_be_wrong() -> None:
    requirement = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["borrowed"]}
    overlay = node_overlay("odd", requirements=[requirement], price="9")
    stage = staged(overlay, node_overlay=True)
    run(stage, 10)
    found = condition(stage.store.get(OVERLAY, "odd"), "ValidationSucceeded")
    assert (found["status"], found["reason"]) == ("False", "RuntimeValidation")
