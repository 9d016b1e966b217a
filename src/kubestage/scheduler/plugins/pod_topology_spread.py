"""PodTopologySpread: pods of a kind are spread evenly over zones, nodes or any other topology."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kubestage.objects.affinity import DO_NOT_SCHEDULE, SCHEDULE_ANYWAY
from kubestage.objects.label_requirement import SelectorError
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.plugins import (
    spread_constraints,
    spread_domains,
    spread_hints,
    spread_scoring,
)
from kubestage.scheduler.status import SKIP, SUCCESS, Status, error, unresolvable, unschedulable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints, Rows
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle
    from kubestage.scheduler.plugins.spread_constraints import Spread
    from kubestage.scheduler.plugins.spread_domains import Domains

_REASON: Final = "node(s) didn't match pod topology spread constraints"
_STATUSES: Final = (
    SUCCESS,
    unresolvable(f"{_REASON} (missing required label)"),
    unschedulable(_REASON),
)
_MISSING, _TOO_MANY = 1, 2
_NO_DOMAIN: Final = (1 << 31) - 1
_KIND_OF: Final = {DO_NOT_SCHEDULE: "hard", SCHEDULE_ANYWAY: "soft"}


class FilterState(NamedTuple):
    """For each hard constraint the domains and how many pods like this one are in each.

    The totals may belong to the columns until the state is cloned: only clones are changed.
    """

    spreads: tuple[Spread, ...]
    domains: tuple[Domains, ...]
    totals: tuple[Codes, ...]

    def clone(self) -> FilterState:
        """A copy to try pods on and off."""
        return self._replace(totals=tuple(each.copy() for each in self.totals))

    def update(
        self, pod: PodView, changed: PodView, columns: Columns, row: int, change: int
    ) -> None:
        """Follow a pod that was put on a node or taken off it, terminating or not."""
        if changed.namespace != pod.namespace:
            return
        domains = [columns.label(each.topology_key).codes[row] for each in self.spreads]
        if min(domains) < 0:
            return
        view = columns.infos[row].view
        for spread, totals, domain in zip(self.spreads, self.totals, domains, strict=True):
            if spread.selector.matches(changed.labels) and spread_domains.counts_in(
                spread.constraint, pod.plan, view
            ):
                totals[domain] += change


class PodTopologySpread:
    """Rejects nodes where the skew would be too great; prefers domains with few pods alike."""

    name = "PodTopologySpread"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        self._is_system_defaulted = args["defaultingType"] == "System"
        stated = (
            spread_constraints.SYSTEM_DEFAULTS
            if self._is_system_defaulted
            else args.get("defaultConstraints")
        )
        self._defaults = {
            action: spread_constraints.of_action(stated, action) for action in _KIND_OF
        }
        self._lister = handle.lister
        self._services = spread_constraints.Services()
        self._score_key = f"{self.name}/score"

    def pre_filter(
        self, state: CycleState, pod: PodView, columns: Columns
    ) -> tuple[Status, frozenset[str] | None]:
        spreads = self.constraints_of(pod, DO_NOT_SCHEDULE)
        if isinstance(spreads, str):
            return error(f"get constraints from pod: {spreads}"), None
        if not spreads:
            return SKIP, None
        domains = domains_of(columns, spreads, pod, require_all=True)
        totals = tuple(
            each.totals(columns, spread) for spread, each in zip(spreads, domains, strict=True)
        )
        state[self.name] = FilterState(spreads, domains, totals)
        return SUCCESS, None

    def add_pod(
        self, state: CycleState, pod: PodView, added: PodView, columns: Columns, row: int
    ) -> None:
        state[self.name].update(pod, added, columns, row, 1)

    def remove_pod(
        self, state: CycleState, pod: PodView, removed: PodView, columns: Columns, row: int
    ) -> None:
        state[self.name].update(pod, removed, columns, row, -1)

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        found: FilterState = state[self.name]
        codes: Codes | None = None
        for spread, domains, totals in zip(found.spreads, found.domains, found.totals, strict=True):
            table = _verdicts(spread, domains, totals, pod)
            here: Codes = table[columns.label(spread.topology_key).codes[rows]]
            codes = here if codes is None else np.where(codes == 0, here, codes)
        return codes

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del state, pod
        return _STATUSES[code]

    def pre_score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Status:
        spreads = self.constraints_of(pod, SCHEDULE_ANYWAY)
        if isinstance(spreads, str):
            return error(f"calculating preScoreState: {spreads}")
        if not spreads:
            return SKIP
        require_all = self.requires_all(pod)
        domains = domains_of(columns, spreads, pod, require_all)
        state[self._score_key] = spread_scoring.prepare(
            columns, spreads, domains, rows, require_all
        )
        return SUCCESS

    def score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
        del pod
        return spread_scoring.score(state[self._score_key], columns, rows)

    def normalize(
        self, state: CycleState, pod: PodView, scores: Ints, columns: Columns, rows: Ints
    ) -> Ints:
        del pod
        return spread_scoring.normalize(state[self._score_key], scores, columns, rows)

    def events_to_register(self) -> Sequence[EventHint]:
        pod_change = (
            ActionType.ADD
            | ActionType.UPDATE_POD_LABEL
            | ActionType.UPDATE_POD_TOLERATION
            | ActionType.DELETE
        )
        node_change = (
            ActionType.ADD
            | ActionType.DELETE
            | ActionType.UPDATE_NODE_LABEL
            | ActionType.UPDATE_NODE_TAINT
        )
        return [
            EventHint(ClusterEvent(EventResource.POD, pod_change), self._after_pod_change),
            EventHint(ClusterEvent(EventResource.NODE, node_change), self._after_node_change),
        ]

    def requires_all(self, pod: PodView) -> bool:
        """Whether nodes must have all topologies to be scored at all.

        System defaults spread over hostnames even where nodes have no zone.
        """
        return not self._is_system_defaulted or spread_constraints.has_own(pod.plan)

    def constraints_of(self, pod: PodView, action: str) -> tuple[Spread, ...] | str:
        """The constraints of one kind that bind a pod, or what is wrong with them."""
        if not spread_constraints.has_own(pod.plan):
            defaults = self._defaults[action]
            return spread_constraints.default(pod, defaults, self._lister, self._services)
        try:
            return spread_constraints.own(pod, action)
        except SelectorError as problem:
            return f"obtaining pod's {_KIND_OF[action]} topology spread constraints: {problem}"

    def _after_pod_change(
        self, pod: PodView, old: dict[str, Any] | None, new: dict[str, Any] | None
    ) -> bool:
        if not spread_hints.is_involved(pod, old, new):
            return False
        spreads = self.constraints_of(pod, DO_NOT_SCHEDULE)
        return isinstance(spreads, str) or spread_hints.after_pod_change(pod, spreads, old, new)

    def _after_node_change(
        self, pod: PodView, old: dict[str, Any] | None, new: dict[str, Any] | None
    ) -> bool:
        spreads = self.constraints_of(pod, DO_NOT_SCHEDULE)
        return isinstance(spreads, str) or spread_hints.after_node_change(spreads, old, new)


def domains_of(
    columns: Columns, spreads: Sequence[Spread], pod: PodView, require_all: bool
) -> tuple[Domains, ...]:
    """Which nodes count for each of a pod's constraints, and where they are."""
    keys = tuple(each.topology_key for each in spreads) if require_all else ()
    return tuple(
        spread_domains.find_domains(columns, keys, each.constraint, pod.plan) for each in spreads
    )


def _verdicts(spread: Spread, domains: Domains, totals: Codes, pod: PodView) -> Codes:
    """The code of each domain under a constraint, and last that of nodes in none."""
    constraint = spread.constraint
    if len(domains.present) < constraint.min_domains:
        least = 0
    else:
        least = int(totals[domains.present].min()) if len(domains.present) else _NO_DOMAIN
    most = constraint.max_skew + least - spread.selector.matches(pod.labels)
    verdicts: Codes = (totals > most) * np.int32(_TOO_MANY)
    verdicts[-1] = _MISSING
    return verdicts
