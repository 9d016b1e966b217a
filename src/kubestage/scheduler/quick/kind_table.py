"""The kinds of pods that quick attempts know: a plan each, and what is said of other pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kubestage.scheduler.plugins import pod_topology_spread, spread_scoring
from kubestage.scheduler.plugins.inter_pod_affinity import InterPodAffinity, Outlook
from kubestage.scheduler.plugins.pod_topology_spread import PodTopologySpread
from kubestage.scheduler.quick.items import Items
from kubestage.scheduler.quick.layout import BOUNDS, TRAITS, KindArrays

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.plugins.spread_constraints import Spread
    from kubestage.scheduler.pod_tallies import PodKind
    from kubestage.scheduler.quick.layout import Slots
    from kubestage.scheduler.quick.plan import Plan
    from kubestage.scheduler.runtime import Profile


_NOTHING: Final = Outlook([], [], [])


class Kind(NamedTuple):
    """A kind of pod, by one of them."""

    profile: Profile
    pod: PodView
    plan: Plan
    hard: tuple[Spread, ...]
    soft: tuple[Spread, ...]

    @property
    def is_solitary(self) -> bool:
        """Whether its pods care for no others, and a node's score says all."""
        return self.plan.is_plain and not (self.hard or self.soft) and not self.pod.has_affinity

    def plugin(self, point: str, wanted: type) -> Any:
        """The plugin of a type at an extension point, or None."""
        plugins = getattr(self.profile, point)
        return next((each for each in plugins if type(each) is wanted), None)


class Compiled(NamedTuple):
    """All kinds as arrays, how much room attempts at them need, and of when they are."""

    arrays: KindArrays
    slots: Slots
    sums: int
    most_values: int
    version: Any


class KindTable:
    """The kinds of one set of columns, by number; `all` is for reading."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self.all: list[Kind] = []
        self._compiled: Compiled | None = None
        self._pod_kinds: list[PodKind | None] = []

    def __len__(self) -> int:
        return len(self.all)

    def add(self, kind: Kind) -> int:
        """Take up another kind."""
        self._compiled = None
        self.all.append(kind)
        return len(self.all) - 1

    def pod_kind(self, number: int) -> PodKind | None:
        """The kind as which pods are counted by their labels, if that is done."""
        found = self._pod_kinds[number]
        if found is not None and found.is_dropped:
            pod = self.all[number].pod
            found = self._pod_kinds[number] = self._columns.tallies.kind_of(pod)
        return found

    def compiled(self, namespaces: int) -> Compiled:
        """All kinds as arrays, up to date, with namespaces as of a version."""
        found = self._compiled
        if found is None or found.version != self._version(namespaces):
            found = self._compiled = self._compile(namespaces)
        return found

    def _version(self, namespaces: int) -> tuple[Any, ...]:
        columns = self._columns
        asked = columns.tallies.version if columns.has_tallies else -1
        return columns.cells, asked, columns.stated_terms.version, namespaces

    def _compile(self, namespaces: int) -> Compiled:
        kinds, columns = self.all, self._columns
        for kind in kinds:
            if kind.pod.has_affinity:
                columns.stated_terms.expect(kind.pod)
        # Who is counted where is known when all have asked.
        items = Items(columns)
        places = [_write(items, kind, columns) for kind in kinds]
        self._pod_kinds = [
            columns.tallies.kind_of(kind.pod) if columns.has_tallies else None for kind in kinds
        ]
        for kind, counted, bounds in zip(kinds, self._pod_kinds, places, strict=True):
            bounds.append(len(items.all))
            if counted is not None:
                items.point_at(counted.tallies)
            if kind.pod.has_affinity:
                items.point_at(each.tally for each in columns.stated_terms.expect(kind.pod))
            bounds.append(len(items.all))
        return Compiled(
            KindArrays(
                np.array([_traits(kind) for kind in kinds], np.int64).reshape(-1, TRAITS),
                np.array(places, np.int64).reshape(-1, BOUNDS),
                items.table,
                items.extra,
                spread_scoring.topology_weights(max(len(columns), items.most_values) + 2),
            ),
            items.slots,
            items.sums,
            items.most_values,
            self._version(namespaces),
        )


def _write(items: Items, kind: Kind, columns: Columns) -> list[int]:
    """Write down what is said of other pods; where each list begins, and the end of the last."""
    bounds = [len(items.all)]
    pod = kind.pod
    spread = kind.plugin("filter", PodTopologySpread)
    if spread is not None and kind.hard:
        domains = pod_topology_spread.domains_of(columns, kind.hard, pod, require_all=True)
        for each, among in zip(kind.hard, domains, strict=True):
            items.limit(each, among, each.selector.matches(pod.labels))
    bounds.append(len(items.all))
    filtering, scoring = _outlook(kind, "filter", columns), _outlook(kind, "score", columns)
    items.point_at(filtering.near)
    bounds.append(len(items.all))
    items.point_at(filtering.away)
    bounds.append(len(items.all))
    spread = kind.plugin("score", PodTopologySpread)
    if spread is not None and kind.soft:
        is_strict = spread.requires_all(pod)
        domains = pod_topology_spread.domains_of(columns, kind.soft, pod, is_strict)
        for each, among in zip(kind.soft, domains, strict=True):
            if is_strict or columns.label(each.topology_key).values:
                items.prefer(each, among)
    bounds.append(len(items.all))
    items.weigh(scoring.likes)
    bounds.append(len(items.all))
    return bounds


def _outlook(kind: Kind, point: str, columns: Columns) -> Outlook:
    """What a pod looks for and is looked for at an extension point."""
    plugin, pod = kind.plugin(point, InterPodAffinity), kind.pod
    if plugin is None:
        return _NOTHING
    own = plugin.outlook(pod, columns) if pod.has_affinity else _NOTHING
    if columns.stated_terms.is_empty:
        return own
    others = plugin.reception(pod, columns)
    return Outlook(own.near, own.away + others.away, own.likes + others.likes)


def _traits(kind: Kind) -> tuple[int, int, int, int, int]:
    near = kind.plugin("filter", InterPodAffinity)
    affinity, spread = (
        kind.plugin("score", each) for each in (InterPodAffinity, PodTopologySpread)
    )
    weights = kind.profile.weights
    return (
        kind.plan.number,
        near is not None and kind.pod.has_affinity and near.finds_itself(kind.pod),
        spread is not None and spread.requires_all(kind.pod),
        0 if affinity is None else weights.get(affinity.name, 1),
        0 if spread is None else weights.get(spread.name, 1),
    )
