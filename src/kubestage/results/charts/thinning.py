"""Fewer steps than there are, so that a chart of any run can be read and is soon drawn."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.results.analysis import Digest

MOST: Final = 120


def last_of_each_group(steps: Sequence[int], most: int = MOST) -> dict[int, int]:
    """Each step with the last one of its group; as few steps as may be shown stand alone."""
    size = _size(steps, most)
    groups = [steps[start : start + size] for start in range(0, len(steps), size)]
    return {step: group[-1] for group in groups for step in group}


def states(run: Digest) -> Digest:
    """A run with the ends of only some steps, the last among them."""
    kept = set(last_of_each_group([end.step for end in run.steps]).values())
    return msgspec.structs.replace(run, steps=[end for end in run.steps if end.step in kept])


def sums(
    rows: Iterable[dict[str, Any]], steps: Sequence[int], by: str, value: str
) -> list[dict[str, Any]]:
    """Numbers per step, those of the steps that are not shown added to the next that is."""
    group = last_of_each_group(steps)
    totals: collections.Counter[tuple[int, Any]] = collections.Counter()
    for row in rows:
        totals[group[row["step"]], row[by]] += row[value] or 0
    return [{"step": step, by: key, value: total} for (step, key), total in totals.items()]


def group_note(steps: Sequence[int]) -> str:
    """What to add to a subtitle where a number is that of several steps."""
    size = _size(steps, MOST)
    return f"; each bar is {size} steps" if size > 1 else ""


def _size(steps: Sequence[int], most: int) -> int:
    return -(-len(steps) // most) or 1
