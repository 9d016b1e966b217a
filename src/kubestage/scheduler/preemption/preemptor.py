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
    """Whom it may push out, and before whom it has to step back."""

    pod: PodView
    profile: Profile
    state: CycleState
    nominator: Nominator
    lister: Lister

    @functools.cached_property
    def stored_budgets(self) -> Sequence[dict[str, Any]]:
        """All disruption budgets, read when there is somebody whom they may protect."""
        return tuple(self.lister.list("policy/v1", "PodDisruptionBudget"))

    @functools.cached_property
    def budgets(self) -> Sequence[BudgetView]:
        """What they say."""
        return [budget_views.of(each) for each in self.stored_budgets]

    def weaker(self, pods: Iterable[PodView]) -> list[PodView]:
        """Those of some pods that may have to go."""
        priority = self.pod.priority
        return [other for other in pods if other.priority < priority]

    def yields_to(self, node_name: str) -> tuple[PodView, ...]:
        """The pods that were promised a place on a node and keep it."""
        return self.nominator.yielded_to(self.pod, node_name)

    @property
    def tracks_pods(self) -> bool:
        """Whether a plugin that has a say follows pods as they are tried on and off."""
        skipped = self.state.skip_filter
        return any(plugin.name not in skipped for plugin in self.profile.tracking)
