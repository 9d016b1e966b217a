"""Mutations of what containers request."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.sweep.worst import amounts, pod_specs

if TYPE_CHECKING:
    import random

    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.limits import Limits

_PARTS: Final = (1, 2, 3, 4)


class Request(NamedTuple):
    """A request of a container: the place of its arrival, the container's number, the resource."""

    place: int
    container: int
    resource: str


class Resize:
    """A request becomes another amount: any, or a simple part of what a node has."""

    def __call__(self, case: Case, stream: random.Random, limits: Limits) -> Case | None:
        """Resize one."""
        found = requests(case, limits)
        if not found:
            return None
        chosen = stream.choice(found)
        return with_amount(case, chosen, _amount(chosen.resource, stream, limits))


class ExchangeSizes:
    """Two arrivals exchange what they request of a resource."""

    def __call__(self, case: Case, stream: random.Random, limits: Limits) -> Case | None:
        """Exchange two."""
        found = requests(case, limits)
        if not found:
            return None
        one = stream.choice(found)
        others = [each for each in found if each.resource == one.resource and each != one]
        if not others:
            return None
        other = stream.choice(others)
        span = limits.sizes[one.resource]
        first, second = (span.clamp(amount_of(case, each)) for each in (one, other))
        # Neither changes the order of events, so that both places stay what they are.
        return with_amount(with_amount(case, one, second), other, first)


def requests(case: Case, limits: Limits) -> list[Request]:
    """All requests that may change."""
    return [
        Request(place, number, resource)
        for place in case.arrivals
        for number, container in enumerate(
            pod_specs.containers(pod_specs.spec_of(case.events[place].object or {}))
        )
        for resource in (container.get("resources") or {}).get("requests") or {}
        if resource in limits.sizes
    ]


def amount_of(case: Case, request: Request) -> int:
    """How much a container requests."""
    spec = pod_specs.spec_of(case.events[request.place].object or {})
    container = pod_specs.containers(spec)[request.container]
    return amounts.parse(request.resource, container["resources"]["requests"][request.resource])


def with_amount(case: Case, request: Request, amount: int) -> Case:
    """The case in which a container requests another amount."""
    event = case.events[request.place]
    obj = event.object
    assert obj is not None
    spec = pod_specs.spec_of(obj)
    containers = list(pod_specs.containers(spec))
    changed = amounts.with_request(containers[request.container], request.resource, amount)
    containers[request.container] = changed
    whole = pod_specs.with_spec(obj, {**spec, "containers": containers})
    return case.replaced(request.place, event.with_object(whole))


def _amount(resource: str, stream: random.Random, limits: Limits) -> int:
    span, nodes = limits.sizes[resource], limits.node_sizes.get(resource, ())
    if nodes and stream.random() < 0.5:
        drawn = stream.choice(nodes) / stream.choice(_PARTS)
    else:
        # As many small as large ones: what matters is how many fit beside one another.
        drawn = math.exp(stream.uniform(math.log(span.low), math.log(span.high)))
    return amounts.rounded(resource, drawn, span.low, span.high)
