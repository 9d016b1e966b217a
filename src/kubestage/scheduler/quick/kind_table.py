"""The kinds of pods that quick attempts know: each a plan with its terms and constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kubestage.scheduler.plugins import pod_topology_spread, spread_scoring
from kubestage.scheduler.plugins.inter_pod_affinity import InterPodAffinity, Outlook
from kubestage.scheduler.plugins.pod_topology_spread import PodTopologySpread
from kubestage.scheduler.quick.items import Items
from kubestage.scheduler.quick.layout import BOUNDS, COUNTS, FIELDS, TRAITS, KindArrays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.plugins.spread_constraints import Spread
    from kubestage.scheduler.pod_counters import PodCounters, PodKind
    from kubestage.scheduler.quick.layout import Slots
    from kubestage.scheduler.quick.plan import QuickPlan
    from kubestage.scheduler.resource_table import Table
    from kubestage.scheduler.runtime import Profile


_NOTHING: Final = Outlook([], [], [])


class Kind(NamedTuple):
    """A kind of pod, by one of them."""

    profile: Profile
    pod: PodView
    plan: QuickPlan
    hard: tuple[Spread, ...]
    soft: tuple[Spread, ...]

    @property
    def is_solitary(self) -> bool:
        """Whether its pods depend on no others, and a node's score on no other node."""
        return self.plan.is_plain and not (self.hard or self.soft) and not self.pod.has_affinity

    @property
    def is_filtered_alone(self) -> bool:
        """Whether other pods matter to filters only by the room that they take."""
        return self.plan.is_plain and not self.hard and not self.pod.has_affinity

    def plugin(self, point: str, plugin_type: type) -> Any:
        """The plugin of a type at an extension point, or None."""
        plugins = getattr(self.profile, point)
        return next((each for each in plugins if type(each) is plugin_type), None)


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
        self._written: Written | None = None

    def __len__(self) -> int:
        return len(self.all)

    def add(self, kind: Kind) -> int:
        """Take up another kind."""
        self._compiled = None
        self.all.append(kind)
        return len(self.all) - 1

    def pod_kind(self, number: int) -> PodKind | None:
        """The kind as which pods are counted by their labels, if that is done."""
        assert self._written is not None, "what is forecast was compiled"
        found = self._written.pod_kinds[number]
        if found is not None and found.is_dropped:
            found = self._columns.counters.kind_of(self.all[number].pod)
            self._written.take(number, found)
        return found

    def compiled(self, namespaces: int) -> Compiled:
        """All kinds as arrays, up to date, with namespaces as of a version."""
        found = self._compiled
        if found is None or found.version != self._version(namespaces):
            found = self._compiled = self._compile(namespaces)
        return found

    def _version(self, namespaces: int) -> tuple[Any, ...]:
        columns = self._columns
        counters_version = columns.counters.version if columns.has_counters else -1
        return columns.cells, counters_version, columns.stated_terms.version, namespaces

    def _compile(self, namespaces: int) -> Compiled:
        written, kinds = self._written, self.all
        more = None if written is None else written.more(kinds, namespaces)
        if written is None or more is None or not written.add(more, namespaces):
            written = self._written = Written(self._columns)
            written.add(kinds, namespaces)
        return written.compiled(self._version(namespaces))


