"""Scopes: a quota may be for some of the objects of its namespace only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import labels

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json

TERMINATING: Final = "Terminating"
NOT_TERMINATING: Final = "NotTerminating"
BEST_EFFORT: Final = "BestEffort"
NOT_BEST_EFFORT: Final = "NotBestEffort"
PRIORITY_CLASS: Final = "PriorityClass"
CROSS_NAMESPACE_POD_AFFINITY: Final = "CrossNamespacePodAffinity"
VOLUME_ATTRIBUTES_CLASS: Final = "VolumeAttributesClass"


def selectors(resource_quota: Json) -> list[Json]:
    """The scopes of a quota, all as requirements of a scope selector."""
    spec = resource_quota.get("spec") or {}
    plain = [{"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or ()]
    selector = spec.get("scopeSelector") or {}
    return [*plain, *(selector.get("matchExpressions") or ())]


def selects(requirement: Json, names: Iterable[str]) -> bool:
    """Whether a requirement on a class is fulfilled by one of the classes an object names.

    An object that names none is evaluated, too: it fulfils ``NotIn`` and ``DoesNotExist``.
    """
    scope = requirement.get("scopeName") or ""
    operator = requirement.get("operator") or ""
    named = [name for name in names if name]
    if operator == "Exists":
        return bool(named)
    expression = {"key": scope, "operator": operator, "values": requirement.get("values")}
    selector = labels.from_label_selector({"matchExpressions": [expression]})
    return any(selector.matches(each) for each in ([{scope: name} for name in named] or [{}]))
