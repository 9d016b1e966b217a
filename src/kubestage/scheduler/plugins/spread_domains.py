"""Which nodes count for a spread constraint, and into which topology domain each falls."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kubestage.objects import taints
from kubestage.objects.affinity import HONOR
from kubestage.objects.label_requirement import SelectorError
from kubestage.scheduler import node_matching

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.objects.affinity import SpreadConstraint
    from kubestage.objects.taints import Taint
    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.plan import PodPlan
    from kubestage.scheduler.arrays import Codes, Ints, Mask
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.plugins.spread_constraints import Spread

_HARD_EFFECTS: Final = frozenset({taints.NO_SCHEDULE, taints.NO_EXECUTE})
_taints_of: Final[Callable[[NodeView], tuple[Taint, ...]]] = operator.attrgetter("taints")


class Domains(NamedTuple):
    """The rows of the nodes that count, the domain of each, and all domains there are.

    Domains are numbered as the values of the topology key; nodes without it are in a last one.
    `are_plain` is True if every node counts and has the key.
    """

    rows: Ints
    domain_of: Ints
    present: Ints
    size: int
    are_plain: bool

    def totals(self, columns: Columns, spread: Spread) -> Codes:
        """How many of the pods that a constraint speaks of are in each domain; not to change."""
        if spread.by_node is None or spread.by_domain is None:
            return np.zeros(self.size, np.int32)
        if self.are_plain:
            return columns.counters.answer(spread.by_domain).counts
        counted = columns.counters.answer(spread.by_node).counts[self.rows]
        return np.bincount(self.domain_of, counted, self.size).astype(np.int32)


def find_domains(
    columns: Columns, keys: tuple[str, ...], constraint: SpreadConstraint, plan: PodPlan
) -> Domains:
    """The domains of a constraint over the nodes that have all of the keys."""
    by_affinity = constraint.node_affinity_policy == HONOR and not plan.required_node_affinity.empty
    by_taints = constraint.node_taints_policy == HONOR
    return columns.memo.get(
        (
            "spread domains",
            keys,
            constraint.topology_key,
            plan if by_affinity else None,
            plan.tolerations if by_taints else None,
        ),
        lambda: _domains(columns, keys, constraint, plan),
    )


def count_among(columns: Columns, topology_key: str, rows: Ints) -> int:
    """How many domains some rows are in; all that lack the label are in one."""
    label = columns.label(topology_key)
    seen: Mask = np.zeros(len(label.values) + 1, np.bool_)
    seen[label.codes[rows]] = True
    unnamed = label.code_of.get("")
    if unnamed is not None and seen[-1]:
        seen[unnamed] = True
        seen[-1] = False
    return int(np.count_nonzero(seen))


def counts_in(constraint: SpreadConstraint, plan: PodPlan, view: NodeView) -> bool:
    """Whether the inclusion policies of a constraint let a node count."""
    if constraint.node_affinity_policy == HONOR and not _is_admitted(plan, view):
        return False
    return constraint.node_taints_policy != HONOR or _is_tolerated(view.taints, plan)


def _domains(
    columns: Columns, keys: tuple[str, ...], constraint: SpreadConstraint, plan: PodPlan
) -> Domains:
    label = columns.label(constraint.topology_key)
    included: Mask = np.ones(len(columns), np.bool_)
    for key in keys:
        included &= columns.label(key).codes >= 0
    if constraint.node_affinity_policy == HONOR and not plan.required_node_affinity.empty:
        included &= node_matching.matches_required(columns, plan.required_node_affinity)
    if constraint.node_taints_policy == HONOR:
        groups = columns.groups(_taints_of)
        tolerated = np.array([_is_tolerated(each, plan) for each in groups.values], np.bool_)
        included &= tolerated[groups.codes]
    size = len(label.values) + 1
    # A node without the label is taken for one whose label is empty.
    domain_of = np.where(label.codes < 0, label.code_of.get("", size - 1), label.codes)
    rows = np.flatnonzero(included)
    domains = domain_of[rows].astype(np.int64)
    are_plain = bool(included.all() and (label.codes >= 0).all())
    present = np.flatnonzero(np.bincount(domains, minlength=size))
    return Domains(rows, domains, present, size, are_plain)


def _is_admitted(plan: PodPlan, view: NodeView) -> bool:
    try:
        return plan.required_node_affinity.matches(view.name, view.labels)
    except SelectorError:
        return False


def _is_tolerated(node_taints: Sequence[Taint], plan: PodPlan) -> bool:
    return taints.find_untolerated_taint(node_taints, plan.tolerations, _HARD_EFFECTS) is None
