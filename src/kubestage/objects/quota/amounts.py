"""Arithmetic on lists of resources: names and exact amounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import quantity

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kubestage.objects.pod_resources import ResourceList

ZERO: Final = quantity.from_int(0)
ONE: Final = quantity.from_int(1)


def read(amounts: Mapping[str, Any] | None) -> ResourceList:
    """The amounts of a list as JSON has it."""
    return {name: quantity.of(amount) for name, amount in (amounts or {}).items()}


def write(amounts: ResourceList) -> dict[str, str]:
    """The amounts as the API writes them, in the order of their names."""
    return {name: amounts[name].canonical for name in sorted(amounts)}


def add(left: ResourceList, right: ResourceList) -> ResourceList:
    """What both have together."""
    total = dict(left)
    for name, amount in right.items():
        total[name] = total[name] + amount if name in total else amount
    return total


def growth(after: ResourceList, before: ResourceList) -> ResourceList:
    """How much more there is than before; less than before counts as nothing."""
    grown = {}
    for name, amount in after.items():
        more = amount - before[name] if name in before else amount
        grown[name] = more if more.sign > 0 else ZERO
    return grown


def mask(amounts: ResourceList, names: Collection[str]) -> ResourceList:
    """The amounts of these names only."""
    return {name: amount for name, amount in amounts.items() if name in names}


def without_zeros(amounts: ResourceList) -> ResourceList:
    """The amounts that are any."""
    return {name: amount for name, amount in amounts.items() if not amount.is_zero}


def exceeding(amounts: ResourceList, limits: ResourceList) -> list[str]:
    """The names of which there is more than the limit."""
    return [name for name, limit in limits.items() if name in amounts and amounts[name] > limit]


def shown(amounts: ResourceList) -> str:
    """``cpu=1,pods=2``, as refusals show amounts."""
    return ",".join(f"{name}={amounts[name].canonical}" for name in sorted(amounts))
