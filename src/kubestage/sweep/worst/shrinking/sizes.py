"""Rounder sizes: of requests and of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.sweep.worst import amounts, pod_specs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.sweep.worst.case import Case


def candidates(case: Case) -> Iterator[Case]:
    """The case with one amount that is written with fewer digits."""
    for place, event in enumerate(case.events):
        obj = event.object
        if obj is None:
            continue
        found = _pods(obj) if event.is_arrival else _node(obj)
        for changed in found:
            yield case.replaced(place, event.with_object(changed))


def _pods(obj: Json) -> Iterator[Json]:
    spec = pod_specs.spec_of(obj)
    containers = pod_specs.containers(spec)
    for number, container in enumerate(containers):
        requests = (container.get("resources") or {}).get("requests") or {}
        for resource, written in requests.items():
            for amount in amounts.rounder(resource, amounts.parse(resource, written)):
                changed = list(containers)
                changed[number] = amounts.with_request(container, resource, amount)
                yield pod_specs.with_spec(obj, {**spec, "containers": changed})


def _node(obj: Json) -> Iterator[Json]:
    if obj.get("kind") != "Node":
        return
    for field in ("allocatable", "capacity"):
        offered = (obj.get("status") or {}).get(field) or {}
        for resource in ("cpu", "memory"):
            if resource not in offered:
                continue
            for amount in amounts.rounder(resource, amounts.parse(resource, offered[resource])):
                text = amounts.text(resource, amount)
                status = {**obj["status"], field: {**offered, resource: text}}
                yield {**obj, "status": status}
