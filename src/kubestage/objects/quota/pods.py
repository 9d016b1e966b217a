"""What pods are charged for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang import durations
from kubestage.objects import pod_resources, qos, timestamps
from kubestage.objects.quota import amounts, scopes
from kubestage.objects.quota.evaluator import Evaluator
from kubestage.objects.validation import resource_names

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.aliases import Json
    from kubestage.objects.pod_resources import ResourceList

COUNT: Final = "count/pods"
_REQUESTS: Final = "requests."
_LIMITS: Final = "limits."
_COMPUTE: Final = ("cpu", "memory", "ephemeral-storage")
_TRACKED: Final = frozenset(
    {COUNT, "pods", *_COMPUTE}
    | {_REQUESTS + name for name in _COMPUTE}
    | {_LIMITS + name for name in _COMPUTE}
)
_HUGE_PAGES: Final = (pod_resources.HUGE_PAGES_PREFIX, _REQUESTS + pod_resources.HUGE_PAGES_PREFIX)
_DEVICE_CLASS: Final = "deviceclass.resource.kubernetes.io/"
# A quota for one of these obliges every container to state it; for no others, by design.
_OBLIGATORY: Final = frozenset(
    {"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"}
)
_TERMS: Final = (
    ("requiredDuringSchedulingIgnoredDuringExecution", False),
    ("preferredDuringSchedulingIgnoredDuringExecution", True),
)


def tracks(name: str) -> bool:
    """Whether a quota for this resource is about pods."""
    if name in _TRACKED or name.startswith(_HUGE_PAGES):
        return True
    if not name.startswith(_REQUESTS):
        return False
    return not resource_names.is_native(name) or name.startswith(_REQUESTS + _DEVICE_CLASS)


def usage(pod: Json, now_ns: int) -> ResourceList:
    """What a pod uses; one that is over is only counted as an object."""
    counted = {COUNT: amounts.ONE}
    if not is_charged(pod, now_ns):
        return counted
    requests = pod_resources.requests(pod, pod_resources.IN_PLACE)
    limits = pod_resources.limits(pod, pod_resources.IN_PLACE)
    return counted | _compute(requests, limits)


def is_charged(pod: Json, now_ns: int) -> bool:
    """Whether a pod takes part: not if it has ended, or should have ended long ago."""
    if (pod.get("status") or {}).get("phase") in ("Failed", "Succeeded"):
        return False
    until_ns = charged_until_ns(pod)
    return until_ns is None or now_ns <= until_ns


def charged_until_ns(pod: Json) -> int | None:
    """When a terminating pod should certainly be gone; None for a pod that is not terminating."""
    meta = pod["metadata"]
    at, grace = meta.get("deletionTimestamp"), meta.get("deletionGracePeriodSeconds")
    if at is None or grace is None:
        return None
    until_ns: int = timestamps.parse_time(at) + grace * durations.SECOND
    return until_ns


def _compute(requests: ResourceList, limits: ResourceList) -> ResourceList:
    used = {"pods": amounts.ONE}
    for name in _COMPUTE:
        if name in requests:
            used[name] = used[_REQUESTS + name] = requests[name]
        if name in limits:
            used[_LIMITS + name] = limits[name]
    for name, amount in requests.items():
        if name.startswith(pod_resources.HUGE_PAGES_PREFIX):
            used[name] = used[_REQUESTS + name] = amount
        elif resource_names.is_extended(name) or name.startswith(_DEVICE_CLASS):
            used[_REQUESTS + name] = amount
    return used


def missing(required: Collection[str], pod: Json) -> str | None:
    """What containers must state under a quota for these resources and do not, in words."""
    if pod_resources.is_pod_level_resources_set(pod):
        return None
    spec = pod["spec"]
    lacking: dict[str, set[str]] = {}
    for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
        resources = container.get("resources") or {}
        requests, limits = map(amounts.read, (resources.get("requests"), resources.get("limits")))
        for name in (_OBLIGATORY & set(required)) - _compute(requests, limits).keys():
            lacking.setdefault(name, set()).add(container.get("name") or "")
    if not lacking:
        return None
    parts = (f"{name} for: {','.join(sorted(lacking[name]))}" for name in sorted(lacking))
    return f"must specify {'; '.join(parts)}"


def fits_scope(requirement: Json, pod: Json) -> bool:
    """Whether a pod is in a scope."""
    match requirement.get("scopeName"):
        case scopes.TERMINATING:
            return is_terminating(pod)
        case scopes.NOT_TERMINATING:
            return not is_terminating(pod)
        case scopes.BEST_EFFORT:
            return qos.of(pod) == qos.BEST_EFFORT
        case scopes.NOT_BEST_EFFORT:
            return qos.of(pod) != qos.BEST_EFFORT
        case scopes.PRIORITY_CLASS:
            return scopes.selects(requirement, (pod["spec"].get("priorityClassName") or "",))
        case scopes.CROSS_NAMESPACE_POD_AFFINITY:
            return _looks_at_other_namespaces(pod)
    return False


def is_terminating(pod: Json) -> bool:
    """Whether a pod has a deadline (not: whether it is being deleted)."""
    deadline = pod["spec"].get("activeDeadlineSeconds")
    return deadline is not None and deadline >= 0


def is_charged_anew(new: Json, old: Json, subresource: str) -> bool:
    """Whether an update may change what a pod is charged for."""
    if subresource == "resize":
        return True
    return not subresource and is_terminating(new) != is_terminating(old)


def _looks_at_other_namespaces(pod: Json) -> bool:
    affinity = pod["spec"].get("affinity") or {}
    for kind in ("podAffinity", "podAntiAffinity"):
        for key, weighted in _TERMS:
            for item in (affinity.get(kind) or {}).get(key) or ():
                term = item["podAffinityTerm"] if weighted else item
                if term.get("namespaces") or term.get("namespaceSelector") is not None:
                    return True
    return False


EVALUATOR: Final = Evaluator(tracks, usage, fits_scope, missing, is_charged_anew)
