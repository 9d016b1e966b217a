"""Which pods are to be updated, and in what order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.vpa import admission, capping, container_resources, oom, policies
from kubestage.objects import quantity, timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.vpa.settings import VpaSettings
    from kubestage.store.store import Store


_is_name: Final = re.compile("[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?").fullmatch


class PodPriority(NamedTuple):
    """How far a pod is from what is recommended to it.

    Those that are to grow come first, then those that are off by more.
    """

    scale_up: bool
    resource_diff: float
    outside_recommended_range: bool


def update_order(
    store: Store, vpa: Json, pods: Iterable[Json], settings: VpaSettings, now_ns: int
) -> list[Json]:
    """Those of the pods that are to be updated, the most urgent first."""
    found: list[tuple[PodPriority, Json]] = []
    for pod in pods:
        namespace = pod["metadata"]["namespace"]
        recommended = capping.apply(store, vpa, pod, namespace).recommendations
        priority = priority_of(pod, recommended)
        if _is_due(pod, vpa, priority, settings, now_ns) and _is_allowed(pod, vpa, recommended):
            found.append((priority, pod))
    found.sort(key=_urgency, reverse=True)
    return [pod for _, pod in found]


def _urgency(found: tuple[PodPriority, Json]) -> tuple[bool, float]:
    return found[0].scale_up, found[0].resource_diff


def priority_of(pod: Json, recommended: dict[str, Json]) -> PodPriority:
    """Compare what the containers of a pod request with what they should."""
    scale_up = is_outside = False
    requested: dict[str, int] = {}
    expected: dict[str, int] = {}
    for name in observed(pod, [each["name"] for each in pod["spec"]["containers"]]):
        recommendation = recommended.get(name)
        if recommendation is None:
            continue
        requests, _ = container_resources.resources_of(pod, name)
        for resource, target in recommendation["target"].items():
            target_milli = quantity.milli_value_of(target)
            expected[resource] = expected.get(resource, 0) + target_milli
            if resource not in requests:
                scale_up = is_outside = True
                continue
            request = quantity.of(requests[resource])
            requested[resource] = requested.get(resource, 0) + request.milli_value
            scale_up |= target_milli > request.milli_value
            lower, upper = (recommendation.get(each) or {} for each in ("lowerBound", "upperBound"))
            is_outside |= resource in lower and request < quantity.of(lower[resource])
            is_outside |= resource in upper and request > quantity.of(upper[resource])
    diff = 0.0
    for resource, total in expected.items():
        request_total = max(float(requested.get(resource, 0)), 1.0)
        diff += abs(request_total - total) / request_total
    return PodPriority(scale_up, diff, is_outside)


def _is_due(
    pod: Json, vpa: Json, priority: PodPriority, settings: VpaSettings, now_ns: int
) -> bool:
    """Whether a pod is off enough, has lived long enough, or was killed soon after its start."""
    quick_oom = any(True for _ in quick_ooms(pod, vpa, settings))
    if quick_oom and not priority.resource_diff:
        return False
    if quick_oom or priority.outside_recommended_range:
        return True
    started = (pod.get("status") or {}).get("startTime")
    if not started:
        return False
    lived_ns = now_ns - timestamps.parse_time(started)
    if lived_ns < settings.in_recommendation_bounds_eviction_lifetime_threshold_ns:
        return False
    return priority.resource_diff >= settings.pod_update_threshold


def quick_ooms(pod: Json, vpa: Json, settings: VpaSettings) -> Iterator[tuple[str, int]]:
    """The containers that were killed for lack of memory soon after their start, and how soon."""
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    ended = {each["name"]: (each.get("lastState") or {}).get("terminated") for each in statuses}
    threshold_ns = settings.evict_after_oom_threshold_ns
    lifetime_seconds = policies.update_policy(vpa).get("evictAfterOOMSeconds")
    if lifetime_seconds is not None and settings.per_vpa_config:
        threshold_ns = lifetime_seconds * SECOND_NS
    for name in observed(pod, list(ended)):
        policy = policies.container_policy(policies.resource_policy(vpa), name)
        state = ended[name]
        if policies.is_off(policy) or not state or state.get("reason") != oom.KILLED:
            continue
        lived_ns = _time(state.get("finishedAt")) - _time(state.get("startedAt"))
        if lived_ns < threshold_ns:
            yield name, lived_ns


def _time(text: str | None) -> int:
    return timestamps.parse_time(text) if text else 0


def observed(pod: Json, names: list[str]) -> list[str]:
    """Those of the containers that were there when the pod was admitted."""
    annotations = pod["metadata"].get("annotations") or {}
    annotation = annotations.get(admission.OBSERVED_CONTAINERS)
    if annotation is None:
        return names
    known = annotation.split(", ") if annotation else []
    if not all(map(_is_name, known)):
        return names
    return [name for name in names if name in known]


def _is_allowed(pod: Json, vpa: Json, recommended: dict[str, Json]) -> bool:
    """Whether the change goes in a direction for which pods may be disturbed."""
    if not vpa["spec"].get("updatePolicy"):
        return True
    requirements = policies.update_policy(vpa).get("evictionRequirements") or ()
    for container in pod["spec"]["containers"]:
        recommendation = recommended.get(container["name"])
        if recommendation is None:
            continue
        requests, _ = container_resources.resources_of(pod, container["name"])
        if "cpu" not in requests or "memory" not in requests:
            return True
        if all(_is_met(each, requests, recommendation["target"]) for each in requirements):
            return True
    return False


def _is_met(requirement: Json, requests: Json, target: Json) -> bool:
    for resource in requirement.get("resources") or ():
        now = quantity.milli_value_of(requests.get(resource))
        then = quantity.milli_value_of(target.get(resource))
        if requirement.get("changeRequirement") == "TargetHigherThanRequests":
            met = then > now
        else:
            met = then < now
        if met:
            return True
    return False
