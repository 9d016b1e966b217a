"""Pod affinity and anti-affinity terms, and topology spread constraints, with selectors compiled.

A malformed selector empties its list and is reported beside it: the API admits some such pods,
and the scheduler must say so instead of failing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DO_NOT_SCHEDULE: Final = "DoNotSchedule"
SCHEDULE_ANYWAY: Final = "ScheduleAnyway"
HONOR: Final = "Honor"
IGNORE: Final = "Ignore"

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"


class AffinityTerm(msgspec.Struct, frozen=True, gc=False):
    """Which pods, in which namespaces, within which topology; the weight if it is a preference."""

    selector: labels.Selector
    namespaces: frozenset[str]
    namespace_selector: labels.Selector
    topology_key: str
    weight: int = 0

    def matches(
        self, namespace: str, pod_labels: Mapping[str, str], namespace_labels: Mapping[str, str]
    ) -> bool:
        """Whether the term selects a pod of a namespace."""
        if namespace not in self.namespaces and not self.namespace_selector.matches(
            namespace_labels
        ):
            return False
        return self.selector.matches(pod_labels)


class PodAffinity(msgspec.Struct, frozen=True, gc=False):
    """All affinity terms of a pod; ``problems`` names the lists that could not be read."""

    required: tuple[AffinityTerm, ...] = ()
    required_anti: tuple[AffinityTerm, ...] = ()
    preferred: tuple[AffinityTerm, ...] = ()
    preferred_anti: tuple[AffinityTerm, ...] = ()
    problems: tuple[str, ...] = ()


NO_AFFINITY: Final = PodAffinity()


def pod_affinity_of(affinity: Mapping[str, Any] | None, namespace: str) -> PodAffinity:
    """The compiled terms of ``spec.affinity``; terms without a namespace mean the pod's own."""
    together = (affinity or {}).get("podAffinity") or {}
    apart = (affinity or {}).get("podAntiAffinity") or {}
    if not together and not apart:
        return NO_AFFINITY
    problems: list[str] = []

    def read(name: str, terms: Sequence[Any] | None) -> tuple[AffinityTerm, ...]:
        try:
            return tuple(_term(term, namespace) for term in terms or ())
        except labels.SelectorError as error:
            problems.append(f"{name}: {error}")
            return ()

    required = read("requiredAffinityTerms", together.get(_REQUIRED))
    required_anti = read("requiredAntiAffinityTerms", apart.get(_REQUIRED))
    preferred = read("preferredAffinityTerms", together.get(_PREFERRED))
    preferred_anti = read("preferredAntiAffinityTerms", apart.get(_PREFERRED))
    return PodAffinity(required, required_anti, preferred, preferred_anti, tuple(problems))


def _term(item: Mapping[str, Any], namespace: str) -> AffinityTerm:
    term = item.get("podAffinityTerm", item) or {}
    namespaces = term.get("namespaces") or ()
    namespace_selector = term.get("namespaceSelector")
    if not namespaces and namespace_selector is None:
        namespaces = (namespace,)
    return AffinityTerm(
        labels.from_label_selector(term.get("labelSelector")),
        frozenset(namespaces),
        labels.from_label_selector(namespace_selector),
        term.get("topologyKey") or "",
        item.get("weight") or 0,
    )


class SpreadConstraint(msgspec.Struct, frozen=True, gc=False):
    """How evenly a pod's kind is to be spread over the values of a node label."""

    max_skew: int
    topology_key: str
    when_unsatisfiable: str
    selector: labels.Selector
    min_domains: int = 1
    node_affinity_policy: str = HONOR
    node_taints_policy: str = IGNORE
    match_label_keys: tuple[str, ...] = ()

    def selector_for(self, pod_labels: Mapping[str, str]) -> labels.Selector:
        """The selector, narrowed to the values that the pod itself has for the match keys."""
        matched = {key: pod_labels[key] for key in self.match_label_keys if key in pod_labels}
        if not matched or not self.selector.selectable:
            return self.selector
        return labels.selector_from_set(matched).add(*self.selector.requirements)


def spread_constraints_of(
    constraints: Sequence[Mapping[str, Any]] | None,
) -> tuple[SpreadConstraint, ...]:
    """The compiled ``spec.topologySpreadConstraints``, or ``SelectorError``."""
    return tuple(
        SpreadConstraint(
            item.get("maxSkew") or 0,
            item.get("topologyKey") or "",
            item.get("whenUnsatisfiable") or "",
            labels.from_label_selector(item.get("labelSelector")),
            item["minDomains"] if item.get("minDomains") is not None else 1,
            item.get("nodeAffinityPolicy") or HONOR,
            item.get("nodeTaintsPolicy") or IGNORE,
            tuple(item.get("matchLabelKeys") or ()),
        )
        for item in constraints or ()
    )
