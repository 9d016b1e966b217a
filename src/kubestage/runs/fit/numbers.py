"""How much a pod needs, and how much of it the nodes have: from one attempt of the scheduler."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage import wording
from kubestage.runs.fit import round_amounts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.attempt import Attempt

FIT: Final = "NodeResourcesFit"
_TOO_MANY: Final = "Too many pods"
_SHORT: Final = "Insufficient "


def short_resources(attempt: Attempt) -> list[str]:
    """The resources of which some node has too little, the most frequent first."""
    counts: collections.Counter[str] = collections.Counter()
    for rows, status in attempt.diagnosis.groups:
        if status.plugin == FIT:
            for reason in status.reasons:
                if reason.startswith(_SHORT):
                    counts[reason.removeprefix(_SHORT)] += len(rows)
    return [name for name, _ in counts.most_common()]


def rows_of(attempt: Attempt, plugin: str) -> Ints:
    """The nodes that a plugin was the first to reject."""
    found = [rows for rows, status in attempt.diagnosis.groups if status.plugin == plugin]
    return np.sort(np.concatenate(found)) if found else np.empty(0, np.int64)


def rejections(attempt: Attempt) -> dict[str, int]:
    """How many nodes each plugin was the first to reject."""
    counts: collections.Counter[str] = collections.Counter()
    for rows, status in attempt.diagnosis.groups:
        counts[status.plugin] += len(rows)
    return dict(counts)


def lines(attempt: Attempt) -> list[str]:
    """What the pod needs of each resource that is short, and which node has the most of it."""
    return [*_short(attempt), *_crowded(attempt)]


def _short(attempt: Attempt) -> Iterator[str]:
    columns, rows = attempt.columns, rows_of(attempt, FIT)
    others = len(columns) - len(rows)
    needed = dict(attempt.pod.fit_request.items())
    table = columns.resources
    for resource in short_resources(attempt):
        line = table.line(resource)
        free, offered = table.free[line], table.allocatable[line]
        best = int(rows[np.argmax(free[rows])])
        left = max(int(free[best]), 0)
        need = round_amounts.spoken(resource, needed.get(resource, 0))
        most = round_amounts.bare(resource, left)
        among = f", the most of the {len(rows):,} nodes it may run on" if others else ", the most"
        if len(rows) == 1:
            among = ", the only node it may run on" if others else ""
        text = f"needs {need}; node {columns.names[best]} has {most} free{among}"
        largest = int(offered[rows].max())
        if largest < needed.get(resource, 0):
            text += f" (none is that large: {round_amounts.bare(resource, largest)} at most)"
        yield text


def _crowded(attempt: Attempt) -> Iterator[str]:
    crowded = [
        rows
        for rows, status in attempt.diagnosis.groups
        if status.plugin == FIT and _TOO_MANY in status.reasons
    ]
    if crowded:
        rows = np.concatenate(crowded)
        most = int(attempt.columns.allowed_pods[rows].max())
        nodes = wording.plural(len(rows), "node")
        yield f"needs a place; {nodes} have as many pods as they take (up to {most})"
