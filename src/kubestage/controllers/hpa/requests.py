"""What pods request, which is what their utilisation is measured against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import KubestageError
from kubestage.objects import pod_resources, quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


class CountError(KubestageError):
    """No replica count can be worked out, and why."""


def of_pods(
    found: Iterable[Json], resource: str, container: str, *, pod_level: bool
) -> dict[str, int]:
    """By name, what each pod requests in thousandths; `CountError` for the first that does not.

    If a container is named, its request counts; else that of the pod as a whole, if it states one
    (`pod_level` is the gate of that); else the sum over all containers that keep running.
    """
    requests: dict[str, int] = {}
    for pod in found:
        name = pod["metadata"]["name"]
        if pod_level and not container and pod_resources.is_pod_level_requests_set(pod):
            requests[name] = _whole(pod, resource)
        else:
            requests[name] = _sum(pod, resource, container)
    return requests


def _whole(pod: Json, resource: str) -> int:
    found = pod_resources.requests(pod).get(resource)
    if found is None:
        name = pod["metadata"]["name"]
        raise CountError(f"missing pod-level request for {resource} in Pod {name}")
    return found.milli_value


def _sum(pod: Json, resource: str, container: str) -> int:
    spec = pod["spec"]
    running = list(spec["containers"])
    running += filter(pod_resources.is_restartable, spec.get("initContainers") or ())
    total = 0
    for each in running:
        if container in ("", each["name"]):
            amount = ((each.get("resources") or {}).get("requests") or {}).get(resource)
            if amount is None:
                where = f"container {each['name']} of Pod {pod['metadata']['name']}"
                raise CountError(f"missing request for {resource} in {where}")
            total += quantity.milli_value_of(amount)
            if container:
                return total
    if container:
        raise CountError(f"container {container} not found in Pod {pod['metadata']['name']}")
    return total
