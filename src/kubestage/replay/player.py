"""Plays one scenario, in as many ways as recordings leave open."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.replay.performance import Choices, perform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.replay.comparison import Difference
    from kubestage.replay.performance import Performance
    from kubestage.replay.scenario import Scenario

SEEDS: Final = range(8)


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """How a scenario went. `differences` count; those of the trace tell only how it came about."""

    scenario: Scenario
    differences: list[Difference]
    trace_differences: list[Difference]

    @property
    def is_same(self) -> bool:
        """Whether every state and every Event is the recorded one."""
        return not self.differences


def play(scenario: Scenario, seeds: Sequence[int] = SEEDS) -> Result:
    """Play a scenario from its beginning to its end.

    A recording shows one of several outcomes where upstream leaves something to chance (pods of
    the same rank are told apart by their uids), and does not say when exactly it looked. So a
    scenario is as recorded if it is with any seed, looked at when it may have been.
    """
    performance = _matching(scenario, seeds)
    if performance is None:
        performance = _nearest(scenario, seeds[0])
    return Result(scenario, performance.differences, performance.trace_differences)


def _matching(scenario: Scenario, seeds: Sequence[int]) -> Performance | None:
    for seed in seeds:
        performance = perform(scenario, Choices(seed))
        if performance.stuck_at is None:
            return performance
        for number in reversed(range(performance.stuck_at)):
            again = perform(scenario, Choices(seed, passed_over=number))
            if again.stuck_at is None:
                return again
    return None


def _nearest(scenario: Scenario, seed: int) -> Performance:
    """What to show if nothing matches: every step that does not, each by itself."""
    given_up: frozenset[int] = frozenset()
    while True:
        performance = perform(scenario, Choices(seed, given_up=given_up))
        if performance.stuck_at is None:
            return performance
        given_up |= {performance.stuck_at}
