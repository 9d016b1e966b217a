"""Mutations of arrivals: when they happen, and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.sweep.worst import case as cases
from kubestage.sweep.worst import pod_specs
from kubestage.sweep.worst.mutations import moments

if TYPE_CHECKING:
    import random

    from kubestage.sweep.worst.case import Case, CaseEvent
    from kubestage.sweep.worst.limits import Limits

_MOST_IN_BURST: Final = 6
_MORE: Final = (1, 1, 2, 4)
_NAME_LENGTH: Final = 52
_RECORDED: Final = frozenset({
    "creationTimestamp", "generateName", "generation", "managedFields", "ownerReferences",
    "resourceVersion", "selfLink", "uid",
})  # fmt: skip
"""What a pod of a cluster has, and a copy of it has not."""


class Move:
    """One arrival happens at another moment."""

    def __call__(self, case: Case, stream: random.Random, limits: Limits) -> Case | None:
        """Move one."""
        if not case.arrivals:
            return None
        place = stream.choice(case.arrivals)
        event = case.events[place]
        at = moments.some(case, event, stream, limits)
        return case.replaced(place, msgspec.structs.replace(event, at=at))


class Burst:
    """A few arrivals happen at the same moment."""

    def __call__(self, case: Case, stream: random.Random, limits: Limits) -> Case | None:
        """Gather some."""
        places = case.arrivals
        if len(places) < 2:
            return None
        chosen = set(stream.sample(places, stream.randint(2, min(len(places), _MOST_IN_BURST))))
        at = stream.randint(limits.times.low, limits.times.high)
        events = [
            msgspec.structs.replace(event, at=moments.allowed(case, event, limits).clamp(at))
            if place in chosen
            else event
            for place, event in enumerate(case.events)
        ]
        return cases.arranged(events)


class Add:
    """A few more Pods or Jobs like one that is there, or a few more replicas of a workload."""

    def __call__(self, case: Case, stream: random.Random, limits: Limits) -> Case | None:
        """Add some."""
        if not case.arrivals:
            return None
        place, number = stream.choice(case.arrivals), stream.choice(_MORE)
        event = case.events[place]
        if not event.is_copied:
            return _scaled(case, place, number, limits)
        number = min(number, limits.pods.high - len(case.arrivals))
        if number < 1:
            return None
        at = moments.some(case, event, stream, limits)
        for _ in range(number):
            copy = msgspec.structs.replace(_copy(event, case), at=at)
            case = cases.arranged((*case.events, copy))
        return case


class Remove:
    """One Pod or workload less, or one replica less."""

    def __call__(self, case: Case, stream: random.Random, limits: Limits) -> Case | None:
        """Remove one."""
        if not case.arrivals:
            return None
        place = stream.choice(case.arrivals)
        fewer = _scaled(case, place, -stream.choice((1, 1, 2)), limits)
        if fewer is not None:
            return fewer
        if len(case.arrivals) <= limits.pods.low:
            return None
        return case.without([place])


def _scaled(case: Case, place: int, by: int, limits: Limits) -> Case | None:
    """The case with more or fewer replicas of a workload; None if it has as many as it may."""
    event = case.events[place]
    number = pod_specs.replicas_of(event.object or {})
    if number is None or event.object is None:
        return None
    scaled = limits.replicas.clamp(number + by)
    # One that the start has beyond the limits is not brought back by a step in the wrong direction.
    if (scaled - number) * by <= 0:
        return None
    return case.replaced(place, event.with_object(pod_specs.with_replicas(event.object, scaled)))


def _copy(event: CaseEvent, case: Case) -> CaseEvent:
    """The same arrival under a name that is free."""
    obj = event.object
    assert obj is not None
    name = str(obj["metadata"]["name"])
    stem = name.rpartition("-copy-")[0] or name
    taken = {each.target.name for each in case.events}
    number = 1
    while f"{stem[:_NAME_LENGTH]}-copy-{number}" in taken:
        number += 1
    kept = {key: value for key, value in obj["metadata"].items() if key not in _RECORDED}
    whole = {key: value for key, value in obj.items() if key != "status"}
    name = f"{stem[:_NAME_LENGTH]}-copy-{number}"
    return event.with_object({**whole, "metadata": {**kept, "name": name}})
