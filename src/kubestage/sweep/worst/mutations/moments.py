"""When an arrival may happen: within the limits, and not before what it depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scenario.resource import CREATE
from kubestage.sweep.worst import pod_specs
from kubestage.sweep.worst.limits import Span

if TYPE_CHECKING:
    import random

    from kubestage.sweep.worst.case import Case, CaseEvent
    from kubestage.sweep.worst.limits import Limits


def allowed(case: Case, event: CaseEvent, limits: Limits) -> Span:
    """The moments at which an arrival may happen: not after what is done to its object."""
    low, high = limits.times.low, limits.times.high
    needed = _dependencies(event)
    for each in case.events:
        if each.operation == CREATE and (each.target.kind, each.target.name) in needed:
            low = max(low, each.at)
        elif each.target == event.target and each is not event and each.operation != CREATE:
            high = min(high, each.at)
    return Span(low, max(low, high)) if low <= high else Span(event.at, event.at)


def some(case: Case, event: CaseEvent, stream: random.Random, limits: Limits) -> int:
    """One of those moments."""
    span = allowed(case, event, limits)
    return stream.randint(span.low, span.high)


def _dependencies(event: CaseEvent) -> set[tuple[str, str]]:
    obj = event.object or {}
    found = {("Namespace", event.target.namespace)}
    priority = pod_specs.spec_of(obj).get("priorityClassName")
    if priority:
        found.add(("PriorityClass", str(priority)))
    return found
