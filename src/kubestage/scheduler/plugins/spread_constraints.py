"""The topology spread constraints of a pod: its own, or the cluster's default ones."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.objects import affinity, labels
from kubestage.objects.affinity import AffinityTerm
from kubestage.objects.views.node import ZONE_LABEL
from kubestage.scheduler.pod_counters import Question

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
_MOST_NAMESPACES: Final = 256
_MOST_LABELS: Final = 1024
_encode: Final = msgspec.json.Encoder().encode


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
    pod: PodView, constraints: tuple[SpreadConstraint, ...], lister: Lister, services: Services
) -> tuple[Spread, ...]:
    """Default constraints, which spread a pod among those that share its Services and owner."""
    selector = selector_of(pod, lister, services) if constraints else labels.EVERYTHING
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


class Services:
    """The labels by which Services select pods, remembered as long as a namespace's are the same.

    NOTE: each pod was compared with all Services of its namespace, and that twice: a fiftieth of
    the time of a load with 5,000 nodes (benchmarks/load.py).
    """

    def __init__(self) -> None:
        self._known: dict[str, _OfNamespace] = {}

    def selecting(self, pod: PodView, lister: Lister) -> dict[str, str]:
        """The labels by which all matching Services select a pod; not to be changed."""
        listed = lister.list("v1", "Service", pod.namespace)
        known = self._known.get(pod.namespace)
        if known is not None and known.listed is not listed and known.listed == listed:
            # Only Services of other namespaces have changed.
            known = self._known[pod.namespace] = known._replace(listed=listed)
        if known is None or known.listed is not listed:
            if len(self._known) >= _MOST_NAMESPACES:
                self._known.clear()
            known = self._known[pod.namespace] = _OfNamespace(listed, _by_pair(listed), {})
        key = tuple(pod.labels.items())
        found = known.by_labels.get(key)
        if found is None:
            if len(known.by_labels) >= _MOST_LABELS:
                known.by_labels.clear()
            found = known.by_labels[key] = _selecting(pod, known.by_pair)
        return found


_Pair = tuple[str, str]
_Numbered = tuple[int, dict[str, str]]


class _OfNamespace(NamedTuple):
    """Services, their selectors with their numbers by one pair of each, and what was found."""

    listed: Iterable[dict[str, Any]]
    by_pair: dict[_Pair, list[_Numbered]]
    by_labels: dict[tuple[_Pair, ...], dict[str, str]]


def _by_pair(services: Iterable[dict[str, Any]]) -> dict[_Pair, list[_Numbered]]:
    """Selectors by their first pair; one without pairs adds nothing, whatever it selects."""
    found: dict[_Pair, list[_Numbered]] = {}
    for number, service in enumerate(services):
        selector: dict[str, str] = (service.get("spec") or {}).get("selector") or {}
        for pair in selector.items():
            found.setdefault(pair, []).append((number, selector))
            break
    return found


def _selecting(pod: PodView, by_pair: dict[_Pair, list[_Numbered]]) -> dict[str, str]:
    held = pod.labels.items()
    found = [each for pair in held for each in by_pair.get(pair, ()) if each[1].items() <= held]
    pairs: dict[str, str] = {}
    for _, selector in sorted(found, key=operator.itemgetter(0)):
        pairs.update(selector)
    return pairs


def selector_of(pod: PodView, lister: Lister, services: Services) -> Selector:
    """All labels that matching Services and the pod's controller select it by.

    It is empty if there is neither, and then means nothing rather than everything.
    """
    pairs = dict(services.selecting(pod, lister))
    owner = pod.owner
    if owner is None:
        return _of_set(pairs)
    match owner.get("apiVersion"), owner.get("kind"):
        case "v1", "ReplicationController":
            controller = _spec_of(owner, pod, lister)
            pairs.update((controller or {}).get("selector") or {})
        case "apps/v1", ("ReplicaSet" | "StatefulSet"):
            controller = _spec_of(owner, pod, lister)
            if controller is not None:
                return _narrowed(_of_set(pairs), controller.get("selector"))
    return _of_set(pairs)


def _of_set(pairs: dict[str, str]) -> Selector:
    return labels.selector_from_set(pairs) if pairs else labels.EVERYTHING


def _spec_of(owner: dict[str, Any], pod: PodView, lister: Lister) -> dict[str, Any] | None:
    found = lister.get(owner["apiVersion"], owner["kind"], owner.get("name") or "", pod.namespace)
    return None if found is None else found.get("spec") or {}


def _narrowed(selector: Selector, label_selector: dict[str, Any] | None) -> Selector:
    # NOTE: the pods of an owner use the same selector one after the other; to compile it
    # each time costs fifteen times as much as to find it again (benchmarks/controllers.py).
    return _combined(selector, _encode(label_selector))


@functools.lru_cache(maxsize=4096)
def _combined(selector: Selector, label_selector: bytes) -> Selector:
    try:
        stated = labels.from_label_selector(msgspec.json.decode(label_selector))
        return selector.add(*stated.requirements)
    except labels.SelectorError:
        return selector
