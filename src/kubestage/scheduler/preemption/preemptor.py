"""The pod that needs room, with what its attempt has found out so far."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.objects.views import budget as budget_views

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.objects.views.budget import BudgetView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Lister
    from kubestage.scheduler.nominator import Nominator
    from kubestage.scheduler.runtime import Profile


class Preemptor(msgspec.Struct, frozen=True, dict=True, eq=False):
    """A pod that preempts, and what decides which pods it may evict."""

    pod: PodView
    profile: Profile
    state: CycleState
    nominator: Nominator
    lister: Lister

    @functools.cached_property
    def stored_budgets(self) -> Sequence[dict[str, Any]]:
        """All disruption budgets, read when first needed."""
        return tuple(self.lister.list("policy/v1", "PodDisruptionBudget"))

    @functools.cached_property
    def budgets(self) -> Sequence[BudgetView]:
        """The budgets, parsed."""
        return [budget_views.of(each) for each in self.stored_budgets]

    def lower_priority(self, pods: Iterable[PodView]) -> list[PodView]:
        """The pods of lower priority among some pods."""
        priority = self.pod.priority
        return [other for other in pods if other.priority < priority]

    def yields_to(self, node_name: str) -> tuple[PodView, ...]:
        """The pods nominated to a node that go before the preemptor."""
        return self.nominator.yielded_to(self.pod, node_name)

    @property
    def tracks_pods(self) -> bool:
        """Whether an active plugin follows pods as they are put on nodes and taken off."""
        skipped = self.state.skip_filter
        return any(plugin.name not in skipped for plugin in self.profile.tracking)
