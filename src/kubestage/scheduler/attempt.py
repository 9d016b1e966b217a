"""What one attempt at one pod found out."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.scheduler.quick.attempt import QuickAttempt

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.diagnosis import Diagnosis
    from kubestage.scheduler.framework import PostFilterResult
    from kubestage.scheduler.runtime import PluginScores, PreFilterResult, Profile
    from kubestage.scheduler.status import Status
    from kubestage.scheduler.verdicts import Verdicts


_NO_ROWS: Final[Ints] = np.empty(0, np.int64)


@dataclasses.dataclass(slots=True)
class Attempt:
    """The results of one attempt as arrays; records and explanations are made from them."""

    pod: PodView
    profile: Profile
    columns: Columns
    state: CycleState
    diagnosis: Diagnosis
    pre_filter: PreFilterResult | None = None
    evaluated: Ints = dataclasses.field(default_factory=lambda: _NO_ROWS)
    verdicts: Verdicts | None = None
    feasible: Ints = dataclasses.field(default_factory=lambda: _NO_ROWS)
    pre_score: dict[str, Status] = dataclasses.field(default_factory=dict)
    scores: list[PluginScores] = dataclasses.field(default_factory=list)
    totals: Ints | None = None
    selected: int | None = None
    post_filter: tuple[PostFilterResult | None, Status] | None = None
    failure: str = ""
    is_error: bool = False
    is_brief: bool = False
    """Whether it need not say which plugin rejected which node if the pod gets one."""
    rejected_count: int | None = None
    """How many nodes were rejected, if that is all that is known of them."""

    @property
    def node_name(self) -> str | None:
        """The chosen node, or None."""
        return None if self.selected is None else self.columns.names[self.selected]

    @property
    def feasible_count(self) -> int:
        """How many nodes the pod fits on, of those that were evaluated."""
        return len(self.feasible)

    @property
    def evaluated_count(self) -> int:
        """How many nodes were evaluated, as the real scheduler counts them."""
        if self.rejected_count is not None:
            return len(self.feasible) + self.rejected_count
        return len(self.feasible) + self.diagnosis.explicit_count


AnyAttempt = Attempt | QuickAttempt
"""An attempt with all its details, or a quick one with its node only."""
