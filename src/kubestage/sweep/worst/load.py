"""How much of the cluster the pods of a case request."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

from kubestage.sweep.worst import amounts, pod_specs

if TYPE_CHECKING:
    from kubestage.sweep.worst.case import Case

_FULL: Final = 1.2
"""More than that is no more pressure: pods wait anyway."""


def share(case: Case) -> float:
    """The share of the resource of which most is requested, at most 1.2."""
    requested: collections.Counter[str] = collections.Counter()
    for at in case.arrivals:
        obj = case.events[at].object or {}
        replicas = pod_specs.replicas_of(obj)
        for container in pod_specs.containers(pod_specs.spec_of(obj)):
            for resource, written in (
                (container.get("resources") or {}).get("requests") or {}
            ).items():
                number = 1 if replicas is None else replicas
                requested[resource] += number * amounts.parse(resource, written)
    nodes = [node for _, node in case.nodes()]
    shares = [
        amount / offered
        for resource, amount in requested.items()
        if (offered := sum(amounts.allocatable(node, resource) for node in nodes))
    ]
    return round(min(max(shares, default=0.0), _FULL), 3)
