"""Fewer replicas of workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.sweep.worst import pod_specs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.sweep.worst.case import Case


def candidates(case: Case) -> Iterator[Case]:
    """Each workload with one replica, with half of them, and with one less."""
    for place in case.arrivals:
        event = case.events[place]
        obj = event.object or {}
        number = pod_specs.replicas_of(obj)
        if number is None:
            continue
        for fewer in dict.fromkeys((1, number // 2, number - 1)):
            if 1 <= fewer < number:
                yield case.replaced(place, event.with_object(pod_specs.with_replicas(obj, fewer)))
