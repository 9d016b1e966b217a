"""What the terms of a pod to be scheduled need to know of the pods on nodes."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.scheduler.pod_counters import Question

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kubestage.objects.affinity import AffinityTerm, PodAffinity
    from kubestage.objects.views.plan import PodPlan
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Lister

_NO_LABELS: Final[dict[str, str]] = {}


class IncomingTerms(NamedTuple):
    """The terms of a pod, with every namespace they mean, and the questions they raise.

    Required affinity is met by one pod that matches all terms, so it raises one question for each
    topology; every other term raises one of its own.
    """

    required: tuple[AffinityTerm, ...] = ()
    required_anti: tuple[AffinityTerm, ...] = ()
    near: tuple[Question, ...] = ()
    away: tuple[Question, ...] = ()
    preferred: tuple[tuple[Question, int], ...] = ()


_NONE: Final = IncomingTerms()


def terms_of(pod: PodView, lister: Lister) -> IncomingTerms:
    """The terms of a pod that is to be scheduled."""
    if not pod.has_affinity:
        return _NONE
    return _fixed(pod.plan) or _raised_by(_with_namespaces(pod.affinity, lister))


def are_fixed(plan: PodPlan) -> bool:
    """Whether the terms of a plan mean the same whatever namespaces there are."""
    return _fixed(plan) is not None


def matches_all(terms: Sequence[AffinityTerm], namespace: str, labels: Mapping[str, str]) -> bool:
    """Whether a pod matches every term; if there is none it does not."""
    return bool(terms) and all(term.matches(namespace, labels, _NO_LABELS) for term in terms)


@functools.lru_cache(maxsize=4096)
def _fixed(plan: PodPlan) -> IncomingTerms | None:
    """The terms of all pods of a plan, or None if they depend on the labels of namespaces."""
    affinity = plan.affinity
    terms = (
        *affinity.required, *affinity.required_anti, *affinity.preferred, *affinity.preferred_anti,
    )  # fmt: skip
    if any(term.namespace_selector.requirements for term in terms):
        return None
    return _raised_by(affinity)


def _with_namespaces(affinity: PodAffinity, lister: Lister) -> PodAffinity:
    namespaces = [each["metadata"] for each in lister.list("v1", "Namespace")]

    def named(terms: Iterable[AffinityTerm]) -> tuple[AffinityTerm, ...]:
        return tuple(_with_selected(term, namespaces) for term in terms)

    return msgspec.structs.replace(
        affinity,
        required=named(affinity.required),
        required_anti=named(affinity.required_anti),
        preferred=named(affinity.preferred),
        preferred_anti=named(affinity.preferred_anti),
    )


def _with_selected(
    term: AffinityTerm, namespaces: Iterable[Mapping[str, Mapping[str, str]]]
) -> AffinityTerm:
    # The selector stays in force besides the names, as upstream: it is then applied to
    # a namespace without labels, which one such as "env notin (prod)" matches wherever the pod is.
    selector = term.namespace_selector
    selected = {
        str(each["name"])
        for each in namespaces
        if selector.matches(each.get("labels") or _NO_LABELS)
    }
    return msgspec.structs.replace(term, namespaces=term.namespaces | selected)


def _raised_by(affinity: PodAffinity) -> IncomingTerms:
    together = tuple(map(_bare, affinity.required))
    topologies = dict.fromkeys(term.topology_key for term in affinity.required)
    return IncomingTerms(
        affinity.required,
        affinity.required_anti,
        tuple(Question(together, key) for key in topologies),
        tuple(_alone(term) for term in affinity.required_anti),
        (
            *((_alone(term), term.weight) for term in affinity.preferred),
            *((_alone(term), -term.weight) for term in affinity.preferred_anti),
        ),
    )


def _alone(term: AffinityTerm) -> Question:
    return Question((_bare(term),), term.topology_key)


def _bare(term: AffinityTerm) -> AffinityTerm:
    """The term without what a question does not depend on, so that equal questions are one."""
    return msgspec.structs.replace(term, topology_key="", weight=0)
