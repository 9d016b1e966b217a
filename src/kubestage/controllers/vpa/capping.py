"""A recommendation cut to what one pod may have: limit ranges, the policy, its own limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.controllers.vpa import container_resources, limit_ranges, policies, proportions
from kubestage.controllers.vpa.amounts import BOTH
from kubestage.objects import quantity

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.vpa.limit_ranges import Bounds
    from kubestage.objects.quantity import Quantity
    from kubestage.store.store import Store


_BOUNDS = ("upperBound", "target", "lowerBound")


class Capped(NamedTuple):
    """What is recommended to each container, and by container what it was cut to."""

    recommendations: dict[str, Json]
    remarks: dict[str, list[str]]


def apply(store: Store, vpa: Json, pod: Json, namespace: str) -> Capped:
    """What a VerticalPodAutoscaler recommends to a pod, containers in the order of its status."""
    remarks_made = policies.container_recommendations(policies.recommendation(vpa))
    recommended = [each for each in remarks_made if "containerName" in each]
    policy = policies.resource_policy(vpa)
    of_pods = limit_ranges.bounds_of(store, namespace, limit_ranges.POD)
    if of_pods is not None:
        recommended = _within_pod_limits(recommended, pod, of_pods)
    of_containers = limit_ranges.bounds_of(store, namespace, limit_ranges.CONTAINER)
    names = {container["name"] for container in pod["spec"]["containers"]}
    capped = Capped({}, {})
    for each in recommended:
        name = each["containerName"]
        if name not in names:
            continue
        found, remarks = _for_container(each, pod, policy, of_containers)
        capped.recommendations[name] = found
        if remarks:
            capped.remarks[name] = remarks
    return capped


def _for_container(
    recommended: Json, pod: Json, policy: Json | None, bounds: Bounds | None
) -> tuple[Json, list[str]]:
    name = recommended["containerName"]
    by_container = policies.container_policy(policy, name)
    requests, limits = container_resources.resources_of(pod, name)
    remarks: list[str] = []
    capped = dict(recommended)
    for field in ("target", "lowerBound", "upperBound"):
        amounts = dict(recommended.get(field) or {})
        remarks_made: list[str] = []
        if bounds is not None:
            least, most = _allowed(requests, limits, bounds)
            remarks_made += _cut(
                amounts, least, most, "to fit {} in container LimitRange", ("Min", "Max")
            )
        if by_container is not None:
            least, most = by_container.get("minAllowed") or {}, by_container.get("maxAllowed") or {}
            remarks_made += _cut(amounts, least, most, "to {}", ("minAllowed", "maxAllowed"))
        if not policies.controls_limits(policy, name):
            remarks_made += _cut(amounts, {}, limits, "to {}", ("", "container limit"))
        capped[field] = amounts
        if field == "target":
            remarks = remarks_made
    return capped, remarks


def _cut(
    amounts: Json, least: Json, most: Json, how: str, bound_names: tuple[str, str]
) -> list[str]:
    """Cut amounts where they are; what was done to them."""
    remarks_made = []
    for name in sorted(amounts):
        for bounds, sign, bound_name in ((least, -1, bound_names[0]), (most, 1, bound_names[1])):
            bound = quantity.of(bounds.get(name))
            if not bound.is_zero and quantity.of(amounts[name]).compare(bound) == sign:
                amounts[name] = str(bound)
                remarks_made.append(f"{name} capped {how.format(bound_name)}")
    return remarks_made


def _allowed(requests: Json, limits: Json, bounds: Bounds) -> tuple[Json, Json]:
    """The least and the most that may be requested, limits being in proportion."""
    least, most = {}, {}
    for name in BOTH:
        request, limit = quantity.of(requests.get(name)), quantity.of(limits.get(name))
        default = quantity.of(bounds.default.get(name))
        if bounds.most:
            highest = quantity.of(bounds.most.get(name))
            most[name] = str(proportions.boundary_request(name, request, limit, highest, default))
        if bounds.least:
            lowest = quantity.of(bounds.least.get(name))
            for_limit = proportions.boundary_request(name, request, limit, lowest, default)
            least[name] = str(max(lowest, for_limit))
    return least, most


def _within_pod_limits(recommended: list[Json], pod: Json, bounds: Bounds) -> list[Json]:
    """All containers together within what a pod may have, each in proportion."""
    by_container = {each["containerName"]: _copied(each) for each in recommended}
    for container in pod["spec"]["containers"]:
        requests, _ = container_resources.resources_of(pod, container["name"])
        if container["name"] not in by_container and requests:
            by_container[container["name"]] = {
                "containerName": container["name"],
                "target": dict(requests),
            }
    for field in _BOUNDS:
        for name in BOTH:
            _fit(by_container, pod, bounds, name, field)
    return list(by_container.values())


def _copied(recommended: Json) -> Json:
    return {**recommended, **{field: dict(recommended.get(field) or {}) for field in _BOUNDS}}


def _fit(
    by_container: dict[str, Json], pod: Json, bounds: Bounds, resource: str, field: str
) -> None:
    least, most = quantity.of(bounds.least.get(resource)), quantity.of(bounds.most.get(resource))
    requested, limited = _sums(by_container, pod, bounds, resource, field)
    is_enough = least <= limited and least <= requested
    if (is_enough and (most.is_zero or most >= limited)) or limited.is_zero:
        return
    if least > requested:
        base, result, up = requested, least, True
    else:
        base, result, up = limited, quantity.ZERO, False
        if least > limited:
            result = least
        if not most.is_zero and most < limited:
            result = most
    for container in pod["spec"]["containers"]:
        amounts = by_container.get(container["name"], {}).get(field)
        if amounts is not None:
            amount = quantity.of(amounts.get(resource))
            amounts[resource] = str(proportions.scaled(resource, amount, base, result, up=up)[0])


def _sums(
    by_container: dict[str, Json], pod: Json, bounds: Bounds, resource: str, field: str
) -> tuple[Quantity, Quantity]:
    """What all containers would request, and what they would be limited to."""
    requested = limited = quantity.ZERO
    default = quantity.of(bounds.default.get(resource))
    for container in pod["spec"]["containers"]:
        requests, limits = container_resources.resources_of(pod, container["name"])
        request, limit = quantity.of(requests.get(resource)), quantity.of(limits.get(resource))
        amount = request
        if container["name"] in by_container:
            amount = quantity.of((by_container[container["name"]].get(field) or {}).get(resource))
        found, _ = proportions.limit_of(resource, limit, request, amount, default)
        if found is not None:
            limited += found
        requested += amount
    return requested, limited
