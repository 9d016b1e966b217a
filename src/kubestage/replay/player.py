"""Plays one scenario, in as many ways as recordings leave open."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.replay.performance import ReplayChoices, perform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.replay.comparison import Difference
    from kubestage.replay.performance import Performance
    from kubestage.replay.scenario import RecordedScenario

SEEDS: Final = range(8)


@dataclasses.dataclass(frozen=True, slots=True)
class ReplayResult:
    """How a scenario went. `differences` count; those of the trace show only how it came about."""

    scenario: RecordedScenario
    differences: list[Difference]
    trace_differences: list[Difference]

    @property
    def is_same(self) -> bool:
        """Whether every state and every Event is the recorded one."""
        return not self.differences


def play(scenario: RecordedScenario, seeds: Sequence[int] = SEEDS) -> ReplayResult:
    """Play a scenario from its beginning to its end.

    A recording shows one of several outcomes where upstream has random results (pods of
    the same rank are ordered by their uids), and does not state when exactly it was taken. So a
    scenario is as recorded if it is so with any seed, at a moment at which it may have been taken.
    """
    performance = _matching(scenario, seeds)
    if performance is None:
        performance = _nearest(scenario, seeds[0])
    return ReplayResult(scenario, performance.differences, performance.trace_differences)


def _matching(scenario: RecordedScenario, seeds: Sequence[int]) -> Performance | None:
    for seed in seeds:
        performance = perform(scenario, ReplayChoices(seed))
        if performance.stuck_at is None:
            return performance
        for number in reversed(range(performance.stuck_at)):
            again = perform(scenario, ReplayChoices(seed, passed_over=number))
            if again.stuck_at is None:
                return again
    return None


def _nearest(scenario: RecordedScenario, seed: int) -> Performance:
    """What to show if nothing matches: every step that does not, each by itself."""
    skipped: frozenset[int] = frozenset()
    while True:
        performance = perform(scenario, ReplayChoices(seed, skipped=skipped))
        if performance.stuck_at is None:
            return performance
        skipped |= {performance.stuck_at}
