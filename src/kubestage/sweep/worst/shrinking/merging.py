"""Fewer pods: one that requests as much as two others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.sweep.worst import amounts, pod_specs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.sweep.worst.case import Case

_MOST: Final = 12
"""Among more pods there are too many pairs."""


def candidates(case: Case) -> Iterator[Case]:
    """The case without one of its pods, whose requests another one makes besides its own."""
    pods = [at for at in case.arrivals if case.events[at].target.kind == "Pod"]
    if len(pods) > _MOST:
        return
    for gone in pods:
        for other in pods:
            if gone == other:
                continue
            event = case.events[other]
            larger = _with(event.object or {}, case.events[gone].object or {})
            if larger is not None:
                yield case.replaced(other, event.with_object(larger)).without([gone])


def _with(pod: Json, other: Json) -> Json | None:
    """A pod that requests as much as two; None if the other one requests what it does not."""
    spec = pod_specs.spec_of(pod)
    first, *rest = pod_specs.containers(spec) or [{}]
    own = (first.get("resources") or {}).get("requests") or {}
    for container in pod_specs.containers(pod_specs.spec_of(other)):
        for resource, written in ((container.get("resources") or {}).get("requests") or {}).items():
            if resource not in own:
                return None
            has = amounts.parse(resource, first["resources"]["requests"][resource])
            more = has + amounts.parse(resource, written)
            first = amounts.with_request(first, resource, more)
    return pod_specs.with_spec(pod, {**spec, "containers": [first, *rest]})
