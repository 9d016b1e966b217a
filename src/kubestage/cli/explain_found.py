"""A pod of a run, as it was found in what is known of the run."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.results.analysis import PodState
    from kubestage.results.comparison import Tried


@dataclasses.dataclass(frozen=True, slots=True)
class Subject:
    """A pod, the attempts at it in order, and the pods that had to go for it."""

    pod: PodState
    attempts: list[Tried]
    victims: list[PodState]


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """All pods that have had the name, and the nodes there were in each step."""

    key: str
    subjects: list[Subject]
    nodes: dict[int, set[str]]

    def nodes_at(self, step: int) -> set[str]:
        """The nodes that there were in a step."""
        before = [each for each in self.nodes if each <= step]
        return self.nodes[max(before)] if before else set()
