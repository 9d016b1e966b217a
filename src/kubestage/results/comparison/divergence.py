"""The first decision in which two runs part.

A run is deterministic, so up to that decision the two were the same, and all that differs later
may be its consequence.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.results.comparison.attempts import Tried, tried

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.analysis.digest import Run

POD: Final = "pod"
RESULT: Final = "result"
NODE: Final = "node"
PREEMPTION: Final = "preemption"
END: Final = "end"


class Divergence(msgspec.Struct, frozen=True):
    """Where two runs part; `same` is how many attempts before it are the same in both.

    `what` is in what the two attempts differ: another ``pod`` was next in turn, or the same pod
    had another ``result``, another ``node``, or room made for it by another ``preemption``; at the
    ``end``, one of the two has no more attempts.
    """

    same: int
    what: str
    first: Tried | None
    second: Tried | None


def first_divergence(first: Run, second: Run) -> Divergence | None:
    """Where two runs part, by their statuses; None if they never do.

    Statuses without attempts, written at detail ``summary``, do not show this.
    """
    return diverge(tried(first), tried(second))


def diverge(first: Sequence[Tried], second: Sequence[Tried]) -> Divergence | None:
    """Where two series of attempts part; None if they are the same."""
    for same, (one, other) in enumerate(itertools.zip_longest(first, second)):
        what = _difference(one, other)
        if what is not None:
            return Divergence(same, what, one, other)
    return None


def _difference(one: Tried | None, other: Tried | None) -> str | None:
    if one is None or other is None:
        return END
    if one.pod != other.pod:
        return POD
    if one.result != other.result:
        return RESULT
    if one.node != other.node:
        return NODE
    if one.victims is None or other.victims is None:
        return None
    is_same = (one.nominated_node, one.victims) == (other.nominated_node, other.victims)
    return None if is_same else PREEMPTION
