"""Which of the candidates does the least harm."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.scheduler.preemption.candidate import Candidate


def best(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that no rule can tell apart, in the given order; the first is taken."""
    if len(candidates) <= 1:
        return list(candidates)
    harms = [candidate.harm for candidate in candidates]
    least = min(harms)
    return [each for each, harm in zip(candidates, harms, strict=True) if harm == least]
