"""The plans of all templates on one set of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.views.plan import PodPlan
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.quick.plan import Plan
    from kubestage.scheduler.runtime import Profile

# Plans are kept up to so many numbers in all, so fewer of them in a larger cluster.
_MAX_NUMBERS: Final = 1 << 23
_MIN_PLANS: Final = 1 << 6

_Key = tuple[str, "PodPlan"]


class Plans:
    """The plans of one set of columns, by profile and template.

    A template is learnt when it comes up for the second time: many never do.
    """

    __slots__ = ("_known", "_limit", "_seen")

    def __init__(self, nodes: int) -> None:
        self._known: dict[_Key, Plan | None] = {}
        self._seen: set[_Key] = set()
        self._limit = max(_MAX_NUMBERS // max(nodes, 1), _MIN_PLANS)

    def get(self, profile: Profile, pod: PodView) -> Plan | None:
        """The plan for a pod, if there is one that holds for it."""
        return self._known.get((profile.name, pod.plan))

    def learn(self, profile: Profile, pod: PodView, make: Callable[[], Plan | None]) -> None:
        """An ordinary attempt has found a node for a pod: have a plan made if it is time for it."""
        key = profile.name, pod.plan
        if key in self._known:
            return
        if key not in self._seen:
            if len(self._seen) >= self._limit:
                self._seen.clear()
            self._seen.add(key)
            return
        if len(self._known) >= self._limit:
            self._known.clear()
        self._known[key] = make()
