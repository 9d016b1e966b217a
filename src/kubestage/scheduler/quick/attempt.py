"""A quick attempt: found by the cached scores of a pod's template."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.runtime import Profile


class QuickAttempt:
    """An attempt that has found a node, and of which no more is known than that."""

    __slots__ = (
        "columns",
        "evaluated_count",
        "feasible_count",
        "pod",
        "profile",
        "selected",
        "state",
    )

    def __init__(
        self,
        pod: PodView,
        profile: Profile,
        columns: Columns,
        state: CycleState,
        found: tuple[int, int, int],
    ) -> None:
        self.pod = pod
        self.profile = profile
        self.columns = columns
        self.state = state
        self.selected, self.evaluated_count, self.feasible_count = found

    @property
    def node_name(self) -> str:
        """The chosen node."""
        return self.columns.names[self.selected]
