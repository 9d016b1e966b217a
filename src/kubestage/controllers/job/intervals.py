"""Sets of completion indexes as Jobs write them down: ``0,2-5,9``."""

from __future__ import annotations

import bisect
import operator
import re
from typing import TYPE_CHECKING, Final

from kubestage.golang import integers

if TYPE_CHECKING:
    from collections.abc import Iterable

Interval = tuple[int, int]
Intervals = tuple[Interval, ...]

NONE: Final[Intervals] = ()

_number = re.compile("[+-]?[0-9]+", re.ASCII).fullmatch
_last: Final = operator.itemgetter(1)


def parse(text: str, completions: int) -> Intervals:
    """The indexes below `completions` that a text names; what is no interval is left out."""
    found: list[Interval] = []
    for part in text.split(",") if text else ():
        first_text, *more = part.split("-")
        if not _number(first_text):
            continue
        first = last = integers.parse(first_text)
        if first >= completions:
            break
        if more:
            if not _number(more[0]):
                continue
            last = min(integers.parse(more[0]), completions - 1)
        if found and found[-1][1] == first - 1:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return tuple(found)


def text(intervals: Intervals) -> str:
    """Intervals as a status has them: two neighbours are written apart, more of them as a range."""
    parts = []
    for first, last in intervals:
        if last == first:
            parts.append(str(first))
        elif last == first + 1:
            parts.append(f"{first},{last}")
        else:
            parts.append(f"{first}-{last}")
    return ",".join(parts)


def merge(one: Intervals, other: Intervals) -> Intervals:
    """The indexes that are in either."""
    if not other:
        return one
    merged: list[Interval] = []
    for first, last in sorted((*one, *other)):
        if not merged or first > merged[-1][1] + 1:
            merged.append((first, last))
        elif last > merged[-1][1]:
            merged[-1] = (merged[-1][0], last)
    return tuple(merged)


def with_indexes(intervals: Intervals, indexes: Iterable[int]) -> Intervals:
    """Intervals with single indexes added."""
    return merge(intervals, tuple((index, index) for index in indexes))


def total(intervals: Intervals) -> int:
    """How many indexes there are."""
    return sum(last - first + 1 for first, last in intervals)


def has(intervals: Intervals, index: int) -> bool:
    """Whether an index is among them."""
    at = bisect.bisect_left(intervals, index, key=_last)
    return at < len(intervals) and intervals[at][0] <= index


def overlap(one: Intervals, other: Intervals) -> int:
    """How many indexes are in both."""
    shared = i = j = 0
    while i < len(one) and j < len(other):
        shared += max(0, min(one[i][1], other[j][1]) - max(one[i][0], other[j][0]) + 1)
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return shared


def first_missing(intervals: Intervals, count: int, completions: int) -> list[int]:
    """The lowest indexes below `completions` that are not among them, `count` at most."""
    found: list[int] = []
    candidate = 0
    for first, last in (*intervals, (completions, completions)):
        upto = min(first, completions, candidate + count - len(found))
        found.extend(range(candidate, upto))
        if len(found) >= count:
            break
        candidate = max(candidate, last + 1)
    return found
