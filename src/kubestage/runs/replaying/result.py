"""What a replay has found."""

from __future__ import annotations

import msgspec

from kubestage.results.agreement import (  # noqa: TC001 - msgspec reads it
    Agreement,
    Decisions,
    ReplayAgreement,
)
from kubestage.runs.run_result import LivingResult  # noqa: TC001 - msgspec reads it
from kubestage.wording import plural


class ReplayResult(msgspec.Struct, frozen=True, kw_only=True):
    """A run, and how far it agrees with the recording."""

    run: LivingResult
    summary: ReplayAgreement
    """What is kept of it besides the run."""

    @property
    def agreement(self) -> Agreement:
        """How far this replay agrees with the recording."""
        return self.summary.agreement

    @property
    def baseline(self) -> Agreement | None:
        """How far a replay under the recorded settings agrees, if this one has others."""
        return self.summary.baseline

    @property
    def decisions(self) -> Decisions | None:
        """How far the scheduler's decisions agree, each on the recorded state just before it."""
        return self.summary.decisions

    @property
    def actions(self) -> int:
        """How much was done again."""
        return self.summary.actions

    @property
    def consequences(self) -> int:
        """How many recorded changes were left to controllers."""
        return self.summary.consequences

    @property
    def is_what_if(self) -> bool:
        """Whether settings are others than the recorded ones, so that it is not to agree."""
        return self.summary.is_what_if

    def headline(self) -> str:
        """How far it agrees."""
        share = self.agreement.same_node_share
        done = f"{plural(self.actions, 'action')} replayed"
        if share is None:
            placed = plural(self.agreement.replayed_placements, "pod")
            return f"{done}, {placed} placed; the recording has no placements to compare with"
        placed = plural(self.agreement.placements, "placement")
        return f"{done}; {share:.1%} of {placed} on the same node"
