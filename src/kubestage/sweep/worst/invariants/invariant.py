"""What an invariant is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from typing import Self

    from kubestage.stage import Stage
    from kubestage.sweep.worst.runner import CaseRun


class Verdict(msgspec.Struct, frozen=True):
    """Whether an invariant held in a run: above 0 it is broken, the more the clearer."""

    score: float
    sentence: str = ""
    """What happened, if it is broken."""
    pods: tuple[str, ...] = ()
    """The pods that it happened to, as namespace/name."""

    @property
    def is_broken(self) -> bool:
        """Whether the invariant was broken."""
        return self.score > 0


class Observation(Protocol):
    """What an invariant has seen of one run."""

    def verdict(self, run: CaseRun) -> Verdict:
        """The verdict at the end of the run."""


class Invariant(Protocol):
    """Something that should hold in every run."""

    @classmethod
    def read(cls, parameters: dict[str, str]) -> Self:
        """The invariant with these parameters; InputError if it has no such parameter."""

    def observe(self, stage: Stage) -> Observation:
        """Watch a stage on which nothing has happened yet."""
