"""The quality-of-service class of a pod, which the API derives and never lets anyone set."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects import quantity
from kubestage.objects.pod_resources import CPU, MEMORY, ResourceList

GUARANTEED: Final = "Guaranteed"
BURSTABLE: Final = "Burstable"
BEST_EFFORT: Final = "BestEffort"

_COUNTED: Final = (CPU, MEMORY)


def compute(pod: dict[str, Any]) -> str:
    """The class that a pod's spec gives it; pod-level resources, where present, alone decide."""
    spec = pod.get("spec") or {}
    pod_level = spec.get("resources")
    requests: ResourceList = {}
    limits: ResourceList = {}
    limited = True
    if pod_level is not None:
        _add_counted(requests, pod_level.get("requests"))
        if pod_level.get("limits"):
            limited = _add_counted(limits, pod_level["limits"]) == len(_COUNTED)
    else:
        for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
            resources = container.get("resources") or {}
            _add_counted(requests, resources.get("requests"))
            limited &= _add_counted(limits, resources.get("limits")) == len(_COUNTED)
    if not requests and not limits:
        return BEST_EFFORT
    return GUARANTEED if limited and requests == limits else BURSTABLE


def of(pod: dict[str, Any]) -> str:
    """The class recorded in the status, or else the computed one."""
    return (pod.get("status") or {}).get("qosClass") or compute(pod)


def _add_counted(total: ResourceList, amounts: dict[str, Any] | None) -> int:
    """Add the positive amounts that count for the class; return how many there were."""
    found = 0
    for name in _COUNTED:
        amount = quantity.of((amounts or {}).get(name))
        if amount.sign > 0:
            found += 1
            total[name] = amount + total[name] if name in total else amount
    return found
