"""Which pods are spared first: the higher their priority, the earlier they started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.preemption import go_sort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView

_Rank = tuple[int, int | None]


def most_important_first(pods: Sequence[PodView]) -> list[PodView]:
    """The pods by descending priority, then by start time; ties fall as in the real scheduler."""
    ranks = [(pod.priority, pod.start_ns) for pod in pods]
    ranked = list(zip(ranks, pods, strict=True))
    if len(set(ranks)) == len(ranks):
        return [pod for _, pod in sorted(ranked, key=_key)]
    return [pod for _, pod in go_sort.in_order(ranked, lambda one, two: _above(one[0], two[0]))]


def _key(ranked: tuple[_Rank, PodView]) -> tuple[int, bool, int]:
    priority, start = ranked[0]
    return -priority, start is None, start or 0


def _above(one: _Rank, other: _Rank) -> bool:
    """Whether the first is more important.

    A pod that has not started counts as starting now, and now is later at each look: of two such
    pods each is above the other.
    """
    if one[0] != other[0]:
        return one[0] > other[0]
    if other[1] is None:
        return True
    return one[1] is not None and one[1] < other[1]
