"""A pod of a run with the attempts to schedule it, and attempts in groups of one outcome."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.results.analysis import PodState
    from kubestage.results.comparison import Tried

# Of a pod with many outcomes, the first and the last are shown in full.
_FIRST: Final = 2
_LAST: Final = 3


@dataclasses.dataclass(frozen=True, slots=True)
class PodAttempts:
    """A pod, the attempts to schedule it in order, and the pods that were preempted for it."""

    pod: PodState
    attempts: list[Tried]
    victims: list[PodState]


@dataclasses.dataclass(frozen=True, slots=True)
class FoundPod:
    """All pods that have had the name, and the nodes there were in each step."""

    key: str
    pods: list[PodAttempts]
    nodes: dict[int, set[str]]

    def nodes_at(self, step: int) -> set[str]:
        """The nodes that there were in a step."""
        before = [each for each in self.nodes if each <= step]
        return self.nodes[max(before)] if before else set()


@dataclasses.dataclass(frozen=True, slots=True)
class AttemptGroup:
    """Attempts that follow one another with the same outcome: one of them is shown.

    `place` is the place of the first among all attempts at the pod, from 1.
    """

    place: int
    attempts: list[Tried]
    in_full: bool = True

    @property
    def first(self) -> Tried:
        """The one that is shown."""
        return self.attempts[0]


def group(attempts: Iterable[Tried], place: int = 1) -> list[AttemptGroup]:
    """Attempts by outcome; of many groups, those in the middle are not shown in full."""
    found: list[AttemptGroup] = []
    for attempt in attempts:
        if found and found[-1].first.outcome == attempt.outcome:
            found[-1].attempts.append(attempt)
        else:
            found.append(AttemptGroup(place, [attempt]))
        place += 1
    if len(found) <= _FIRST + _LAST + 1:
        return found
    return [
        dataclasses.replace(each, in_full=at < _FIRST or at >= len(found) - _LAST)
        for at, each in enumerate(found)
    ]
