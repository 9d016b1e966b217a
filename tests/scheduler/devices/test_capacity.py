"""What a request takes of a device's capacity."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import quantity
from kubestage.scheduler.devices import capacity, slices
from tests.scheduler.devices import machines

RANGE = {"default": "4", "validRange": {"min": "2", "step": "2", "max": "6"}}
VALUES = {"default": "1", "validValues": ["1", "4", "8"]}


def offered(value: str, policy: dict[str, Any] | None = None) -> dict[str, slices.Capacity]:
    memory: dict[str, Any] = {"value": value}
    if policy is not None:
        memory["requestPolicy"] = policy
    device = machines.device("gpu-0", capacity={"memory": memory})
    return slices.facts_of(device, machines.DRIVER).capacity


def wanted(amount: str | None) -> dict[str, quantity.Quantity]:
    return {} if amount is None else {"memory": quantity.parse(amount)}


@pytest.mark.parametrize(
    ("policy", "amount", "taken"),
    [
        (None, None, "8"),
        (None, "3", "3"),
        (RANGE, None, "4"),
        (RANGE, "1", "2"),
        (RANGE, "2", "2"),
        (RANGE, "3", "4"),
        ({"validRange": {"min": "2"}}, "3", "3"),
        (VALUES, None, "1"),
        (VALUES, "2", "4"),
        (VALUES, "9", "9"),
    ],
)
def test_a_request_is_rounded_up_to_what_the_device_offers(
    policy: dict[str, Any] | None, amount: str | None, taken: str
) -> None:
    found = capacity.consumed(wanted(amount), offered("8", policy))
    assert str(found["memory"]) == taken


@pytest.mark.parametrize(
    ("policy", "amount", "used", "fits"),
    [
        (None, "8", [], True),
        (None, "9", [], False),
        (None, None, [], True),
        (None, None, ["1"], False),
        (None, "3", ["4"], True),
        (None, "3", ["4", "2"], False),
        (RANGE, "5", [], True),
        (RANGE, "7", [], False),
        ({"validRange": {"min": "2", "max": "6"}}, "5", [], True),
        ({"validRange": {"min": "2", "max": "6"}}, "7", [], False),
        (VALUES, "9", [], False),
        (VALUES, None, ["7"], True),
        (VALUES, None, ["8"], False),
    ],
)
def test_a_device_must_have_room_besides_what_is_in_use(
    policy: dict[str, Any] | None, amount: str | None, used: list[str], fits: bool
) -> None:
    in_use = [wanted(each) for each in used]
    assert capacity.suffices(wanted(amount), offered("8", policy), *in_use) is fits


def test_a_capacity_that_a_device_does_not_have_cannot_be_asked_for() -> None:
    assert not capacity.suffices({"cores": quantity.parse("1")}, offered("8"))
    assert capacity.suffices({}, {})
