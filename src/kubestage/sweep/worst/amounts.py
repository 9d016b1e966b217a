"""Amounts of resources as whole numbers, and how they are written and rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity
from kubestage.objects.pod_resources import CPU
from kubestage.sweep.worst import pod_specs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json

_MI: Final = 1 << 20
_GI: Final = 1 << 30
_BYTES: Final = ("memory", "ephemeral-storage")
_GRAINS: Final = {CPU: 50, "memory": 64 * _MI, "ephemeral-storage": 64 * _MI}


def parse(resource: str, value: object) -> int:
    """Millicores of CPU, bytes of memory, a number of anything else."""
    return quantity.milli_value_of(value) if resource == CPU else quantity.value_of(value)


def text(resource: str, amount: int) -> str:
    """The amount as people write it: 500m, 2, 256Mi, 4Gi."""
    if resource == CPU:
        return str(amount // 1000) if amount % 1000 == 0 else f"{amount}m"
    if resource in _BYTES:
        for unit, name in ((_GI, "Gi"), (_MI, "Mi")):
            if amount % unit == 0 and amount:
                return f"{amount // unit}{name}"
    return str(amount)


def rounded(resource: str, amount: float, low: int, high: int) -> int:
    """The amount in steps of 50m or 64Mi, within limits."""
    grain = _GRAINS.get(resource, 1)
    return min(max(round(amount / grain) * grain, low), high)


def rounder(resource: str, amount: int) -> Iterator[int]:
    """Amounts near this one that are written with fewer digits, the roundest first."""
    unit = 1000 if resource == CPU else _GI if resource in _BYTES else 1
    seen = {amount}
    for part in (unit, unit // 2, unit // 4, unit // 10, unit // 20):
        if part == 0:
            return
        for near in (amount // part * part, -(-amount // part) * part):
            if near > 0 and near not in seen:
                seen.add(near)
                yield near
        if amount % part == 0:
            return


def is_extended(resource: str) -> bool:
    """Whether a request must equal its limit."""
    return "/" in resource or resource.startswith("hugepages-")


def requested(obj: Json, resource: str) -> list[int]:
    """What each container of an object requests of a resource, as far as it does."""
    found = []
    for container in pod_specs.containers(pod_specs.spec_of(obj)):
        requests = (container.get("resources") or {}).get("requests") or {}
        if resource in requests:
            found.append(parse(resource, requests[resource]))
    return found


def allocatable(node: Json, resource: str) -> int:
    """What a node has of a resource."""
    status = node.get("status") or {}
    offered = status.get("allocatable") or status.get("capacity") or {}
    return parse(resource, offered[resource]) if resource in offered else 0


def with_request(container: Json, resource: str, amount: int) -> Json:
    """A container that requests another amount; its limit stays at least as high."""
    resources = container.get("resources") or {}
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    written = text(resource, amount)
    changed = {**resources, "requests": {**requests, resource: written}}
    if resource in limits:
        limit = parse(resource, limits[resource])
        was_equal = resource in requests and parse(resource, requests[resource]) == limit
        if was_equal or limit < amount or is_extended(resource):
            changed["limits"] = {**limits, resource: written}
    return {**container, "resources": changed}
