"""What containers and pods are given of CPU and memory, and how statuses show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.aliases import Json
from kubestage.objects import pod_resources, quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.controllers.kubelet.plan import PodPlan


_CONTAINERS: Final = ("containers", "initContainers")
_STATUSES: Final = ("containerStatuses", "initContainerStatuses")
_RESIZABLE: Final = (pod_resources.CPU, pod_resources.MEMORY)


class Amounts(NamedTuple):
    """CPU in thousandths and memory in bytes; zero where nothing is stated."""

    memory_limit: int = 0
    memory_request: int = 0
    cpu_limit: int = 0
    cpu_request: int = 0


class Allocation(msgspec.Struct, frozen=True, eq=False):
    """What one container is given: as statuses show it, and as it is compared.

    `restarts_for` are the resources that cannot change while the container runs.
    """

    shown: Json
    requests: Json | None
    amounts: Amounts
    memory_limit: int | None
    cpu_limit: float | None
    restarts_for: frozenset[str]

    def must_restart(self, before: Amounts) -> bool:
        """Whether the container has to restart to get this instead of what it has."""
        now = self.amounts
        changed = {
            pod_resources.MEMORY: now[:2] != before[:2],
            pod_resources.CPU: now[2:] != before[2:],
        }
        return any(changed.get(name) for name in self.restarts_for)


class PodAllocation(msgspec.Struct, frozen=True, eq=False):
    """What is allocated to a pod as a whole.

    `requests` and `effective` are in its status, `running` while it runs; `pod_level` is what its
    spec states for the pod as a whole. `memory_limit` is that of all containers together, where
    none of them is without one.
    """

    requests: Json | None
    effective: Json
    running: Json
    pod_level: Json | None
    amounts: tuple[Amounts, ...]
    memory_limit: int | None


def of_container(container: Json, pod_level: Json | None) -> Allocation:
    """What a container is given; the limits of its pod hold where it has none of its own."""
    resources = container.get("resources") or {}
    shown = _shown(resources)
    if shown == resources:
        # NOTE: statuses share the part of the spec that they repeat, so a comparison of them
        # sees at a glance that no resize is under way (benchmarks/controllers.py).
        shown = resources
    amounts = _amounts(resources)
    whole = _amounts(pod_level or {})
    memory, cpu = amounts.memory_limit or whole.memory_limit, amounts.cpu_limit or whole.cpu_limit
    is_limited = "memory" in (resources.get("limits") or {})
    return Allocation(
        shown,
        shown.get("requests"),
        amounts._replace(memory_limit=memory, cpu_limit=cpu),
        memory if memory or is_limited else None,
        cpu / 1000 if cpu else None,
        frozenset(
            policy["resourceName"]
            for policy in container.get("resizePolicy") or ()
            if policy.get("restartPolicy") == "RestartContainer"
        ),
    )


def of_pod(spec: Json) -> PodAllocation:
    """What is allocated to a pod as a whole."""
    pod = {"spec": spec}
    requests = _texts(pod_resources.requests(pod))
    limits = _texts(pod_resources.limits(pod))
    pod_level = spec.get("resources")
    declared = {
        name: limits[name]
        for name in _RESIZABLE
        if name in limits and _is_limited(spec, pod_level, name)
    }
    resizable = {name: requests[name] for name in _RESIZABLE if name in requests}
    memory = declared.get(pod_resources.MEMORY)
    return PodAllocation(
        requests or None,
        _without_empty({"limits": limits, "requests": requests}),
        _without_empty({"limits": declared, "requests": resizable}),
        pod_level,
        (
            _amounts(pod_level or {}),
            *(
                _amounts(each.get("resources") or {})
                for kind in _CONTAINERS
                for each in spec.get(kind) or ()
            ),
        ),
        None if memory is None else quantity.value_of(memory),
    )


def substituted(obj: Json, plan: PodPlan) -> Json:
    """A pod as if it requested no more than was allocated."""
    resources = {each.name: each.allocation.shown for each in (*plan.inits, *plan.containers)}
    return _with_resources(obj, resources, plan.allocation.pod_level)


def recorded(obj: Json) -> Json:
    """A pod as if it requested the resources that its status has as allocated."""
    status = obj.get("status") or {}
    specs = [each for kind in _CONTAINERS for each in obj["spec"].get(kind) or ()]
    stated = {each["name"]: each.get("resources") or {} for each in specs}
    resources: dict[str, Json] = {}
    for kind in _STATUSES:
        for each in status.get(kind) or ():
            shown = each.get("resources")
            if shown is not None and each["name"] in stated:
                requests = each.get("allocatedResources") or shown.get("requests") or {}
                resources[each["name"]] = _without_empty(
                    {**stated[each["name"]], "limits": shown.get("limits"), "requests": requests}
                )
    if all(_amounts(each) == _amounts(stated[name]) for name, each in resources.items()):
        return obj
    return _with_resources(obj, resources, obj["spec"].get("resources"))


def _with_resources(obj: Json, resources: Mapping[str, Json], pod_level: Json | None) -> Json:
    spec = dict(obj["spec"])
    spec.pop("resources", None)
    if pod_level is not None:
        spec["resources"] = pod_level
    for kind in _CONTAINERS:
        if spec.get(kind):
            spec[kind] = [
                {**each, "resources": resources[each["name"]]}
                if each["name"] in resources
                else each
                for each in spec[kind]
            ]
    return {**obj, "spec": spec}


def _is_limited(spec: Json, pod_level: Json | None, name: str) -> bool:
    """Whether all containers are limited, or the pod as a whole."""
    if name in ((pod_level or {}).get("limits") or {}):
        return True
    return all(
        name in ((each.get("resources") or {}).get("limits") or {})
        for kind in _CONTAINERS
        for each in spec.get(kind) or ()
    )


def _amounts(resources: Json) -> Amounts:
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    return Amounts(
        quantity.value_of(limits.get("memory")),
        quantity.value_of(requests.get("memory")),
        quantity.milli_value_of(limits.get("cpu")),
        quantity.milli_value_of(requests.get("cpu")),
    )


def _shown(resources: Json) -> Json:
    return _without_empty(
        {
            "limits": _texts(_read(resources.get("limits"))),
            "requests": _texts(_read(resources.get("requests"))),
            "claims": resources.get("claims"),
        }
    )


def _read(amounts: Mapping[str, Any] | None) -> pod_resources.ResourceList:
    return {name: quantity.of(amount) for name, amount in (amounts or {}).items()}


def _texts(amounts: pod_resources.ResourceList) -> dict[str, str]:
    return {name: amounts[name].canonical for name in sorted(amounts)}


def _without_empty(parts: Json) -> Json:
    return {name: part for name, part in parts.items() if part}
