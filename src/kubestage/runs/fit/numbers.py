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
    rows = rows_of(attempt, FIT)
    table = attempt.columns.resources
    needed = dict(attempt.pod.fit_request.items())
    for resource in short_resources(attempt):
        line, need = table.line(resource), needed.get(resource, 0)
        free, largest = table.free[line], int(table.allocatable[line][rows].max())
        best = int(rows[np.argmax(free[rows])])
        most = round_amounts.bare(resource, max(int(free[best]), 0))
        text = f"needs {round_amounts.spoken(resource, need)}; "
        enough = int(np.count_nonzero(free[rows] >= need))
        if enough:
            # Some other resource is short there.
            has = "has" if enough == 1 else "have"
            text += f"{enough:,} of {_nodes(attempt, rows)} {has} that much free (node "
            text += f"{attempt.columns.names[best]} {most}, the most)"
        else:
            text += f"node {attempt.columns.names[best]} has {most} free{_among(attempt, rows)}"
        if largest < need:
            text += f" (none is that large: {round_amounts.bare(resource, largest)} at most)"
        yield text


def _nodes(attempt: Attempt, rows: Ints) -> str:
    """The nodes that are too small, and whether there are others."""
    are_all = len(rows) == len(attempt.columns)
    return f"{wording.plural(len(rows), 'node')}{'' if are_all else ' it may run on'}"


def _among(attempt: Attempt, rows: Ints) -> str:
    are_all = len(rows) == len(attempt.columns)
    if len(rows) == 1:
        return "" if are_all else ", the only node it may run on"
    return ", the most" if are_all else f", the most of the {_nodes(attempt, rows)}"


def _crowded(attempt: Attempt) -> Iterator[str]:
    crowded = [
        rows
        for rows, status in attempt.diagnosis.groups
        if status.plugin == FIT and _TOO_MANY in status.reasons
    ]
    if crowded:
        rows = np.concatenate(crowded)
        most = int(attempt.columns.allowed_pods[rows].max())
        full = f"{wording.plural(len(rows), 'node')} have as many pods as they take (up to {most})"
        if len(rows) == 1:
            full = f"node {attempt.columns.names[rows[0]]} has as many pods as it takes ({most})"
        yield f"needs a place; {full}"
