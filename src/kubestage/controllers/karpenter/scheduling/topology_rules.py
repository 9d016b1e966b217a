"""The topology rules that a pod states, and the hash that equal ones share."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.scheduling import node_filter
from kubestage.controllers.karpenter.scheduling.topology_groups import (
    AFFINITY,
    ANTI_AFFINITY,
    SPREAD,
    Rule,
)
from kubestage.golang import hashstructure
from kubestage.golang.hashstructure import Struct
from kubestage.objects import labels
from kubestage.objects.label_requirement import SelectorError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.scheduling.node_filter import NodeFilter
    from kubestage.golang.hashstructure import Value

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_CODES: Final = {SPREAD: b"\0", AFFINITY: b"\1", ANTI_AFFINITY: b"\2"}
_NIL: Final = 0
"""Nil pointers are hashed as the integer 0."""


class Namespaces:
    """The namespaces that affinity terms select."""

    def __init__(self, namespaces: Iterable[Json]) -> None:
        self._labels = {
            each["metadata"]["name"]: each["metadata"].get("labels") or {} for each in namespaces
        }

    def of_term(self, own: str, term: Json) -> frozenset[str]:
        """The namespaces whose pods a term counts."""
        named, selector = term.get("namespaces") or (), term.get("namespaceSelector")
        if selector is None:
            return frozenset(named or (own,))
        matches = labels.from_label_selector(selector).matches
        return frozenset(named).union(
            name for name, stated in self._labels.items() if matches(stated)
        )


def spreads(pod: Json, *, with_preferences: bool) -> list[Rule]:
    """The topology spread constraints of a pod."""
    found = []
    for stated in pod["spec"].get("topologySpreadConstraints") or ():
        if stated.get("whenUnsatisfiable") != "DoNotSchedule" and not with_preferences:
            continue
        raw = _with_match_label_keys(stated, pod["metadata"].get("labels") or {})
        filtered = node_filter.of_pod(
            pod,
            stated.get("nodeTaintsPolicy") or node_filter.IGNORE,
            stated.get("nodeAffinityPolicy") or node_filter.HONOR,
        )
        found.append(
            Rule(
                SPREAD,
                stated["topologyKey"],
                frozenset({pod["metadata"].get("namespace") or ""}),
                _selector(raw),
                raw,
                filtered,
                stated.get("maxSkew") or 0,
                stated.get("minDomains"),
            )
        )
    return found


def affinities(pod: Json, namespaces: Namespaces, *, with_preferences: bool) -> list[Rule]:
    """The pod affinity and anti-affinity terms of a pod, preferred ones included if so stated."""
    affinity = pod["spec"].get("affinity") or {}
    found = []
    for field, kind in (("podAffinity", AFFINITY), ("podAntiAffinity", ANTI_AFFINITY)):
        stated = affinity.get(field) or {}
        terms = list(stated.get(_REQUIRED) or ())
        if with_preferences:
            terms += [each.get("podAffinityTerm") or {} for each in stated.get(_PREFERRED) or ()]
        found += [_of_term(kind, pod, term, namespaces) for term in terms]
    return found


def required_anti_affinities(pod: Json, namespaces: Namespaces) -> list[Rule]:
    """The anti-affinity terms that keep other pods away from this one."""
    stated = (pod["spec"].get("affinity") or {}).get("podAntiAffinity") or {}
    return [_of_term(ANTI_AFFINITY, pod, term, namespaces) for term in stated.get(_REQUIRED) or ()]


def counted_selector(raw: Json | None) -> labels.Selector:
    """What selects pods of the cluster; a rule without a selector counts them all."""
    return labels.EVERYTHING if raw is None else _selector(raw)


def _of_term(kind: str, pod: Json, term: Json, namespaces: Namespaces) -> Rule:
    raw = term.get("labelSelector")
    own = pod["metadata"].get("namespace") or ""
    return Rule(
        kind,
        term.get("topologyKey") or "",
        namespaces.of_term(own, term),
        _selector(raw),
        raw,
        node_filter.ANY_NODE,
    )


def _selector(raw: Json | None) -> labels.Selector:
    try:
        return labels.from_label_selector(raw)
    except SelectorError:
        return labels.NOTHING


def _with_match_label_keys(stated: Json, pod_labels: dict[str, str]) -> Json | None:
    raw: Json | None = stated.get("labelSelector")
    added = [
        {"key": key, "operator": "In", "values": [pod_labels[key]]}
        for key in stated.get("matchLabelKeys") or ()
        if key in pod_labels
    ]
    if raw is None or not added:
        return raw
    return {**raw, "matchExpressions": [*(raw.get("matchExpressions") or ()), *added]}


def hash_of(rule: Rule) -> int:
    """Rules of one hash are one group.

    Of a node filter's requirements only the labels count, and equal alternatives cancel each other
    out, as in the real one.
    """
    empty: Value = Struct("Empty", ())
    return hashstructure.hash_of(
        Struct(
            "",
            [
                ("TopologyKey", rule.key),
                ("Type", _CODES[rule.kind]),
                ("Namespaces", dict.fromkeys(rule.namespaces, empty)),
                ("MaxSkew", struct.pack("<i", rule.max_skew)),
                ("NodeFilter", _filter(rule.node_filter)),
                ("SelectorHash", struct.pack("<Q", _selector_hash(rule.raw_selector))),
            ],
        )
    )


def _filter(node_filter_: NodeFilter) -> Struct:
    alternatives: list[Value] = [
        {
            each.key: Struct(
                "Requirement", [("Key", each.key), ("MinValues", each.min_values or _NIL)]
            )
            for each in requirements
        }
        for requirements in node_filter_.requirements
    ]
    tolerations: list[Value] = [
        Struct(
            "Toleration",
            [
                ("Key", each.key),
                ("Operator", each.operator),
                ("Value", each.value),
                ("Effect", each.effect),
                ("TolerationSeconds", each.toleration_seconds or _NIL),
            ],
        )
        for each in node_filter_.tolerations
    ]
    return Struct(
        "TopologyNodeFilter",
        [
            ("Requirements", alternatives),
            ("TaintPolicy", node_filter_.taint_policy),
            ("AffinityPolicy", node_filter_.affinity_policy),
            ("Tolerations", tolerations),
        ],
    )


def _selector_hash(raw: Json | None) -> int:
    empty: Value = Struct("Empty", ())
    hashes: dict[bytes, Value] = {}
    stated = 0
    if raw is not None:
        for each in raw.get("matchExpressions") or ():
            values: list[Value] = list(each.get("values") or ())
            expression = Struct(
                "LabelSelectorRequirement",
                [("Key", each["key"]), ("Operator", each["operator"]), ("Values", values)],
            )
            hashes[struct.pack("<Q", hashstructure.hash_of(expression))] = empty
        stated = hashstructure.hash_of(raw.get("matchLabels") or {})
    parts = (hashstructure.hash_of(hashes), hashstructure.hash_of(struct.pack("<Q", stated)))
    return hashstructure.in_sequence(parts)
