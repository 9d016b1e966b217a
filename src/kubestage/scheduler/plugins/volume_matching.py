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
    from kubestage.scheduler.arrays import Ints, Mask
    from kubestage.scheduler.columns import Columns

NONE: Final = -1
"""Stands where a node has no volume for a claim."""

_REACH: Final = "VolumeBinding/reach"
_MAX_REACHES: Final = 1 << 16
_FIRST: Final = 4
_encode: Final = msgspec.msgpack.Encoder().encode


def matches(columns: Columns, affinity: NodeSelector) -> Mask:
    """The nodes a volume's affinity allows; terms on node names are ignored."""
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


def affinity_key(volume: VolumeView) -> bytes:
    """Equal for volumes that state the same node affinity: thousands share a few.

    NOTE: takes 0.25 us, and compiling the affinity of each volume 13 us.
    """
    stated = volume.raw["spec"].get("nodeAffinity") or {}
    return _encode(stated.get("required"))


def reach(columns: Columns, volume: VolumeView) -> Ints:
    """The rows of the nodes from which a volume can be reached, kept until a node changes."""
    known = columns.memo.get(_REACH, lambda: Memo(_MAX_REACHES))
    return known.get(volume, lambda: _shared_reach(known, columns, volume))


def _shared_reach(known: Memo, columns: Columns, volume: VolumeView) -> Ints:
    return known.get(affinity_key(volume), lambda: _reach(columns, volume))


def _reach(columns: Columns, volume: VolumeView) -> Ints:
    affinity = volume.node_affinity
    if affinity is None:
        return np.arange(len(columns))
    return np.flatnonzero(matches(columns, affinity))


def match(
    columns: Columns,
    claim: ClaimView,
    volumes: Sequence[tuple[int, VolumeView]],
    taken: Sequence[Ints],
) -> Ints:
    """The number of the volume that the claim gets on each node, or NONE.

    `volumes` are those that will do for the claim, numbered, by name; `taken` the choices made for
    other claims of the pod: no volume is used twice. A volume that is spoken for by the claim
    is taken or none is; else it is the smallest, and the first in the list among equals (the real
    scheduler takes any).
    """
    chosen: Ints = np.full(len(columns), NONE, np.int64)
    if not volumes:
        return chosen
    is_open: Mask = np.ones(len(columns), np.bool_)
    for number, volume in volumes:
        if volume_fit.is_bound_to(volume, claim):
            here = _free(np.flatnonzero(is_open), number, taken)
            reachable: Mask = np.zeros(len(columns), np.bool_)
            reachable[reach(columns, volume)] = True
            chosen[here[reachable[here]]] = number
            is_open[here] = False
    offered = [each for each in volumes if each[1].claim is None]
    offered.sort(key=lambda each: each[1].capacity)
    _hand_out(columns, offered, taken, chosen, is_open)
    return chosen


def _hand_out(
    columns: Columns,
    offered: Sequence[tuple[int, VolumeView]],
    taken: Iterable[Ints],
    chosen: Ints,
    is_open: Mask,
) -> None:
    """Give every open node the first volume that it can reach.

    NOTE: volumes are taken many at a time, since each may be for one node only; at first a few,
    since one may be for all. Of a thousand local volumes each takes 0.7 us instead of 3 us.
    """
    done, count = 0, _FIRST
    while done < len(offered) and is_open.any():
        some = offered[done : done + count]
        reaches = [reach(columns, volume) for _, volume in some]
        rows = np.concatenate(reaches)
        numbers = np.repeat([number for number, _ in some], [len(each) for each in reaches])
        free = is_open[rows]
        for choice in taken:
            free &= choice[rows] != numbers
        # Where several are written, the last one stays: it has to be the first.
        rows, numbers = rows[free][::-1], numbers[free][::-1]
        chosen[rows] = numbers
        is_open[rows] = False
        done, count = done + count, count * 4


def _free(rows: Ints, number: int, taken: Iterable[Ints]) -> Ints:
    for choice in taken:
        rows = rows[choice[rows] != number]
    return rows
