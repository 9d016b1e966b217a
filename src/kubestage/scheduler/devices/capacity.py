"""How much of a device's capacity a request takes, and whether that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.objects.quantity import Quantity
    from kubestage.scheduler.devices.slices import Capacity, RequestPolicy

Amounts = dict[str, "Quantity"]


def consumed(requested: Mapping[str, Quantity], capacity: Mapping[str, Capacity]) -> Amounts:
    """What a request takes of each capacity: as requested, rounded up as the device requires."""
    return {name: _taken(requested.get(name), each) for name, each in capacity.items()}


def suffices(
    requested: Mapping[str, Quantity],
    capacity: Mapping[str, Capacity],
    *in_use: Mapping[str, Quantity],
) -> bool:
    """Whether a device can provide what is requested besides what is in use already."""
    if not requested.keys() <= capacity.keys():
        return False
    for name, each in capacity.items():
        total = _taken(requested.get(name), each)
        if each.policy is not None and _violates(total, each.policy):
            return False
        for amounts in in_use:
            if name in amounts:
                total = total + amounts[name]
        if total > each.value:
            return False
    return True


def _taken(requested: Quantity | None, capacity: Capacity) -> Quantity:
    policy = capacity.policy
    if requested is None:
        return capacity.value if policy is None or policy.default is None else policy.default
    if policy is None:
        return requested
    if policy.minimum is not None:
        return _into_range(requested, policy.minimum, policy.step)
    return next((value for value in policy.values if requested <= value), requested)


def _into_range(requested: Quantity, minimum: Quantity, step: Quantity | None) -> Quantity:
    if requested < minimum:
        return minimum
    if step is None:
        return requested
    steps = -((minimum.value - requested.value) // step.value)
    return quantity.from_int(minimum.value + step.value * steps, quantity.BINARY_SI)


def _violates(amount: Quantity, policy: RequestPolicy) -> bool:
    if policy.default is not None and amount == policy.default:
        return False
    if policy.minimum is not None or policy.maximum is not None or policy.step is not None:
        if policy.maximum is not None and amount > policy.maximum:
            return True
        if policy.step is None:
            return False
        minimum = 0 if policy.minimum is None else policy.minimum.value
        return (amount.value - minimum) % policy.step.value != 0
    return bool(policy.values) and amount not in policy.values
