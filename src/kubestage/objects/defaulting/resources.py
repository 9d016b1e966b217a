"""Defaults of resource lists: rounding to thousandths, requests from limits, pod-level sums."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.objects import pod_resources, quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json

_HUGE_PAGES: Final = pod_resources.HUGE_PAGES_PREFIX
_CONTAINERS_ONLY: Final = pod_resources.Options(exclude_overhead=True, skip_pod_level=True)


@functools.lru_cache(maxsize=1 << 14)
def _in_thousandths(text: str) -> str:
    return str(quantity.parse(text).round_up(quantity.MILLI)[0])


def round_up(amounts: dict[str, str] | None) -> None:
    """Round a resource list up to thousandths: nothing finer is ever stored."""
    if amounts:
        for name, text in amounts.items():
            rounded = _in_thousandths(text)
            if rounded is not text:
                amounts[name] = rounded


def round_up_requirements(requirements: Json | None) -> None:
    """Round the limits and requests of a container, pod or claim."""
    if requirements:
        round_up(requirements.get("limits"))
        round_up(requirements.get("requests"))


def requests_from_limits(containers: Iterable[Json]) -> None:
    """In a pod (not in a template) what is limited but not requested is requested in full."""
    for container in containers:
        limits = container["resources"].get("limits")
        if limits:
            requests = container["resources"].setdefault("requests", {})
            for name, amount in limits.items():
                requests.setdefault(name, amount)


def pod_level(spec: Json) -> None:
    """Complete the resources of the pod as a whole.

    Huge-page limits come from the containers; requests from the containers or, failing that,
    from the pod's own limits.
    """
    resources = spec.get("resources")
    if not resources:
        return
    requests = resources.get("requests", {})
    limits = resources.get("limits", {})
    if limits or requests:
        for name, amount in pod_resources.limits({"spec": spec}, _CONTAINERS_ONLY).items():
            if name.startswith(_HUGE_PAGES) and name not in requests:
                limits.setdefault(name, str(amount))
        if limits:
            resources["limits"] = limits
    if not limits:
        return
    for name, amount in pod_resources.requests({"spec": spec}, _CONTAINERS_ONLY).items():
        if name in (pod_resources.CPU, pod_resources.MEMORY):
            requests.setdefault(name, str(amount))
    for name, text in limits.items():
        if pod_resources.is_supported_pod_level(name):
            requests.setdefault(name, text)
    if requests:
        resources["requests"] = requests
