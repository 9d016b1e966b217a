"""What a pod gives up, one step at a time, when it fits nowhere as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.requirements import of_pods

if TYPE_CHECKING:
    from kubestage.aliases import Json

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_TOLERATION: Final = {"operator": "Exists", "effect": "PreferNoSchedule"}
_MATCHED: Final = ("key", "effect", "operator", "value")
"""The fields by which tolerations are the same, for how long they hold does not matter."""


def relaxed(pod: Json, *, tolerate_prefer_no_schedule: bool) -> Json | None:
    """The pod with one preference less; None if nothing is left to give up."""
    found = (
        _without_required_term(pod)
        or _without_preferred(pod, "podAffinity")
        or _without_preferred(pod, "podAntiAffinity")
        or _without_preferred(pod, "nodeAffinity")
        or _without_schedule_anyway(pod)
    )
    if found is None and tolerate_prefer_no_schedule:
        return tolerating(pod)
    return found


def tolerating(pod: Json) -> Json | None:
    """The pod with a toleration of all PreferNoSchedule taints; None if it has one."""
    stated = pod["spec"].get("tolerations") or []
    for each in stated:
        if all((each.get(field) or None) == _TOLERATION.get(field) for field in _MATCHED):
            return None
    return _with_spec(pod, tolerations=[*stated, _TOLERATION])


def without_first_required_term(pod: Json) -> Json | None:
    """The pod without its first required node affinity term; None if it is the last."""
    return _without_required_term(pod)


def _without_required_term(pod: Json) -> Json | None:
    terms = of_pods.required_terms(pod)
    if len(terms) < 2:
        return None
    required = pod["spec"]["affinity"]["nodeAffinity"][_REQUIRED]
    return _with_affinity(
        pod, "nodeAffinity", _REQUIRED, {**required, "nodeSelectorTerms": terms[1:]}
    )


def _without_preferred(pod: Json, field: str) -> Json | None:
    """Without the heaviest preferred term."""
    affinity = (pod["spec"].get("affinity") or {}).get(field) or {}
    terms = affinity.get(_PREFERRED)
    if not terms:
        return None
    if field == "nodeAffinity":
        terms = of_pods.by_weight(terms)
    ordered = sorted(terms, key=lambda term: -(term.get("weight") or 0))
    return _with_affinity(pod, field, _PREFERRED, ordered[1:])


def _without_schedule_anyway(pod: Json) -> Json | None:
    """Without the first spread that need not be kept; the last one takes its place."""
    stated = pod["spec"].get("topologySpreadConstraints") or []
    for position, each in enumerate(stated):
        if each.get("whenUnsatisfiable") == "ScheduleAnyway":
            left = list(stated)
            left[position] = left[-1]
            return _with_spec(pod, topologySpreadConstraints=left[:-1])
    return None


def _with_affinity(pod: Json, field: str, term: str, value: object) -> Json:
    affinity = pod["spec"]["affinity"]
    return _with_spec(pod, affinity={**affinity, field: {**affinity[field], term: value}})


def _with_spec(pod: Json, **changes: object) -> Json:
    return {**pod, "spec": {**pod["spec"], **changes}}
