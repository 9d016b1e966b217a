"""The topology spread constraints of a pod: its own, or the cluster's default ones."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects import affinity, labels
from kubestage.objects.affinity import AffinityTerm
from kubestage.objects.views.node import ZONE_LABEL
from kubestage.scheduler.plugins import default_selector
from kubestage.scheduler.pod_tallies import Question

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.objects.affinity import SpreadConstraint
    from kubestage.objects.labels import Selector
    from kubestage.objects.views.plan import PodPlan
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Lister

HOSTNAME_LABEL: Final = "kubernetes.io/hostname"
SYSTEM_DEFAULTS: Final[tuple[dict[str, Any], ...]] = (
    {"topologyKey": HOSTNAME_LABEL, "whenUnsatisfiable": "ScheduleAnyway", "maxSkew": 3},
    {"topologyKey": ZONE_LABEL, "whenUnsatisfiable": "ScheduleAnyway", "maxSkew": 5},
)


class Spread(NamedTuple):
    """A constraint as it binds one pod, and the questions on which nodes its like are.

    An empty selector counts no pods although it matches all, so it raises no question.
    """

    constraint: SpreadConstraint
    selector: Selector
    by_node: Question | None
    by_domain: Question | None

    @property
    def topology_key(self) -> str:
        """The label over whose values pods are spread."""
        return self.constraint.topology_key


def has_own(plan: PodPlan) -> bool:
    """Whether pods of a plan state any constraint, which switches the default ones off."""
    return plan.has_spread


def own(pod: PodView, action: str) -> tuple[Spread, ...]:
    """The pod's own constraints of one kind, or `SelectorError` if one is malformed."""
    keys = _match_label_keys(pod.plan)
    return _own(pod.plan, action, tuple((key, pod.labels.get(key)) for key in keys))


def default(
    pod: PodView, constraints: tuple[SpreadConstraint, ...], lister: Lister
) -> tuple[Spread, ...]:
    """Default constraints, which spread a pod among those that share its Services and owner."""
    selector = default_selector.of(pod, lister) if constraints else labels.EVERYTHING
    return () if selector.empty else _default(constraints, selector, pod.namespace)


def of_action(
    constraints: Iterable[Mapping[str, Any]] | None, action: str
) -> tuple[SpreadConstraint, ...]:
    """The constraints of one kind, compiled; `SelectorError` if one of them is malformed."""
    return affinity.spread_constraints_of(
        [each for each in constraints or () if each.get("whenUnsatisfiable") == action]
    )


@functools.lru_cache(maxsize=4096)
def _match_label_keys(plan: PodPlan) -> tuple[str, ...]:
    constraints = plan.spec.get("topologySpreadConstraints") or ()
    keys = (key for each in constraints for key in each.get("matchLabelKeys") or ())
    return tuple(dict.fromkeys(keys))


@functools.lru_cache(maxsize=4096)
def _own(
    plan: PodPlan, action: str, pairs: tuple[tuple[str, str | None], ...]
) -> tuple[Spread, ...]:
    own_labels = {key: value for key, value in pairs if value is not None}
    return tuple(
        _spread(each, each.selector_for(own_labels), plan.namespace)
        for each in of_action(plan.spec.get("topologySpreadConstraints"), action)
    )


@functools.lru_cache(maxsize=4096)
def _default(
    constraints: tuple[SpreadConstraint, ...], selector: Selector, namespace: str
) -> tuple[Spread, ...]:
    return tuple(_spread(each, selector, namespace) for each in constraints)


def _spread(constraint: SpreadConstraint, selector: Selector, namespace: str) -> Spread:
    if selector.empty:
        return Spread(constraint, selector, None, None)
    terms = (AffinityTerm(selector, frozenset((namespace,)), labels.NOTHING, ""),)
    return Spread(
        constraint,
        selector,
        Question(terms, None, without_terminating=True),
        Question(terms, constraint.topology_key, without_terminating=True),
    )
