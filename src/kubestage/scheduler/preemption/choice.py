"""Which of the candidates does the least harm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.scheduler.preemption.candidates import Candidate

_LIFTED: Final = 1 << 31
"""Added to every priority of a sum, so that one more victim always weighs more."""

_NOT_YET: Final = 1 << 63
"""The start time of a pod that has not started: later than any other."""


def best(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that no rule can tell apart, in the given order; the first is taken.

    In turn: fewest broken budgets, lowest of the highest priorities among the victims, lowest
    sum of their priorities, fewest victims, latest start of the most important ones.
    """
    if len(candidates) <= 1:
        return list(candidates)
    harms = [_harm(candidate) for candidate in candidates]
    least = min(harms)
    return [each for each, harm in zip(candidates, harms, strict=True) if harm == least]


def _harm(candidate: Candidate) -> tuple[int, int, int, int, int]:
    victims = candidate.victims
    return (
        candidate.pdb_violations,
        victims[0].priority,
        sum(victim.priority + _LIFTED for victim in victims),
        len(victims),
        -_earliest_start(candidate),
    )


def _earliest_start(candidate: Candidate) -> int:
    highest = max(victim.priority for victim in candidate.victims)
    starts = [victim.start_ns for victim in candidate.victims if victim.priority == highest]
    return min(_NOT_YET if start is None else start for start in starts)
