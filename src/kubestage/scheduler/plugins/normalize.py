"""How plugins bring their scores into the common range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.arrays import same
from kubestage.scheduler.framework import MAX_NODE_SCORE

if TYPE_CHECKING:
    from kubestage.scheduler.arrays import Ints


def scaled(scores: Ints, *, reverse: bool = False) -> Ints:
    """Scores relative to the greatest; reversed, the least is best. None may be negative."""
    nothing = same(0, len(scores))
    greatest = 0 if scores is nothing else int(scores.max(initial=0))
    if greatest == 0:
        return same(MAX_NODE_SCORE, len(scores)) if reverse else nothing
    parts = scores * MAX_NODE_SCORE // greatest
    return MAX_NODE_SCORE - parts if reverse else parts
