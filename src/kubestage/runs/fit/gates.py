"""What keeps a pod from being tried at all, and priorities that would let it preempt."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.objects.views.pod import PREEMPT_LOWER_PRIORITY
from kubestage.runs.fit import candidate, edit
from kubestage.runs.fit.candidate import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.runs.fit.cluster_copy import ClusterCopy

PRIORITY_CLASS: Final = ("scheduling.k8s.io/v1", "PriorityClass")
REMOVE_GATE: Final = "remove-gate"
CHANGE_SCHEDULER: Final = "change-scheduler"
RAISE_PRIORITY: Final = "raise-priority"
_SYSTEM: Final = "system-"
_MOST: Final = 8


def candidates(copy: ClusterCopy) -> Iterator[Candidate]:
    """Take its gates away, and name a scheduler that is there."""
    spec = copy.pod["spec"]
    gates = [each["name"] for each in spec.get("schedulingGates") or ()]
    if gates:
        shown = ", ".join(gates)
        text = f"remove its scheduling gate{'s' if len(gates) > 1 else ''} {shown}"
        change = functools.partial(edit.with_spec, schedulingGates=None)
        yield Candidate(REMOVE_GATE, text, edit.of_pod(change), (candidate.OWN_FIELD,))
    known = list(copy.scheduler.profiles)
    name = spec.get("schedulerName")
    if name and name not in known:
        text = f"name the scheduler {known[0]} (nothing is called {name} here)"
        change = functools.partial(edit.with_spec, schedulerName=known[0])
        yield Candidate(CHANGE_SCHEDULER, text, edit.of_pod(change), (candidate.OWN_FIELD,))


def priorities(copy: ClusterCopy) -> Iterator[Candidate]:
    """Classes with which it may preempt, that of the lowest priority first.

    The policy of a pod is that of its class, so that a pod that may not preempt needs another one.
    """
    spec = copy.pod["spec"]
    priority = spec.get("priority") or 0
    least = priority if spec.get("preemptionPolicy") == "Never" else priority + 1
    higher = sorted(
        (
            (each["value"], name)
            for name, each in copy.objects(PRIORITY_CLASS).items()
            if each["value"] >= least
            and not name.startswith(_SYSTEM)
            and each.get("preemptionPolicy") != "Never"
        ),
    )
    for value, name in higher[:_MOST]:
        text = f"give it the priority class {name} ({value})"
        change = functools.partial(_of_class, name=name, value=value)
        yield Candidate(RAISE_PRIORITY, text, edit.of_pod(change), (candidate.PRIORITY,))


def _of_class(pod: Json, name: str, value: int) -> Json:
    return edit.with_spec(
        pod, priorityClassName=name, priority=value, preemptionPolicy=PREEMPT_LOWER_PRIORITY
    )
