"""How fast a run was loaded, for how long, and whether it kept up at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.clusterloader.result import LoadResult

_CHANGES: Final = ("create", "update", "patch", "delete")
# By how much a backlog is larger at the end than in the middle before it counts as growing.
_GROWTH: Final = 1.1
_LEAST_GROWTH: Final = 5
# The middle and the end of a load, as shares of its length, and how often it is observed there.
_MIDDLE: Final = (0.4, 0.6)
_END: Final = (0.85, 1.0)
_MOMENTS: Final = 8
_STARTUP: Final = "pod_startup"

Spans = list[tuple[int, int]]
"""When each piece of work was requested, and when it was done."""


class Pace(msgspec.Struct, frozen=True):
    """The busiest step of a run: changes a second as requested and as answered."""

    requested: float
    achieved: float
    seconds: float
    """From the first request to the last: the length of the load."""
    middle: float
    """How much work was under way in the middle of the load, on average."""
    end: float
    """How much at its end."""


def of_run(result: LoadResult) -> Pace | None:
    """The pace of the step with most changes; None if none has two of them."""
    calls = result.calls
    rows = list(zip(calls.verbs, calls.asked_ns, calls.ended_ns, strict=True))
    best: Spans = []
    for step in result.steps:
        end_ns = step.began_ns + step.took_ns
        found = [
            (requested, ended)
            for verb, requested, ended in rows
            if verb in _CHANGES and step.began_ns <= requested <= end_ns
        ]
        best = max(best, found, key=len)
    if len(best) < 2:
        return None
    requested_ns = sorted(requested for requested, _ in best)
    ended_ns = sorted(ended for _, ended in best)
    begin_ns, last_ns = requested_ns[0], requested_ns[-1]
    work = _pods(result, begin_ns, last_ns) or best
    return Pace(
        _rate(requested_ns),
        _rate(ended_ns),
        (last_ns - begin_ns) / SECOND_NS,
        _under_way(work, begin_ns, last_ns, _MIDDLE),
        _under_way(work, begin_ns, last_ns, _END),
    )


def is_growing(paces: Sequence[Pace]) -> bool:
    """Whether more work was under way at the end of some runs than in their middle, on average."""
    if not paces:
        return False
    middle = sum(each.middle for each in paces) / len(paces)
    end = sum(each.end for each in paces) / len(paces)
    return end >= middle * _GROWTH and end - middle >= _LEAST_GROWTH


def _pods(result: LoadResult, begin_ns: int, last_ns: int) -> Spans:
    """From the first observation of each pod until it ran, of those that began meanwhile."""
    return [
        (began, began + took)
        for _, found in result.latencies()
        if found.metric == _STARTUP
        for began, took in zip(found.began_ns, found.took_ns, strict=True)
        if begin_ns <= began <= last_ns
    ]


def _rate(times_ns: Sequence[int]) -> float:
    span_ns = times_ns[-1] - times_ns[0]
    return (len(times_ns) - 1) * SECOND_NS / span_ns if span_ns else 0.0


def _under_way(work: Spans, begin_ns: int, last_ns: int, part: tuple[float, float]) -> float:
    """How much was under way in a part of the load: the mean of some moments."""
    low, high = part
    found = 0
    for moment in range(_MOMENTS):
        share = low + (high - low) * moment / (_MOMENTS - 1)
        at_ns = begin_ns + round((last_ns - begin_ns) * share)
        found += sum(began <= at_ns < ended for began, ended in work)
    return found / _MOMENTS
