"""Python's search for reference cycles, done less often while a run creates many objects."""

from __future__ import annotations

import contextlib
import gc
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

COLLECTIONS = (10_000, 5, 10_000)
"""Thresholds that leave objects alone that have been there for long, and make no search long: it
visits fifty thousand objects at most, and takes a microsecond or two for each."""

RARELY = 500_000
"""After so many new objects, for runs that may stop for a second; they take roughly 100 MB.

NOTE: each search visits all new objects, most of which stay: with a search after each 10,000
that is 0.65 of the 8 s that a copy of 1,000 nodes and an upgrade of 150 take
(benchmarks/rehearse.py)."""

HARDLY_EVER: Final = 20_000_000
"""After so many, for runs that make no cycles, and whose objects take a few GB anyway.

NOTE: a load with 1,000 nodes takes as much memory without any search; with one after each 500,000
objects, searches were a fortieth of its time (benchmarks/load.py)."""

_NEVER: Final = 10_000

# The thresholds before each block that is open now.
_thresholds: list[tuple[int, int, int]] = []


@contextlib.contextmanager
def few_collections(after: int = COLLECTIONS[0]) -> Iterator[None]:
    """Have Python search for cycles less often in this block: when there are so many new objects.

    NOTE: a run creates next to no cycles, but each search visits all objects of the stage: a fifth
    of the time of a large rollout (benchmarks/controllers.py).

    A block around many short runs saves the search at the end of each. It may also be a function:
    ``@few_collections()``.

    Several blocks may be open at a time, and end in any order: the rarest searches are done, and
    the last one restores the settings.
    """
    before = gc.get_threshold()
    _thresholds.append(before)
    rarest = max(after, before[0]) if len(_thresholds) > 1 else after
    # NOTE: what is there after 500,000 others is there for long, and is not searched again.
    often = COLLECTIONS[1] if rarest < RARELY else _NEVER
    gc.set_threshold(rarest, often, COLLECTIONS[2])
    try:
        yield
    finally:
        first = _thresholds[0]
        _thresholds.pop()
        if not _thresholds:
            gc.set_threshold(*first)
