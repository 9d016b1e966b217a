"""What pods request and nodes offer, in whole numbers: CPU in thousandths, memory in bytes.

Pods are counted as the scheduler counts them (init containers, overhead, pod-level resources,
resizes), and a place for a pod is one more resource, called ``pods``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import resource_totals
from kubestage.objects.pod_resources import CPU, MEMORY, PODS
from kubestage.objects.views import pod as pod_views

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.objects.resource_totals import Resource

Amounts = dict[str, int]
"""Resource names and amounts; never changed once made."""

ALWAYS: Final = (CPU, MEMORY, PODS)


def of_pod(pod: dict[str, Any]) -> Amounts:
    """What a pod takes from its node, or asks for while it has none."""
    view = pod_views.of(pod)
    requests = view.requests if view.node_name else view.fit_request
    return _amounts(requests, 1)


def of_node(node: dict[str, Any]) -> Amounts:
    """What a node offers to pods: its allocatable, or all it has."""
    status = node.get("status") or {}
    offered = status.get("allocatable")
    total = resource_totals.total_of(status.get("capacity") if offered is None else offered)
    return _amounts(total, total.allowed_pod_number)


def _amounts(resource: Resource, pods: int) -> Amounts:
    return {CPU: resource.milli_cpu, MEMORY: resource.memory, PODS: pods, **dict(resource.items())}


def plus(total: Mapping[str, int], amounts: Mapping[str, int], sign: int = 1) -> Amounts:
    """A sum, or with `sign` -1 a difference, as new amounts."""
    result = dict(total)
    for name, amount in amounts.items():
        result[name] = result.get(name, 0) + sign * amount
    return result


def rate(part: int, whole: int) -> float | None:
    """The share, None of nothing."""
    return part / whole if whole else None


def fits(request: Mapping[str, int], free: Mapping[str, int]) -> bool:
    """Whether there is room for the whole request."""
    return all(amount <= free.get(name, 0) for name, amount in request.items() if amount > 0)


def names(requested: Iterable[str], offered: Iterable[str]) -> tuple[str, ...]:
    """The resources to show, in order.

    CPU, memory and pods always; extended resources if a node offers them; what else there is
    (storage, huge pages) only if a pod asks for it.
    """
    others = {name for name in offered if resource_totals.is_extended(name)} | set(requested)
    return (*ALWAYS, *sorted(others.difference(ALWAYS)))
