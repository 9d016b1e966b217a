"""Which changes may help a pod that inter-pod affinity has rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.plugins import incoming_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.affinity import AffinityTerm
    from kubestage.objects.views.pod import PodView


_REQUIRED: Final = "requiredAffinityTerms"
_REQUIRED_ANTI: Final = "requiredAntiAffinityTerms"


def after_pod_change(pod: PodView, old: Json | None, new: Json | None) -> bool:
    """A pod came, went or got other labels: does that concern this one?

    Terms are taken by the namespaces they name; a namespace selector counts only if it
    matches a namespace without labels.
    """
    before = pod_views.of(old) if old is not None else None
    after = pod_views.of(new) if new is not None else None
    if before is not None and after is not None and after.uid == pod.uid:
        return True
    if any(
        each is not None and not each.node_name and not each.nominated_node_name
        for each in (before, after)
    ):
        return False
    if _cannot_be_read(pod, _REQUIRED, _REQUIRED_ANTI):
        return True
    if before is not None and after is not None:
        gained = not _fits(pod.required_affinity, before) and _fits(pod.required_affinity, after)
        return gained or (
            _fits(pod.required_anti_affinity, before)
            and not _fits(pod.required_anti_affinity, after)
        )
    if after is not None:
        return _fits(pod.required_affinity, after)
    assert before is not None
    if _fits(pod.required_anti_affinity, before) or _cannot_be_read(before, _REQUIRED_ANTI):
        return True
    return _fits(before.required_anti_affinity, pod)


def after_node_change(pod: PodView, old: Json | None, new: Json | None) -> bool:
    """A node came or moved to another topology: may the pod be welcome there?"""
    if _cannot_be_read(pod, _REQUIRED, _REQUIRED_ANTI):
        return True
    before = _labels(old) if old is not None else None
    after = _labels(new)
    for term in pod.required_affinity:
        value = after.get(term.topology_key)
        if value is not None and (before is None or before.get(term.topology_key) != value):
            return True
    if before is None:
        return bool(pod.required_anti_affinity)
    return any(
        term.topology_key in before and before[term.topology_key] != after.get(term.topology_key)
        for term in pod.required_anti_affinity
    )


def _fits(terms: Sequence[AffinityTerm], pod: PodView) -> bool:
    return incoming_terms.matches_all(terms, pod.namespace, pod.labels)


def _cannot_be_read(pod: PodView, *lists: str) -> bool:
    return any(problem.startswith(lists) for problem in pod.affinity.problems)


def _labels(node: Json | None) -> dict[str, str]:
    return ((node or {}).get("metadata") or {}).get("labels") or {}
