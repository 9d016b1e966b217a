"""A node on which room can be made, and at what price."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView


_LIFTED: Final = 1 << 31
"""Added to every priority of a sum, so that one more victim always weighs more."""

_NOT_YET: Final = 1 << 63
"""The start time of a pod that has not started: later than any other."""


@dataclasses.dataclass(frozen=True, slots=True)
class Candidate:
    """A node, and the pods that would have to leave it.

    `harm` is what that is weighed by, the gravest first: broken budgets, the highest priority
    among the victims, the sum of their priorities, how many they are, and how early the most
    important of them started.
    """

    node_name: str
    victims: tuple[PodView, ...]
    pdb_violations: int
    harm: tuple[int, ...] = dataclasses.field(init=False, compare=False)

    def __post_init__(self) -> None:
        # NOTE: worked out once: candidates are kept, and weighed again for every pod.
        object.__setattr__(self, "harm", (self.pdb_violations, *_weight(self.victims)))


def _weight(victims: Sequence[PodView]) -> tuple[int, ...]:
    if not victims:
        return ()
    priorities = [victim.priority for victim in victims]
    highest = max(priorities)
    starts = [victim.start_ns for victim in victims if victim.priority == highest]
    earliest = min([_NOT_YET if start is None else start for start in starts])
    lifted = sum(priorities) + _LIFTED * len(priorities)
    return priorities[0], lifted, len(priorities), -earliest


def best(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that are equal by all rules, in their order; the first is taken."""
    if len(candidates) <= 1:
        return list(candidates)
    harms = [candidate.harm for candidate in candidates]
    least = min(harms)
    return [each for each, harm in zip(candidates, harms, strict=True) if harm == least]
