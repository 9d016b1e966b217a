"""What a pod requests and is limited to, as a whole, from the parts of its spec.

Containers add up; init containers run one after the other, so the largest counts; restartable
init containers (sidecars) stay and add to all that follows. Pod-level resources replace the sum,
overhead comes on top, and while a resize is under way the status has its say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeVar

import msgspec

from kubestage.objects import quantity
from kubestage.objects.quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class _Number(Protocol):
    """What the sums need: exact quantities and, where all are whole, plain integers."""

    def __add__(self, other: Self, /) -> Self: ...
    def __gt__(self, other: Self, /) -> bool: ...


_STATUS_KINDS: Final = (
    ("containerStatuses", "containers"),
    ("initContainerStatuses", "initContainers"),
)
_N = TypeVar("_N", bound=_Number)
_Object = dict[str, Any]

ResourceList = dict[str, Quantity]
"""Resource names and amounts."""

CPU: Final = "cpu"
MEMORY: Final = "memory"
EPHEMERAL_STORAGE: Final = "ephemeral-storage"
PODS: Final = "pods"
HUGE_PAGES_PREFIX: Final = "hugepages-"


class Options(msgspec.Struct, frozen=True):
    """How a pod is counted; the default is by its spec, overhead included.

    ``non_missing`` stands in for the requests that a container leaves out.
    """

    use_status: bool = False
    exclude_overhead: bool = False
    skip_pod_level: bool = False
    non_missing: Mapping[str, str] | None = None


SPEC: Final = Options()
IN_PLACE: Final = Options(use_status=True)
"""The scheduler's view of running pods: a resize counts as soon as it is requested."""


class _NotWhole(Exception):
    """An amount that is no whole number of its unit."""


def requests(pod: _Object, options: Options = SPEC) -> ResourceList:
    """The total requests of a pod."""
    return _requests(pod, options, _quantity)


def whole_requests(pod: _Object, options: Options = SPEC) -> dict[str, int] | None:
    """The total requests in thousandths of CPU and whole units of the rest.

    None if an amount is finer than that or a sum too large: only ``requests`` is exact then.
    """
    try:
        total = _requests(pod, options, _whole)
    except _NotWhole:
        return None
    return None if any(abs(amount) >> 63 for amount in total.values()) else total


def limits(pod: _Object, options: Options = SPEC) -> ResourceList:
    """The total limits of a pod; overhead is added to what is limited at all."""
    spec = pod.get("spec") or {}
    total = _aggregate(pod, "limits", options, _quantity)
    if not options.skip_pod_level:
        _replace_by_pod_level(pod, "limits", total, options, _quantity)
    if not options.exclude_overhead:
        for name, amount in (spec.get("overhead") or {}).items():
            if name in total and not total[name].is_zero:
                total[name] += quantity.of(amount)
    return total


def is_supported_pod_level(name: str) -> bool:
    """Whether a resource may be stated for the pod as a whole."""
    return name in (CPU, MEMORY) or name.startswith(HUGE_PAGES_PREFIX)


def is_pod_level_requests_set(pod: _Object) -> bool:
    """Whether the pod as a whole requests something."""
    resources = (pod.get("spec") or {}).get("resources") or {}
    return _any_supported(resources.get("requests"))


def is_pod_level_resources_set(pod: _Object) -> bool:
    """Whether the pod as a whole requests or is limited to something."""
    resources = (pod.get("spec") or {}).get("resources") or {}
    return _any_supported(resources.get("requests")) or _any_supported(resources.get("limits"))


def is_resize_infeasible(pod: _Object) -> bool:
    """Whether the node reported that a requested resize can never be met."""
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if condition.get("type") == "PodResizePending":
            return bool(condition.get("reason") == "Infeasible")
    return False


def is_restartable(container: _Object) -> bool:
    """Whether an init container keeps running beside the others (a sidecar)."""
    return container.get("restartPolicy") == "Always"


def has_status_resources(pod: _Object) -> bool:
    """Whether the status has other resources than the spec, as during an in-place resize.

    NOTE: kubelets repeat the resources of every container in its status, as the very same object
    where they can: so that nothing is summed up that the spec says already
    (benchmarks/controllers.py).
    """
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    if spec.get("resources") and status.get("resources") is not None:
        return True
    for kind, specs in _STATUS_KINDS:
        for item in status.get(kind) or ():
            shown = item.get("resources")
            if shown is not None and not _is_stated(item, shown, spec.get(specs) or ()):
                return True
    return False


def _is_stated(status: _Object, shown: _Object, containers: Iterable[_Object]) -> bool:
    """Whether the spec and the status of a container have the same resources."""
    for container in containers:
        if container.get("name") == status.get("name"):
            stated = container.get("resources") or {}
            if stated is not shown and stated != shown:
                return False
            allocated, requests = status.get("allocatedResources"), stated.get("requests")
            return allocated is requests or (allocated or {}) == (requests or {})
    return True


