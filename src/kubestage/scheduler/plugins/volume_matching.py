"""Which of the volumes at hand a claim gets, on every node at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from kubestage.objects import volume_fit
from kubestage.scheduler import node_matching
from kubestage.scheduler.memo import Memo

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.objects.node_selector import NodeSelector
    from kubestage.objects.views.storage import ClaimView, VolumeView
    from kubestage.scheduler.columns import Columns, Ints, Mask

NONE: Final = -1
"""Stands where a node has no volume for a claim."""

_REACH: Final = "VolumeBinding/reach"
_MAX_REACHES: Final = 1 << 16


def matches(columns: Columns, affinity: NodeSelector) -> Mask:
    """The nodes a volume's affinity allows; what it says of node names is not looked at."""
    mask: Mask = np.zeros(len(columns), np.bool_)
    for term in affinity.terms:
        mask |= node_matching.matches_term(columns, msgspec.structs.replace(term, fields=()))
    return mask


def labelled(columns: Columns, key: str, values: Iterable[str]) -> Mask:
    """The nodes whose label has one of the values."""
    column = columns.label(key)
    # The code of a missing label is -1, so the answer for it goes last.
    answers: Mask = np.zeros(len(column.values) + 1, np.bool_)
    answers[[column.code_of[value] for value in values if value in column.code_of]] = True
    return answers[column.codes]


def reach(columns: Columns, volume: VolumeView) -> Ints:
    """The rows of the nodes from which a volume can be reached, kept until a node changes."""
    known = columns.memo.get(_REACH, lambda: Memo(_MAX_REACHES))
    return known.get(volume, lambda: _reach(columns, volume))


def _reach(columns: Columns, volume: VolumeView) -> Ints:
    affinity = volume.node_affinity
    if affinity is None:
        return np.arange(len(columns))
    return np.flatnonzero(matches(columns, affinity))


def match(
    columns: Columns,
    claim: ClaimView,
    volumes: Sequence[VolumeView],
    numbers: Sequence[int],
    taken: Sequence[Ints],
) -> Ints:
    """The number of the volume that the claim gets on each node, or NONE.

    `taken` are the choices made for other claims of the pod: no volume is given out twice. A
    volume that is spoken for by the claim is taken or none is; else it is the smallest that will
    do, and the first in the list among equals (the real scheduler takes any).
    """
    chosen: Ints = np.full(len(columns), NONE, np.int64)
    is_open: Mask = np.ones(len(columns), np.bool_)
    fitting = [number for number in numbers if volume_fit.could_hold(volumes[number], claim)]
    offered = [number for number in fitting if volume_fit.is_offered(volumes[number], claim)]
    for number in fitting:
        if volume_fit.is_bound_to(volumes[number], claim):
            here = _free(np.flatnonzero(is_open), number, taken)
            reachable: Mask = np.zeros(len(columns), np.bool_)
            reachable[reach(columns, volumes[number])] = True
            chosen[here[reachable[here]]] = number
            is_open[here] = False
    left = int(is_open.sum())
    for number in sorted(offered, key=lambda number: volumes[number].capacity):
        if not left:
            break
        rows = reach(columns, volumes[number])
        rows = _free(rows[is_open[rows]], number, taken)
        chosen[rows] = number
        is_open[rows] = False
        left -= len(rows)
    return chosen


def _free(rows: Ints, number: int, taken: Iterable[Ints]) -> Ints:
    for choice in taken:
        rows = rows[choice[rows] != number]
    return rows
