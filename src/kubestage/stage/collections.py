"""Python's search for reference cycles, done less often while a run creates many objects."""

from __future__ import annotations

import contextlib
import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

COLLECTIONS = (10_000, 5, 10_000)
"""Thresholds that leave objects alone that have been there for long, and make no search long: it
visits fifty thousand objects at most, and takes a microsecond or two for each."""

# The thresholds before each block that is open now.
_thresholds: list[tuple[int, int, int]] = []


@contextlib.contextmanager
def few_collections() -> Iterator[None]:
    """Have Python search for cycles less often in this block.

    NOTE: a run creates next to no cycles, but each search visits all objects of the stage: a fifth
    of the time of a large rollout (benchmarks/controllers.py).

    A block around many short runs saves the search at the end of each. It may also be a function:
    ``@few_collections()``.

    Several blocks may be open at a time, and end in any order: the last one restores the settings.
    """
    _thresholds.append(gc.get_threshold())
    gc.set_threshold(*COLLECTIONS)
    try:
        yield
    finally:
        first = _thresholds[0]
        _thresholds.pop()
        if not _thresholds:
            gc.set_threshold(*first)