def _quantity(_: str, amount: Any) -> Quantity:
    return quantity.of(amount)


def _whole(name: str, amount: Any) -> int:
    number = quantity.exact_of(amount, quantity.MILLI if name == CPU else 0)
    if number is None:
        raise _NotWhole
    return number


def _any_supported(resource_names: Iterable[str] | None) -> bool:
    return any(map(is_supported_pod_level, resource_names or ()))


def _requests(pod: _Object, options: Options, read: Callable[[str, Any], _N]) -> dict[str, _N]:
    total = _aggregate(pod, "requests", options, read)
    spec = pod.get("spec") or {}
    if not options.skip_pod_level and spec.get("resources"):
        _replace_by_pod_level(pod, "requests", total, options, read)
    if not options.exclude_overhead and spec.get("overhead"):
        _add(total, _read_list(spec["overhead"], read))
    return total


def _replace_by_pod_level(
    pod: _Object,
    which: str,
    total: dict[str, _N],
    options: Options,
    read: Callable[[str, Any], _N],
) -> None:
    stated = ((pod.get("spec") or {}).get("resources") or {}).get(which) or {}
    effective: dict[str, _N] | None = None
    status = pod.get("status") or {}
    if options.use_status and status.get("resources") is not None and _any_supported(stated):
        actuated = status["resources"].get(which)
        allocated = status.get("allocatedResources") if which == "requests" else None
        effective = _effective(pod, which, (stated, actuated, allocated), read)
    for name, amount in stated.items():
        if not is_supported_pod_level(name):
            continue
        if effective is None:
            total[name] = read(name, amount)
        else:
            total[name] = effective[name] if name in effective else read(name, None)


def _aggregate(
    pod: _Object, which: str, options: Options, read: Callable[[str, Any], _N]
) -> dict[str, _N]:
    """Sum the containers and weigh them against the init containers."""
    spec = pod.get("spec") or {}
    statuses = _statuses(pod) if options.use_status else {}
    total: dict[str, _N] = {}
    for container in spec.get("containers") or ():
        _add(total, _of_container(pod, container, which, options, statuses, read))
    sidecars: dict[str, _N] = {}
    highest: dict[str, _N] = {}
    for container in spec.get("initContainers") or ():
        if is_restartable(container):
            amounts = _of_container(pod, container, which, options, statuses, read)
            _add(total, amounts)
            _add(sidecars, amounts)
            _raise_to(highest, sidecars)
        else:
            together = _of_container(pod, container, which, options, {}, read)
            _add(together, sidecars)
            _raise_to(highest, together)
    _raise_to(total, highest)
    return total


def _statuses(pod: _Object) -> dict[str, _Object]:
    status = pod.get("status") or {}
    return {
        item.get("name") or "": item
        for kind in ("containerStatuses", "initContainerStatuses")
        for item in status.get(kind) or ()
        if item.get("resources") is not None
    }


def _of_container(
    pod: _Object,
    container: _Object,
    which: str,
    options: Options,
    statuses: dict[str, _Object],
    read: Callable[[str, Any], _N],
) -> dict[str, _N]:
    stated = (container.get("resources") or {}).get(which)
    status = statuses.get(container.get("name") or "") if statuses else None
    if status is None:
        amounts = _read_list(stated, read)
    else:
        actuated = status["resources"].get(which)
        allocated = status.get("allocatedResources") if which == "requests" else None
        amounts = _effective(pod, which, (stated, actuated, allocated), read) or {}
    if options.non_missing and which == "requests":
        for name, amount in options.non_missing.items():
            if name not in amounts:
                amounts[name] = read(name, amount)
    return amounts


def _effective(
    pod: _Object,
    which: str,
    sources: tuple[_Object | None, _Object | None, _Object | None],
    read: Callable[[str, Any], _N],
) -> dict[str, _N] | None:
    """The larger of what is requested and what is held; a request that cannot be met is void."""
    stated, actuated, allocated = sources
    if is_resize_infeasible(pod):
        if which == "limits" and actuated is None:
            return None
        stated = None
    highest: dict[str, _N] = {}
    for source in (stated, actuated, allocated):
        _raise_to(highest, _read_list(source, read))
    return highest


def _read_list(amounts: _Object | None, read: Callable[[str, Any], _N]) -> dict[str, _N]:
    return {name: read(name, amount) for name, amount in amounts.items()} if amounts else {}


def _add(total: dict[str, _N], amounts: dict[str, _N]) -> None:
    for name, amount in amounts.items():
        total[name] = total[name] + amount if name in total else amount


def _raise_to(total: dict[str, _N], amounts: dict[str, _N]) -> None:
    for name, amount in amounts.items():
        if name not in total or amount > total[name]:
            total[name] = amount
