"""What disruption budgets still allow, as the autoscaler plans with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.views import budget as budget_views

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.budget import BudgetView
    from kubestage.objects.views.pod import PodView


class Budgets:
    """The budgets, and how many disruptions each has left after what is planned."""

    def __init__(self, objects: Iterable[Json]) -> None:
        self._views = [budget_views.of(each) for each in objects]
        self._left = [view.disruptions_allowed for view in self._views]

    def is_covered(self, pod: PodView) -> bool:
        """Whether any budget is about a pod."""
        return any(_covers(view, pod) for view in self._views)

    def is_spent(self, pod: PodView) -> bool:
        """Whether a budget leaves no room for a pod to go."""
        return any(
            left < 1 and _covers(view, pod)
            for view, left in zip(self._views, self._left, strict=True)
        )

    def allow_at_once(self, pods: Sequence[PodView]) -> bool:
        """Whether all of the pods may go at the same time."""
        return all(
            sum(_covers(view, pod) for pod in pods) <= max(left, 0)
            for view, left in zip(self._views, self._left, strict=True)
        )

    def spend(self, pods: Sequence[PodView]) -> None:
        """Count pods that are being evicted."""
        for number, view in enumerate(self._views):
            self._left[number] -= sum(_covers(view, pod) for pod in pods)


def _covers(view: BudgetView, pod: PodView) -> bool:
    return view.namespace == pod.namespace and view.selector.matches(pod.labels)
