"""Which of the volumes at hand a claim gets, on every node at once."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.scheduler import node_matching
from kubestage.scheduler.memo import Memo

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.objects.node_selector import NodeSelector
    from kubestage.objects.views.storage import ClaimView, VolumeView
    from kubestage.scheduler.columns import Columns, Ints, Mask

NONE: Final = -1
"""Stands where a node has no volume for a claim."""

_AVAILABLE: Final = "Available"
_REACH: Final = "VolumeBinding/reach"
_MAX_REACHES: Final = 1 << 16


def matches(columns: Columns, affinity: NodeSelector) -> Mask:
    """The nodes a volume's affinity allows; what it says of node names is not looked at."""
    mask: Mask = np.zeros(len(columns), np.bool_)
    for term in affinity.terms:
        mask |= node_matching.matches_term(columns, dataclasses.replace(term, fields=()))
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


def is_bound_to(volume: VolumeView, claim: ClaimView) -> bool:
    """Whether a volume is spoken for by this very claim."""
    reference = volume.claim
    return (
        reference is not None
        and reference.get("name") == claim.name
        and (reference.get("namespace") or "") == claim.namespace
        and (reference.get("uid") or claim.uid) == claim.uid
    )


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
    fitting = [number for number in numbers if _could_hold(volumes[number], claim)]
    offered = [number for number in fitting if _is_offered(volumes[number], claim)]
    for number in fitting:
        if is_bound_to(volumes[number], claim):
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


def _could_hold(volume: VolumeView, claim: ClaimView) -> bool:
    """What even a volume that is spoken for by the claim must fulfil."""
    return (
        (volume.claim is None or is_bound_to(volume, claim))
        and volume.capacity >= claim.requested
        and volume.volume_mode == claim.volume_mode
        and _attributes_class(volume.raw) == _attributes_class(claim.raw)
        and volume.raw["metadata"].get("deletionTimestamp") is None
    )


def _is_offered(volume: VolumeView, claim: ClaimView) -> bool:
    """What a volume must fulfil that nobody has spoken for."""
    return (
        volume.claim is None
        and volume.phase == _AVAILABLE
        and claim.selector.matches(volume.labels)
        and volume.class_name == claim.class_name
        and set(claim.access_modes).issubset(volume.access_modes)
    )


def _attributes_class(obj: dict[str, Any]) -> str:
    return obj["spec"].get("volumeAttributesClassName") or ""
