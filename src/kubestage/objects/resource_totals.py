"""Resources as plain integers, as the scheduler counts them, and whether a pod fits a node.

CPU is counted in thousandths, everything else in whole units. Only resources that a node can
run out of are counted: the native ones, huge pages, attachable volumes and extended resources.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.objects import pod_resources, quantity
from kubestage.objects.pod_resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS
from kubestage.objects.validation import names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

# What a container that requests nothing counts for, so that such pods do not all go to one node.
_NON_MISSING: Final = {CPU: "100m", MEMORY: "200Mi"}
_NAMED: Final = frozenset({CPU, MEMORY, EPHEMERAL_STORAGE, PODS})
_NO_SCALARS: Final[dict[str, int]] = {}
_NATIVE_PREFIX: Final = "kubernetes.io/"


class Resource(msgspec.Struct, frozen=True, gc=False):
    """Amounts of the resources that scheduling counts; ``scalars`` must not be changed."""

    milli_cpu: int = 0
    memory: int = 0
    ephemeral_storage: int = 0
    allowed_pod_number: int = 0
    scalars: dict[str, int] = _NO_SCALARS

    def items(self) -> Iterator[tuple[str, int]]:
        """Names and amounts of what is not zero, CPU in thousandths; pods are not among them."""
        for name, amount in (
            (CPU, self.milli_cpu),
            (MEMORY, self.memory),
            (EPHEMERAL_STORAGE, self.ephemeral_storage),
        ):
            if amount:
                yield name, amount
        yield from self.scalars.items()

    def __add__(self, other: Resource) -> Resource:
        scalars = self.scalars or other.scalars
        if self.scalars and other.scalars:
            scalars = dict(self.scalars)
            for name, amount in other.scalars.items():
                scalars[name] = scalars.get(name, 0) + amount
        return Resource(
            self.milli_cpu + other.milli_cpu,
            self.memory + other.memory,
            self.ephemeral_storage + other.ephemeral_storage,
            self.allowed_pod_number + other.allowed_pod_number,
            scalars,
        )


ZERO: Final = Resource()


class Usage(NamedTuple):
    """What a pod takes from its node: its requests, and those with defaults for what it omits."""

    resource: Resource
    non_zero_milli_cpu: int
    non_zero_memory: int


class Insufficient(NamedTuple):
    """One reason why a pod does not fit; unresolvable ones no preemption can cure."""

    resource: str
    reason: str
    requested: int
    used: int
    capacity: int
    unresolvable: bool = False


@functools.lru_cache(maxsize=4096)
def is_extended(name: str) -> bool:
    """Whether a resource name belongs to a vendor, such as ``example.com/gpu``."""
    if "/" not in name or _NATIVE_PREFIX in name or name.startswith("requests."):
        return False
    return not names.is_qualified_name(f"requests.{name}")


@functools.lru_cache(maxsize=4096)
def is_scalar(name: str) -> bool:
    """Whether a resource other than CPU, memory and storage is counted."""
    return (
        is_extended(name)
        or name.startswith((pod_resources.HUGE_PAGES_PREFIX, "attachable-volumes-"))
        or _NATIVE_PREFIX in name
    )


def total_of(amounts: Mapping[str, Any] | None) -> Resource:
    """The counted resources of a resource list, as in a node's allocatable."""
    if not amounts:
        return ZERO
    return _count({name: _value(name, amount) for name, amount in amounts.items()})


def _value(name: str, amount: Any) -> int:
    return quantity.milli_value_of(amount) if name == CPU else quantity.value_of(amount)


def _count(amounts: dict[str, int]) -> Resource:
    get = amounts.get
    scalars = {
        name: amount for name, amount in amounts.items() if name not in _NAMED and is_scalar(name)
    }
    return Resource(
        get(CPU, 0), get(MEMORY, 0), get(EPHEMERAL_STORAGE, 0), get(PODS, 0), scalars or _NO_SCALARS
    )


