"""Bounds with every default filled in from the start of a search."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.errors import InputError, MalformedValue
from kubestage.golang import durations
from kubestage.sweep.worst import amounts, pod_specs
from kubestage.sweep.worst.bounds import Outage  # noqa: TC001 - msgspec reads it
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.sweep.worst.bounds import Bounds, CountRange, FactorRange
    from kubestage.sweep.worst.case import Case

_STEPS: Final = 4


class Span(msgspec.Struct, frozen=True):
    """A range of whole numbers, both ends included."""

    low: int
    high: int

    def clamp(self, value: int) -> int:
        """The nearest number within."""
        return min(max(value, self.low), self.high)


class Limits(msgspec.Struct, frozen=True):
    """What mutations may do, all in numbers."""

    groups: tuple[str, ...]
    times: Span
    pods: Span
    replicas: Span
    patterns: dict[str, Json]
    """The patterns of requests that the start has, by Traffic."""
    factors: tuple[float, float]
    """By which the rates and times of these may be multiplied."""
    sizes: dict[str, Span]
    node_sizes: dict[str, tuple[int, ...]]
    """What nodes have of each resource: pods that are a simple part of that are hard to pack."""
    failures: int
    outages: tuple[Outage, ...]
    failing: tuple[str, ...]
    """The nodes that may fail."""
    returns: bool
    classes: tuple[str, ...]
    is_living: bool
    end: int
    """The last step or second that anything may happen at."""


def resolve(bounds: Bounds, start: Case, living_ns: int | None) -> Limits:
    """The limits of a search that begins with a case; `living_ns` is how long a run lives."""
    times = _times(bounds, start, living_ns)
    arrivals = [start.events[at] for at in start.arrivals]
    if not arrivals:
        fix = "name files with pods or workloads that need a node"
        raise InputError("no pods arrive in this input", fix=fix)
    objects = [each.object or {} for each in arrivals]
    replicas = [number for each in objects if (number := pod_specs.replicas_of(each)) is not None]
    nodes = {str(obj["metadata"]["name"]): obj for _, obj in start.nodes()}
    end = times.high + 1 if living_ns is None else living_ns // SECOND_NS - 1
    last = max((each.at for each in start.events), default=0)
    failing = _known("failures.nodes", bounds.failures.nodes, nodes) or tuple(nodes)
    return Limits(
        groups=bounds.mutate,
        times=times,
        pods=_count("arrivals.pods", bounds.arrivals.pods, 1, 2 * len(arrivals)),
        replicas=_count("arrivals.replicas", bounds.arrivals.replicas, 1, 2 * max(replicas or [1])),
        patterns={
            str(each.target): pattern
            for each in start.events
            if each.target.kind == "Traffic" and (pattern := _pattern(each.object or {}))
        },
        factors=_factors(bounds.arrivals.requests),
        sizes=_sizes(bounds, start),
        node_sizes={
            name: tuple(sorted({amounts.allocatable(each, name) for each in nodes.values()} - {0}))
            for name in bounds.sizes
        },
        failures=bounds.failures.most,
        outages=bounds.failures.kinds,
        failing=failing,
        returns=bounds.failures.returns,
        classes=_classes(bounds, start),
        is_living=living_ns is not None,
        end=max(end, last),
    )


def _times(bounds: Bounds, start: Case, living_ns: int | None) -> Span:
    stated = bounds.arrivals.times
    first = min((start.events[at].at for at in start.arrivals), default=0)
    last = max((event.at for event in start.events), default=0)
    if living_ns is None:
        default = Span(first, max(last, first + _STEPS - 1))
    else:
        default = Span(0, max(living_ns // SECOND_NS // 2, last))
    low = _moment("arrivals.times.min", stated.min, default.low, living_ns)
    high = _moment("arrivals.times.max", stated.max, max(default.high, low), living_ns)
    _check("arrivals.times", low, high)
    if living_ns is not None and high * SECOND_NS >= living_ns:
        fix = "let the cluster live longer, or lower it"
        raise InputError("comes after the end of --for", path="arrivals.times.max", fix=fix)
    return Span(low, high)


def _moment(path: str, stated: int | str | None, default: int, living_ns: int | None) -> int:
    if stated is None:
        return default
    if living_ns is None:
        if isinstance(stated, int) and stated >= 0:
            return stated
        raise InputError(f"{stated!r} is no step", path=path, fix="write a number, as in 3")
    try:
        found = durations.parse_duration(stated) if isinstance(stated, str) else None
    except ValueError:
        found = None
    if found is None or found < 0:
        raise InputError(f"{stated!r} is no duration", path=path, fix="write it as in 90s or 10m")
    return found // SECOND_NS


def _count(path: str, stated: CountRange, low: int, high: int) -> Span:
    low = low if stated.min is None else stated.min
    high = max(high, low) if stated.max is None else stated.max
    _check(path, low, high)
    return Span(low, high)


def _pattern(traffic: Json) -> Json | None:
    pattern = (traffic.get("spec") or {}).get("pattern")
    return pattern if isinstance(pattern, dict) else None


def _factors(stated: FactorRange) -> tuple[float, float]:
    path = "arrivals.requests"
    if stated.min <= 0:
        raise InputError(f"{stated.min} is no factor", path=f"{path}.min", fix="write more than 0")
    if stated.min > stated.max:
        fix = "exchange them, or leave one out"
        raise InputError(f"min {stated.min} is more than max {stated.max}", path=path, fix=fix)
    return stated.min, stated.max


def _check(path: str, low: int, high: int) -> None:
    if low < 0:
        raise InputError(f"{low} is below zero", path=f"{path}.min", fix="write 0 or more")
    if low > high:
        fix = "exchange them, or leave one out"
        raise InputError(f"min {low} is more than max {high}", path=path, fix=fix)


def _sizes(bounds: Bounds, start: Case) -> dict[str, Span]:
    found = {}
    for resource, stated in bounds.sizes.items():
        used = [
            amount
            for at in start.arrivals
            for amount in amounts.requested(start.events[at].object or {}, resource)
        ]
        nodes = [amounts.allocatable(node, resource) for _, node in start.nodes()]
        if not used:
            continue
        path = f"sizes.{resource}"
        most = max(nodes, default=0) or 2 * max(used)
        low = _amount(f"{path}.min", resource, stated.min, max(min(used) // 2, 1))
        high = _amount(f"{path}.max", resource, stated.max, max(min(2 * max(used), most), low))
        if low > high:
            fix = "exchange them, or leave one out"
            raise InputError(f"min {stated.min} is more than max {stated.max}", path=path, fix=fix)
        found[resource] = Span(low, high)
    return found


def _amount(path: str, resource: str, stated: float | str | None, default: int) -> int:
    if stated is None:
        return default
    try:
        amount = amounts.parse(resource, stated)
    except MalformedValue:
        amount = 0
    if amount < 1:
        fix = "write it as in 500m, 2 or 256Mi"
        raise InputError(f"{stated!r} is no amount", path=path, fix=fix)
    return amount


def _classes(bounds: Bounds, start: Case) -> tuple[str, ...]:
    created = {
        event.target.name: event for event in start.events if event.target.kind == "PriorityClass"
    }
    return _known("priorities.classes", bounds.priorities.classes, created) or tuple(created)


def _known(path: str, stated: tuple[str, ...], known: Iterable[str]) -> tuple[str, ...]:
    """The stated names, each of which the start has."""
    there = list(known)
    for name in stated:
        if name not in there:
            near = difflib.get_close_matches(name, there, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(there)}"
            raise InputError(f'there is no "{name}"', path=path, fix=hint if there else None)
    return stated
