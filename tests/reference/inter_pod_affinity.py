"""InterPodAffinity, pod by pod and node by node, from the objects themselves."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING

from kubestage.objects import labels
from kubestage.scheduler.status import SUCCESS, Status, unresolvable, unschedulable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.node_info import NodeInfo

Namespaces = dict[str, dict[str, str]]
Pair = tuple[str, str]

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


@dataclasses.dataclass
class Counts:
    """Pods by topology key and value: those wanted, those to avoid, and those that avoid."""

    near: collections.Counter[Pair] = dataclasses.field(default_factory=collections.Counter)
    away: collections.Counter[Pair] = dataclasses.field(default_factory=collections.Counter)
    refusing: collections.Counter[Pair] = dataclasses.field(default_factory=collections.Counter)


def pre_filter(pod: PodView, nodes: Iterable[NodeInfo], namespaces: Namespaces) -> Counts | None:
    """What is around, or None if the pod neither asks for anything nor is refused anywhere."""
    counts = Counts()
    for node in nodes:
        for other in node.pods.values():
            change(counts, pod, other, node, 1, namespaces)
    own = _terms(pod, "podAffinity", REQUIRED) or _terms(pod, "podAntiAffinity", REQUIRED)
    return counts if own or counts.refusing else None


def change(
    counts: Counts,
    pod: PodView,
    other: PodView,
    node: NodeInfo,
    by: int,
    namespaces: Namespaces,
) -> None:
    """Count another pod in on a node, or out."""
    for term in _terms(other, "podAntiAffinity", REQUIRED):
        if _others_term_matches(term, other, pod, namespaces):
            _count(counts.refusing, term, node, by)
    wanted = _terms(pod, "podAffinity", REQUIRED)
    if wanted and all(_own_term_matches(term, pod, other, namespaces) for term in wanted):
        for term in wanted:
            _count(counts.near, term, node, by)
    for term in _terms(pod, "podAntiAffinity", REQUIRED):
        if _own_term_matches(term, pod, other, namespaces):
            _count(counts.away, term, node, by)


def filter_node(counts: Counts, pod: PodView, node: NodeInfo, namespaces: Namespaces) -> Status:
    """The verdict on a node."""
    wanted = _terms(pod, "podAffinity", REQUIRED)
    if any(term["topologyKey"] not in node.view.labels for term in wanted):
        return unresolvable("node(s) didn't match pod affinity rules")
    if any(counts.near[_pair(term, node)] <= 0 for term in wanted):
        nobody_there = not any(counts.near.values())
        itself = all(_own_term_matches(term, pod, pod, namespaces) for term in wanted)
        if not (nobody_there and itself):
            return unresolvable("node(s) didn't match pod affinity rules")
    for term in _terms(pod, "podAntiAffinity", REQUIRED):
        if term["topologyKey"] in node.view.labels and counts.away[_pair(term, node)] > 0:
            return unschedulable("node(s) didn't match pod anti-affinity rules")
    if any(counts.refusing[pair] > 0 for pair in node.view.labels.items()):
        return unschedulable("node(s) didn't satisfy existing pods anti-affinity rules")
    return SUCCESS


def pre_score(
    pod: PodView,
    nodes: Iterable[NodeInfo],
    namespaces: Namespaces,
    hard_weight: int = 1,
    ignore_others: bool = False,
) -> dict[Pair, int] | None:
    """What each topology value is worth, or None if no term has anything to say."""
    own = [
        (term, sign)
        for side, sign in (("podAffinity", 1), ("podAntiAffinity", -1))
        for term in _terms(pod, side, PREFERRED)
    ]
    if ignore_others and not own:
        return None
    worth: dict[Pair, int] = {}

    def add(term: Json, node: NodeInfo, weight: int) -> None:
        if term["topologyKey"] in node.view.labels:
            pair = _pair(term, node)
            worth[pair] = worth.get(pair, 0) + weight

    for node in nodes:
        for other in node.pods.values():
            for item, sign in own:
                if _own_term_matches(item["podAffinityTerm"], pod, other, namespaces):
                    add(item["podAffinityTerm"], node, sign * item["weight"])
            for term in _terms(other, "podAffinity", REQUIRED):
                if hard_weight and _others_term_matches(term, other, pod, namespaces):
                    add(term, node, hard_weight)
            for side, sign in (("podAffinity", 1), ("podAntiAffinity", -1)):
                for item in _terms(other, side, PREFERRED):
                    if _others_term_matches(item["podAffinityTerm"], other, pod, namespaces):
                        add(item["podAffinityTerm"], node, sign * item["weight"])
    return worth or None


def score_node(worth: dict[Pair, int], node: NodeInfo) -> int:
    """The sum over the node's topology labels."""
    return sum(worth.get(pair, 0) for pair in node.view.labels.items())


def normalize(scores: list[int]) -> list[int]:
    """From the least to the greatest, as 0 to 100."""
    least, greatest = min(scores), max(scores)
    if least == greatest:
        return [0 for _ in scores]
    return [int(100 * ((score - least) / (greatest - least))) for score in scores]


def _terms(pod: PodView, side: str, when: str) -> list[Json]:
    return ((pod.raw["spec"].get("affinity") or {}).get(side) or {}).get(when) or []


def _count(counter: collections.Counter[Pair], term: Json, node: NodeInfo, by: int) -> None:
    if term["topologyKey"] in node.view.labels:
        counter[_pair(term, node)] += by


def _pair(term: Json, node: NodeInfo) -> Pair:
    return term["topologyKey"], node.view.labels[term["topologyKey"]]


def _own_term_matches(term: Json, pod: PodView, other: PodView, namespaces: Namespaces) -> bool:
    """Whether a term of the pod speaks of another.

    The namespaces that its selector finds join those that it names. Then the selector is asked
    once more, without the labels of the other pod's namespace.
    """
    named = {
        name
        for name, found in namespaces.items()
        if labels.from_label_selector(term.get("namespaceSelector")).matches(found)
    }
    return _matches(term, pod, other, named, {})


def _others_term_matches(term: Json, owner: PodView, pod: PodView, namespaces: Namespaces) -> bool:
    """Whether a term of a pod on a node speaks of the pod."""
    return _matches(term, owner, pod, set(), namespaces.get(pod.namespace, {}))


def _matches(
    term: Json, owner: PodView, pod: PodView, named: set[str], namespace_labels: dict[str, str]
) -> bool:
    named = named | set(term.get("namespaces") or ())
    if not term.get("namespaces") and "namespaceSelector" not in term:
        named = {owner.namespace}
    selector = labels.from_label_selector(term.get("namespaceSelector"))
    if pod.namespace not in named and not selector.matches(namespace_labels):
        return False
    return labels.from_label_selector(term.get("labelSelector")).matches(pod.labels)
