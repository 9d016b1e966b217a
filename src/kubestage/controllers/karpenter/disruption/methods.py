"""What all methods of disruption can be called with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.disruption.command import Command


class Method(Protocol):
    """One reason to disrupt nodes, and how it chooses them.

    `is_eventual` says that a termination grace period overrides what blocks; `is_validated` that
    commands are looked at again after a while, before they count.
    """

    reason: str
    consolidation_type: str
    is_eventual: bool
    is_validated: bool

    def should_disrupt(self, candidate: Candidate) -> bool:
        """Whether a candidate is one for this method."""

    def propose(self, budgets: dict[str, int], candidates: Sequence[Candidate]) -> list[Command]:
        """The commands for now; `budgets` says how many nodes of each NodePool may go."""

    def confirm(self, command: Command) -> Command | None:
        """A command as it is after the validation; None if it does not hold any more."""