def _requests(pod: dict[str, Any], options: pod_resources.Options) -> dict[str, int]:
    """A pod's requests in the units of ``Resource``, by way of integers where those are exact."""
    whole = pod_resources.whole_requests(pod, options)
    if whole is not None:
        return whole
    return {
        name: amount.milli_value if name == CPU else amount.value
        for name, amount in pod_resources.requests(pod, options).items()
    }


def fit_request(pod: dict[str, Any]) -> Resource:
    """What a pod that waits for a node requests of it: its spec counts, and nothing below zero."""
    return _floor(_requests(pod, pod_resources.SPEC))


def _floor(amounts: dict[str, int]) -> Resource:
    return _count({name: max(amount, 0) for name, amount in amounts.items() if name != PODS})


def _is_plain(amounts: dict[str, int]) -> bool:
    return PODS not in amounts and (not amounts or min(amounts.values()) >= 0)


def usage(pod: dict[str, Any]) -> Usage:
    """What a pod counts for on the node it is on, in-place resizes included."""
    return _usage(pod, _requests(pod, pod_resources.IN_PLACE))


def request_and_usage(pod: dict[str, Any]) -> tuple[Resource, Usage]:
    """``fit_request`` and ``usage`` in one go, for a pod whose status has no resources."""
    amounts = _requests(pod, pod_resources.SPEC)
    counted = _usage(pod, amounts)
    return (counted.resource if _is_plain(amounts) else _floor(amounts)), counted


def _usage(pod: dict[str, Any], amounts: dict[str, int]) -> Usage:
    missing = _missing(pod, amounts)
    filled = amounts
    if missing:
        filled = _requests(pod, pod_resources.Options(use_status=True, non_missing=missing))
    return Usage(_count(amounts), filled.get(CPU, 0), filled.get(MEMORY, 0))


def _missing(pod: dict[str, Any], amounts: dict[str, int]) -> dict[str, str]:
    """The defaults that may count; with pod-level requests only where nothing is requested."""
    if pod_resources.is_pod_level_requests_set(pod):
        return {name: amount for name, amount in _NON_MISSING.items() if name not in amounts}
    if pod_resources.has_status_resources(pod):
        return _NON_MISSING
    spec = pod.get("spec") or {}
    for kind in ("containers", "initContainers"):
        for container in spec.get(kind) or ():
            stated = (container.get("resources") or {}).get("requests") or {}
            if CPU not in stated or MEMORY not in stated:
                return _NON_MISSING
    return {}


def fits(
    request: Resource,
    allocatable: Resource,
    requested: Resource,
    pod_count: int,
    ignored: Collection[str] = (),
    ignored_groups: Collection[str] = (),
) -> list[Insufficient]:
    """Why a request does not fit a node on which ``pod_count`` pods request ``requested``."""
    allowed = allocatable.allowed_pod_number
    lacking = (
        [Insufficient(PODS, "Too many pods", 1, pod_count, allowed)] if pod_count >= allowed else []
    )
    rows = [
        (CPU, request.milli_cpu, requested.milli_cpu, allocatable.milli_cpu),
        (MEMORY, request.memory, requested.memory, allocatable.memory),
        (
            EPHEMERAL_STORAGE,
            request.ephemeral_storage,
            requested.ephemeral_storage,
            allocatable.ephemeral_storage,
        ),
    ]
    rows += [
        (name, amount, requested.scalars.get(name, 0), allocatable.scalars.get(name, 0))
        for name, amount in request.scalars.items()
        if not _is_ignored(name, ignored, ignored_groups)
    ]
    lacking += [
        Insufficient(name, f"Insufficient {name}", amount, used, capacity, amount > capacity)
        for name, amount, used, capacity in rows
        if amount > 0 and amount > capacity - used
    ]
    return lacking


def _is_ignored(name: str, ignored: Collection[str], groups: Collection[str]) -> bool:
    if not (ignored or groups) or not is_extended(name):
        return False
    return name in ignored or name.split("/", maxsplit=1)[0] in groups
