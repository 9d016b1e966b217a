"""NodeOverlays: which win, which are in conflict, and what they change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.aliases import Json
from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.instance_types import overlay
from kubestage.objects import node_overlays
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.clouds import STANDARD

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.instance_types.overlay import Overlaid

POOL = objects.node_pool()


def _overlay(name: str, *requirements: Json, **spec: Any) -> Json:
    return {"metadata": {"name": name}, "spec": {"requirements": list(requirements), **spec}}


def _in(key: str, *values: str) -> Json:
    return {"key": key, "operator": "In", "values": list(values)}


def _apply(*overlays: Json, pool: Json = POOL) -> Overlaid:
    return overlay.overlaid(overlays, [pool], {"default": STANDARD}, labels.WELL_KNOWN)


def _prices(found: Overlaid, zone: str = "zone-1") -> list[float | None]:
    return [each.price(zone, labels.ON_DEMAND) for each in found.types["default"][:3]]


@pytest.mark.parametrize(
    ("change", "price"),
    [
        ("", 2.0),
        ("0.5", 0.5),
        ("+0.5", 2.5),
        ("-0.5", 1.5),
        ("+10%", 2.2),
        ("-25%", 1.5),
        ("-9", 0),
    ],
)
def test_a_price_is_replaced_moved_or_scaled(change: str, price: float) -> None:
    assert node_overlays.adjusted_price(2.0, change) == pytest.approx(price)


def test_only_what_is_selected_changes() -> None:
    found = _apply(
        _overlay("o", _in(labels.INSTANCE_TYPE, "m.2"), _in(labels.ZONE, "zone-1"), price="0.01")
    )
    assert _prices(found) == pytest.approx([0.05, 0.01, 0.2])
    assert _prices(found, "zone-2") == pytest.approx([0.05, 0.1, 0.2])
    assert found.types["default"][0] is STANDARD[0]
    assert [each.price_overlaid for each in found.types["default"][1].offerings] == [True, False]
    assert found.problems == {}


def test_the_overlay_of_the_highest_weight_wins() -> None:
    found = _apply(
        _overlay("light", price="9", weight=1),
        _overlay("heavy", _in(labels.INSTANCE_TYPE, "m.1"), priceAdjustment="+1", weight=10),
    )
    assert _prices(found) == pytest.approx([1.05, 9, 9])


def test_of_one_weight_the_last_by_name_wins_and_the_other_changes_nothing() -> None:
    found = _apply(
        _overlay("a", price="1"), _overlay("b", _in(labels.INSTANCE_TYPE, "m.1"), price="2")
    )
    assert _prices(found) == pytest.approx([2, 0.1, 0.2])
    assert found.problems == {"a": overlay.Problem("Conflict", "conflict with another overlay")}


def test_capacity_is_added_to_the_type_and_prices_do_not_conflict_with_it() -> None:
    found = _apply(
        _overlay("a", price="1"),
        _overlay("b", _in(labels.ZONE, "zone-1"), capacity={"example.com/gpu": "2"}),
        _overlay("c", capacity={"example.com/gpu": "9", "example.com/nic": "1"}, weight=5),
    )
    first = found.types["default"][0]
    assert first.capacity_overlaid
    assert first.allocatable["example.com/gpu"] == 9000
    assert first.allocatable["example.com/nic"] == 1000
    assert found.problems == {}
    again = _apply(
        _overlay("a", capacity={"example.com/gpu": "2"}),
        _overlay("b", capacity={"example.com/gpu": "1"}),
    )
    assert again.types["default"][0].allocatable["example.com/gpu"] == 1000
    assert list(again.problems) == ["a"]


def test_labels_of_the_node_pool_are_selected_too() -> None:
    pool = objects.node_pool()
    pool["spec"]["template"]["metadata"] = {"labels": {"team": "a"}}
    chosen = _overlay("o", _in("team", "a"), _in(labels.NODE_POOL, "default"), price="1")
    assert _prices(_apply(chosen, pool=pool)) == [1, 1, 1]
    assert _prices(_apply(chosen)) == pytest.approx([0.05, 0.1, 0.2])


def test_an_overlay_that_is_not_valid_is_reported() -> None:
    found = _apply(
        _overlay("cpu", capacity={"cpu": "9"}),
        _overlay("host", _in(labels.HOSTNAME, "h"), price="1"),
        _overlay("none", {"key": "team", "operator": "NotIn"}, price="1"),
    )
    assert found.problems["cpu"] == overlay.Problem(
        "RuntimeValidation", "invalid capacity: cpu in resource, restricted"
    )
    assert found.problems["host"].message.startswith("invalid value: using label kubernetes.io")
    assert found.problems["none"].message == (
        "key team with operator NotIn must have a value defined"
    )
    assert _prices(found) == pytest.approx([0.05, 0.1, 0.2])
