"""What a smaller case must keep: every pod would fit on some node if it were the only pod, no pod
is larger than the limits allow, and there are not fewer pods.

Without that, the smallest case in which pods are pending is one without nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.sweep.worst import amounts, pod_specs

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.limits import Limits


def has_room(case: Case) -> bool:
    """Whether each arrival has a node whose allocatable resources cover its requests."""
    nodes = [node for _, node in case.nodes()]
    requests = [_requests(case.events[at].object or {}) for at in case.arrivals]
    return all(any(_covers(node, each) for node in nodes) for each in requests)


def is_within(case: Case, before: Case, limits: Limits) -> bool:
    """Whether no container requests more than the limits allow, or than one did before, and there
    are as many arrivals as there must be.
    """
    if len(case.arrivals) < min(limits.pods.low, len(before.arrivals)):
        return False
    for resource, span in limits.sizes.items():
        most = max([span.high, *_sizes(before, resource)])
        if any(amount > most for amount in _sizes(case, resource)):
            return False
    return True


def _sizes(case: Case, resource: str) -> list[int]:
    objects = (case.events[at].object or {} for at in case.arrivals)
    return [amount for obj in objects for amount in amounts.requested(obj, resource)]


def _requests(obj: Json) -> dict[str, int]:
    total: dict[str, int] = {}
    for container in pod_specs.containers(pod_specs.spec_of(obj)):
        requests = (container.get("resources") or {}).get("requests") or {}
        for resource, written in requests.items():
            total[resource] = total.get(resource, 0) + amounts.parse(resource, written)
    return total


def _covers(node: Json, requests: dict[str, int]) -> bool:
    return all(
        amounts.allocatable(node, resource) >= amount for resource, amount in requests.items()
    )
