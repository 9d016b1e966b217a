"""What services are charged for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity
from kubestage.objects.quota import amounts
from kubestage.objects.quota.evaluator import Evaluator, whole_updates

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.pod_resources import ResourceList

_COUNT: Final = "count/services"
_NODE_PORTS: Final = "services.nodeports"
_LOAD_BALANCERS: Final = "services.loadbalancers"
_TRACKED: Final = frozenset({_COUNT, "services", _NODE_PORTS, _LOAD_BALANCERS})


def tracks(name: str) -> bool:
    """Whether a quota for this resource is about services."""
    return name in _TRACKED


def usage(service: Json, _now_ns: int) -> ResourceList:
    """What a service uses: ports on every node are scarce, and load balancers cost money."""
    spec = service.get("spec") or {}
    ports = spec.get("ports") or ()
    kind = spec.get("type")
    count = len(ports) if kind in ("NodePort", "LoadBalancer") else 0
    if kind == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts") is False:
        count = sum(1 for port in ports if port.get("nodePort"))
    return {
        _COUNT: amounts.ONE,
        "services": amounts.ONE,
        _NODE_PORTS: quantity.from_int(count),
        _LOAD_BALANCERS: amounts.ONE if kind == "LoadBalancer" else amounts.ZERO,
    }


EVALUATOR: Final = Evaluator(tracks, usage, is_charged_anew=whole_updates)
