"""Checks the claims of a pod before any node is tried: whether they can be met, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import node_selector
from kubestage.objects.label_requirement import SelectorError
from kubestage.scheduler.devices import pod_claims
from kubestage.scheduler.devices.allocated import allocation_of
from kubestage.scheduler.devices.requests import key_of
from kubestage.scheduler.status import Status, error, unresolvable

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from kubestage.aliases import Json
    from kubestage.scheduler.devices.pod_devices import PodDevices


def examine(
    devices: PodDevices,
    class_named: Callable[[str], Json | None],
    in_flight: Container[str],
    is_failing: Callable[[Json], bool],
) -> Status | None:
    """Note where each claim can be used; the answer is why the pod cannot be scheduled now."""
    for at, claim in enumerate(devices.claims):
        allocation = allocation_of(claim)
        selector: node_selector.NodeSelector | None = None
        if allocation is None:
            if claim["metadata"]["uid"] in in_flight:
                return unresolvable(
                    f"resource claim {key_of(claim)} is in the process of being allocated"
                )
            # The claim for extended resources has requests only once there is a node.
            problem = _class_problem(claim, class_named) if at < devices.user_count else None
            if problem is not None:
                return problem
        elif allocation.get("nodeSelector") is not None:
            try:
                selector = node_selector.parse(allocation["nodeSelector"])
            except SelectorError as malformed:
                return error(str(malformed))
        devices.selectors.append(selector)
        devices.is_failing.append(allocation is not None and is_failing(claim))
        devices.allocations.append(None)
    return None


def _class_problem(claim: Json, class_named: Callable[[str], Json | None]) -> Status | None:
    """Why a claim cannot be allocated, if its device classes are the reason."""
    for request in pod_claims.device_requests(claim):
        if request.get("exactly") is None and not request.get("firstAvailable"):
            return unresolvable(
                f"resource claim {key_of(claim)}, request {request['name']}: unknown request type"
            )
        for name, each in _alternatives(request):
            class_name = each.get("deviceClassName") or ""
            if not class_name:
                return error(f"request {name}: unsupported request type")
            if class_named(class_name) is None:
                return unresolvable(f"request {name}: device class {class_name} does not exist")
    return None


def _alternatives(request: Json) -> Iterator[tuple[str, Json]]:
    name, exactly = request["name"], request.get("exactly")
    if exactly is not None:
        yield name, exactly
    else:
        for each in request["firstAvailable"]:
            yield f"{name}/{each['name']}", each
