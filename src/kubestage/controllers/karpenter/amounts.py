"""Amounts of resources as whole thousandths, so that fitting is a comparison of integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import pod_resources, quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.pod_resources import ResourceList

Amounts = dict[str, int]
"""Resource names and thousandths of their units."""

NODES: Final = "nodes"
"""The resource of which each node has one; limits may name it."""

UNIT: Final = 1000


def of(resources: Mapping[str, Any] | None) -> Amounts:
    """The amounts of a resource list as it stands in an object."""
    if not resources:
        return {}
    return {name: quantity.milli_value_of(amount) for name, amount in resources.items()}


def of_quantities(resources: ResourceList) -> Amounts:
    """The amounts of quantities."""
    return {name: amount.milli_value for name, amount in resources.items()}


def requests_of(pods: Iterable[Json]) -> Amounts:
    """What pods request together, themselves counted as `pods`."""
    total: Amounts = {}
    count = 0
    for pod in pods:
        count += 1
        add_to(total, of_quantities(pod_resources.requests(pod, pod_resources.IN_PLACE)))
    total[pod_resources.PODS] = count * UNIT
    return total


def quantities_of(pods: Iterable[Json]) -> ResourceList:
    """`requests_of`, exact and in the notation of the pods."""
    total: ResourceList = {}
    count = 0
    for pod in pods:
        count += 1
        total = merged_quantities(total, pod_resources.requests(pod, pod_resources.IN_PLACE))
    total[pod_resources.PODS] = quantity.from_int(count)
    return total


def merged_quantities(first: ResourceList, second: ResourceList) -> ResourceList:
    """The sums of two lists of quantities."""
    total = dict(first)
    for name, amount in second.items():
        total[name] = total.get(name, quantity.ZERO) + amount
    return total


def add_to(total: Amounts, addend: Mapping[str, int]) -> None:
    """Add amounts to a total."""
    for name, amount in addend.items():
        total[name] = total.get(name, 0) + amount


def merged(*lists: Mapping[str, int]) -> Amounts:
    """The sum of several lists."""
    total: Amounts = {}
    for each in lists:
        add_to(total, each)
    return total


def subtracted(first: Mapping[str, int], second: Mapping[str, int]) -> Amounts:
    """What is left of the resources of the first list; those of the second alone do not count."""
    return {name: amount - second.get(name, 0) for name, amount in first.items()}


def largest(lists: Iterable[Mapping[str, int]]) -> Amounts:
    """The most of each resource in any list."""
    most: Amounts = {}
    for each in lists:
        for name, amount in each.items():
            if name not in most or amount > most[name]:
                most[name] = amount
    return most


def fits(candidate: Mapping[str, int], total: Mapping[str, int]) -> bool:
    """Whether a total holds a candidate; one that is overdrawn anywhere holds nothing."""
    if total and min(total.values()) < 0:
        return False
    return all(amount <= total.get(name, 0) for name, amount in candidate.items())
