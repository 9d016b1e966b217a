"""Slices put together: the stays of pods in groups, each on a lane that no other uses meanwhile."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.objects import timestamps
from kubestage.results.history.slices_phases import FAILED, GONE, SUCCEEDED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kubestage.aliases import Json

_FINISHED: Final = (SUCCEEDED, FAILED)


class Segment(NamedTuple):
    """A pod in one phase; node and text are -1 where there is none."""

    begin_ms: float
    end_ms: float
    phase: int
    node: int
    text: int
    template: int


class Stay(msgspec.Struct):
    """A pod in one group, as on one node; `busy_ms` is when it finished, or its end.

    A lane is free from `busy_ms` on: the object of a finished pod may stay for days.
    """

    pod: int
    group: int
    begin_ms: float
    end_ms: float
    busy_ms: float
    segments: list[Segment]
    is_finished: bool = False
    lane: int = 0


def end_of(rows: Json) -> float:
    """The end of what rows cover, in milliseconds since their beginning."""
    span_ns = times_ns(rows["end"]) - times_ns(rows["begin"])
    return round(span_ns / 1_000_000, 6)


def times_ns(text: str) -> int:
    """The nanoseconds of a time with up to nine digits behind the second."""
    whole, _, rest = text.rstrip("Z").partition(".")
    return timestamps.parse_time(f"{whole}Z") + int(rest.ljust(9, "0") or 0)


def lives(rows: Json) -> list[list[Segment]]:
    """The segments of every pod, by its number."""
    found: list[list[Segment]] = [[] for _ in rows["pods"]]
    open_: list[tuple[float, int, int, int] | None] = [None] * len(found)
    templates = [template for _, template in rows["pods"]]
    for ms, pod, phase, node, text, *changed in rows["slices"]:
        _close(found[pod], open_[pod], ms, templates[pod])
        if changed:
            templates[pod] = changed[0]
        open_[pod] = None if phase == GONE else (ms, phase, node, text)
    end_ms = end_of(rows)
    for pod, last in enumerate(open_):
        _close(found[pod], last, end_ms, templates[pod])
    return found


def _close(
    segments: list[Segment],
    last: tuple[float, int, int, int] | None,
    end_ms: float,
    template: int,
) -> None:
    """End the open segment; what took no time is left out."""
    if last is not None and end_ms > last[0]:
        segments.append(Segment(last[0], end_ms, *last[1:], template))


def stays(found: Iterable[list[Segment]], group_of: Callable[[Segment], int]) -> Iterator[Stay]:
    """The stays of pods in groups, in the order of pods."""
    for pod, segments in enumerate(found):
        current: Stay | None = None
        for segment in segments:
            group = group_of(segment)
            if current is None or current.group != group:
                if current is not None:
                    yield current
                begin = segment.begin_ms
                current = Stay(pod, group, begin, begin, begin, [])
            current.segments.append(segment)
            current.end_ms = segment.end_ms
            if not current.is_finished:
                current.is_finished = segment.phase in _FINISHED
                current.busy_ms = segment.begin_ms if current.is_finished else segment.end_ms
        if current is not None:
            yield current


def put_on_lanes(found: list[Stay]) -> int:
    """Give each stay of one group the first lane that is free; how many lanes that takes.

    A finished pod is shown until its lane is used again; then nothing may be left of its stay.
    """
    busy: list[tuple[float, int]] = []
    free: list[int] = []
    last: list[Stay] = []
    for stay in sorted(found, key=lambda each: (each.begin_ms, each.pod)):
        ended = bisect.bisect_right(busy, (stay.begin_ms, len(last)))
        free = sorted([*free, *(lane for _, lane in busy[:ended])], reverse=True) if ended else free
        del busy[:ended]
        if free:
            stay.lane = free.pop()
            _cut(last[stay.lane], stay.begin_ms)
            last[stay.lane] = stay
        else:
            stay.lane = len(last)
            last.append(stay)
        bisect.insort(busy, (stay.busy_ms, stay.lane))
    return len(last)


def _cut(stay: Stay, end_ms: float) -> None:
    if stay.end_ms <= end_ms:
        return
    stay.end_ms = end_ms
    kept = [each for each in stay.segments if each.begin_ms < end_ms]
    stay.segments = [each._replace(end_ms=min(each.end_ms, end_ms)) for each in kept]
