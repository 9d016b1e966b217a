"""Statuses of small runs, to be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.testing import make_node, make_pod
from tests.results import samples

if TYPE_CHECKING:
    from kubestage.aliases import Json

NODES = ("n1", "n2", "n3")


def a_run(where: dict[str, str | None], *, with_attempts: bool = True, **pod_fields: Any) -> Json:
    """Three nodes with 4 CPUs, and pods with one each, tried in this order; None is pending."""
    events = [samples.created(0, make_node(name, cpu="4")) for name in NODES]
    for number, (name, node) in enumerate(where.items(), 1):
        pod = make_pod(name, cpu="1", **pod_fields)
        events.append(samples.created(0, pod))
        tried = [samples.attempt(number, 0, node or "", samples.NO_ROOM)] if with_attempts else []
        if node:
            event = samples.pod_event(0, "PodScheduled", pod, tried, boundTo=node, boundAt=0)
        else:
            event = samples.pod_event(0, "PodUnscheduled", pod, tried)
        events.append(event)
    return samples.scenario({"0": events})


SPREAD = a_run({"a": "n1", "b": "n2", "c": "n3"})
HEAPED = a_run({"a": "n1", "b": "n1", "c": None})
