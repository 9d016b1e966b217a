"""The plugins that depend on other pods, and on which of them.

Inter-pod affinity and topology spread depend on pods on other nodes, too, so that a dry run must
report to them every pod that is taken off or put back. But only pods that a term matches count,
and most pods of lower priority are none of these: then their verdict on a node stays the same, and
amounts decide which pods have to go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.scheduler.plugins import incoming_terms
from kubestage.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from kubestage.scheduler.plugins.pod_topology_spread import PodTopologySpread
from kubestage.scheduler.preemption import by_amounts
from kubestage.scheduler.verdicts import Verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.objects.views.plan import PodPlan
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.plugins import inter_pod_affinity, pod_topology_spread
    from kubestage.scheduler.runtime import Profile

_KNOWN: Final = (InterPodAffinity, PodTopologySpread)
_NO_LABELS: Final[dict[str, str]] = {}


class Kind(NamedTuple):
    """What such plugins know of a pod."""

    namespace: str
    labels: frozenset[tuple[str, str]]
    plan: PodPlan


def kind_of(pod: PodView) -> Kind:
    """The kind that a pod is of."""
    return Kind(pod.namespace, frozenset(pod.labels.items()), pod.plan)


class PodAwarePlugins:
    """All that are active in one attempt, by their places among the filters."""

    __slots__ = ("_moved", "_plugins", "_pod", "_state")

    def __init__(self, state: CycleState, pod: PodView, plugins: dict[int, Any]) -> None:
        self._state = state
        self._pod = pod
        self._plugins = plugins
        self._moved: dict[Kind, bool] = {}

    @property
    def are_absent(self) -> bool:
        """Whether there is no such plugin."""
        return not self._plugins

    @property
    def first(self) -> int:
        """The place of the first of them; filters before it do not depend on pods."""
        return min(self._plugins, default=0)

    def are_moved(self, kinds: Iterable[Kind]) -> bool:
        """Whether any of them depends on pods of some kinds."""
        moved = self._moved
        for kind in kinds:
            found = moved.get(kind)
            if found is None:
                found = moved[kind] = self._is_moved(kind)
            if found:
                return True
        return False

    def verdicts(self, columns: Columns, rows: Ints, nominated: Sequence[PodView] = ()) -> Verdicts:
        """Which of them reject which rows, also with the pods that are nominated to the one row."""
        found, state = Verdicts(len(rows)), self._state
        if nominated:
            state = state.clone()
            for plugin in self._plugins.values():
                for other in nominated:
                    plugin.add_pod(state, self._pod, other, columns, int(rows[0]))
        for place, plugin in self._plugins.items():
            codes = plugin.filter(state, self._pod, columns, rows)
            if codes is not None and codes.any():
                found.reject(place, codes)
        return found

    def _is_moved(self, kind: Kind) -> bool:
        labels = dict(kind.labels)
        for plugin in self._plugins.values():
            seen = self._state[plugin.name]
            if type(plugin) is InterPodAffinity:
                if _affinity_is_moved(seen, self._pod, kind, labels):
                    return True
            elif _spread_is_moved(seen, self._pod, kind, labels):
                return True
        return False


def active_in(profile: Profile, state: CycleState, pod: PodView) -> PodAwarePlugins | None:
    """The plugins of an attempt that depend on pods; None unless all of them are known.

    They must also come last: the verdict on a node is that of the first to reject it.
    """
    skipped = state.skip_filter
    plugins: dict[int, Any] = {}
    for place, plugin in enumerate(profile.filter):
        if plugin.name in skipped:
            continue
        if type(plugin) in _KNOWN:
            plugins[place] = plugin
        elif plugins or not by_amounts.reads_no_pods(plugin):
            return None
    if all(type(plugin) in _KNOWN for plugin in profile.tracking if plugin.name not in skipped):
        return PodAwarePlugins(state, pod, plugins)
    return None


def _affinity_is_moved(
    seen: inter_pod_affinity.FilterState, pod: PodView, kind: Kind, labels: dict[str, str]
) -> bool:
    terms, namespace = seen.terms, kind.namespace
    if incoming_terms.matches_all(terms.required, namespace, labels) or any(
        term.matches(namespace, labels, _NO_LABELS) for term in terms.required_anti
    ):
        return True
    return kind.plan.has_required_anti_affinity and any(
        term.matches(pod.namespace, pod.labels, seen.namespace_labels)
        for term in kind.plan.affinity.required_anti
    )


def _spread_is_moved(
    seen: pod_topology_spread.FilterState, pod: PodView, kind: Kind, labels: dict[str, str]
) -> bool:
    return kind.namespace == pod.namespace and any(
        spread.selector.matches(labels) for spread in seen.spreads
    )
