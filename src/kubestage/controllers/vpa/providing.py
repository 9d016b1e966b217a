"""What each container of a pod should get: requests as recommended, and limits in proportion."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.controllers.vpa import (
    capping,
    container_resources,
    limit_ranges,
    policies,
    proportions,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store


class Provided(NamedTuple):
    """Requests and limits for one container, none where nothing is recommended, and remarks."""

    requests: Json
    limits: Json
    remarks: list[str]


def for_pod(store: Store, vpa: Json, pod: Json, namespace: str) -> list[Provided]:
    """One for each container of the pod, in its order."""
    capped = capping.Capped({}, {})
    if policies.recommendation(vpa) is not None:
        capped = capping.apply(store, vpa, pod, namespace)
    bounds = limit_ranges.bounds_of(store, namespace, limit_ranges.CONTAINER)
    default = {} if bounds is None else bounds.default
    policy = policies.resource_policy(vpa)
    provided = []
    for container in pod["spec"]["containers"]:
        name = container["name"]
        recommended = capped.recommendations.get(name)
        if recommended is None:
            provided.append(Provided({}, {}, []))
            continue
        target, remarks = recommended["target"], list(capped.remarks.get(name, ()))
        limits: Json | None = None
        if policies.controls_limits(policy, name):
            now_requested, now_limited = container_resources.resources_of(pod, name)
            limits, more = proportions.limits(now_limited, now_requested, target, default)
            remarks += more
        provided.append(Provided(target, limits or {}, remarks))
    return provided


def patches(index: int, current: tuple[Json, Json], provided: Provided) -> list[Json]:
    """JSON patches that give a container what it should get."""
    requests, limits = current
    patch: list[Json] = []
    at = f"/spec/containers/{index}/resources"
    if not requests and not limits:
        patch.append({"op": "add", "path": at, "value": {}})
    for field, had, amounts in (
        ("requests", requests, provided.requests),
        ("limits", limits, provided.limits),
    ):
        if not had and amounts:
            patch.append({"op": "add", "path": f"{at}/{field}", "value": {}})
        patch += [
            {"op": "add", "path": f"{at}/{field}/{name}", "value": amounts[name]}
            for name in sorted(amounts)
        ]
    return patch