class Written:
    """Kinds as they are written down.

    NOTE: with thousands of owners there are as many kinds: those that come are added to those that
    are there, where writing all of them again for each took a third of the time of a run with 3,000
    small Deployments (benchmarks/scheduler.py).
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._items = Items(columns)
        self._kinds: list[Kind] = []
        self._counted: list[int] = []
        self._numbers: dict[PodKind, list[int]] = {}
        self._basis: Any = None
        self._has_affinity = False
        self._traits = np.zeros((0, TRAITS), np.int64)
        self._bounds = np.zeros((0, BOUNDS), np.int64)
        self._table = np.zeros((0, FIELDS), np.int64)
        self.pod_kinds: list[PodKind | None] = []
        # Whose counters these are, and the first kind that was not counted by them.
        self._counters: PodCounters | None = None
        self._uncounted = 0

    def more(self, kinds: list[Kind], namespaces: int) -> list[Kind] | None:
        """The kinds that are yet to be written; None if what is written is out of date."""
        if self._has_affinity or self._basis != self._based_on(namespaces):
            return None
        return kinds[len(self._kinds) :]

    def add(self, kinds: list[Kind], namespaces: int) -> bool:
        """Write more kinds down; whether what was written before still stands."""
        columns, items = self._columns, self._items
        for kind in kinds:
            if kind.pod.has_affinity:
                self._has_affinity = True
                columns.stated_terms.expect(kind.pod)
        # Counters are complete when all kinds have been written.
        places = [[*_write(items, kind, columns), 0, 0] for kind in kinds]
        self._bounds = _joined(self._bounds, places)
        self._traits = _joined(self._traits, [_traits(kind) for kind in kinds])
        self._kinds += kinds
        self._counted += [-1] * len(kinds)
        self.pod_kinds += [None] * len(kinds)
        self._count()
        self._table = _joined(self._table, items.all[len(self._table) :])
        before, self._basis = self._basis, self._based_on(namespaces)
        return before is None or before == self._basis

    def _based_on(self, namespaces: int) -> tuple[Any, ...]:
        columns = self._columns
        return columns.cells, columns.has_counters, columns.stated_terms.version, namespaces

    def _count(self) -> None:
        """Write down by which counters kinds are counted, of those that have more than before."""
        columns, items, pod_kinds = self._columns, self._items, self.pod_kinds
        for number in self._to_count():
            before, known = pod_kinds[number], self._counted[number]
            if before is not None and len(before.counters) == known and not before.is_dropped:
                continue
            kind, counted = self._kinds[number], before
            if columns.has_counters and (counted is None or counted.is_dropped):
                counted = columns.counters.kind_of(kind.pod)
                self.take(number, counted)
            size = 0 if counted is None else len(counted.counters)
            if size == known:
                continue
            self._counted[number] = size
            first = len(items.all)
            if counted is not None:
                items.point_at(counted.counters)
            if kind.pod.has_affinity:
                items.point_at(each.counter for each in columns.stated_terms.expect(kind.pod))
            self._bounds[number, COUNTS:] = first, len(items.all)

    def take(self, number: int, pod_kind: PodKind) -> None:
        """A kind is counted as this kind of pods from now on."""
        before, self.pod_kinds[number] = self.pod_kinds[number], pod_kind
        if before is not None:
            numbers = self._numbers[before]
            numbers.remove(number)
            if not numbers:
                del self._numbers[before]
        self._numbers.setdefault(pod_kind, []).append(number)

    def _to_count(self) -> Sequence[int]:
        """The numbers, in order, of all kinds that may have more counters than before.

        NOTE: there are up to a thousand kinds, and all of them were gone through for each new one:
        a sixtieth of a load with 5,000 nodes (benchmarks/load.py).
        """
        columns, everything = self._columns, range(len(self._kinds))
        if not columns.has_counters:
            return everything
        counters = columns.counters
        touched, counters.touched = counters.touched, {}
        if touched is None or counters is not self._counters:
            self._counters, self._uncounted = counters, len(everything)
            return everything
        first, self._uncounted = self._uncounted, len(everything)
        again = {number for kind in touched for number in self._numbers.get(kind, ())}
        again.update(range(first, len(everything)))
        return sorted(again)

    def compiled(self, version: Any) -> Compiled:
        """All kinds as arrays."""
        items = self._items
        return Compiled(
            KindArrays(
                self._traits,
                self._bounds.copy(),
                self._table,
                items.extra,
                spread_scoring.topology_weights(max(len(self._columns), items.most_values) + 2),
            ),
            items.slots,
            items.sums,
            items.most_values,
            version,
        )


def _joined(table: Table, rows: Sequence[Sequence[int]]) -> Table:
    more: Table = np.array(rows, np.int64).reshape(-1, table.shape[1])
    return np.concatenate((table, more))


def _write(items: Items, kind: Kind, columns: Columns) -> list[int]:
    """Write the terms and constraints; returns where each list begins, and the end of the last."""
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
