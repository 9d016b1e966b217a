"""PodTopologySpread, pod by pod and node by node, from the objects themselves."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from kubestage.objects import labels, node_selector
from kubestage.scheduler.status import SUCCESS, Status, unresolvable, unschedulable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.labels import Selector
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.node_info import NodeInfo


HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
SYSTEM_DEFAULTS: list[Json] = [
    {"topologyKey": HOSTNAME, "whenUnsatisfiable": "ScheduleAnyway", "maxSkew": 3},
    {"topologyKey": ZONE, "whenUnsatisfiable": "ScheduleAnyway", "maxSkew": 5},
]
REASON = "node(s) didn't match pod topology spread constraints"


@dataclasses.dataclass
class Constraint:
    """A constraint and the selector by which it finds the pod's like."""

    raw: Json
    selector: Selector

    @property
    def key(self) -> str:
        return str(self.raw["topologyKey"])


def constraints_of(
    pod: PodView, action: str, defaults: Sequence[Json], objects: Iterable[Json]
) -> list[Constraint]:
    """The pod's own constraints, or else the default ones with a selector found for it."""
    own = pod.raw["spec"].get("topologySpreadConstraints")
    if own:
        return [
            Constraint(raw, _own_selector(raw, pod))
            for raw in own
            if raw["whenUnsatisfiable"] == action
        ]
    selector = default_selector(pod, objects)
    if selector.empty:
        return []
    return [Constraint(raw, selector) for raw in defaults if raw["whenUnsatisfiable"] == action]


def default_selector(pod: PodView, objects: Iterable[Json]) -> Selector:
    """What the Services of the pod and its controller have in common."""
    requirements: dict[str, str] = {}
    found = [each for each in objects if each["metadata"]["namespace"] == pod.namespace]
    for each in found:
        wanted = each["spec"].get("selector") or {}
        if each["kind"] == "Service" and all(pod.labels.get(k) == v for k, v in wanted.items()):
            requirements |= wanted
    selector = labels.selector_from_set(requirements)
    for owner in pod.raw["metadata"].get("ownerReferences") or ():
        for each in found:
            if any(owner[name] != each[name] for name in ("apiVersion", "kind")):
                continue
            if owner["name"] == each["metadata"]["name"] and owner.get("controller"):
                if each["kind"] == "ReplicationController":
                    return labels.selector_from_set(requirements | each["spec"]["selector"])
                wanted = labels.from_label_selector(each["spec"]["selector"])
                return selector.add(*wanted.requirements)
    return selector


def pre_filter(
    pod: PodView, nodes: Iterable[NodeInfo], constraints: Sequence[Constraint]
) -> list[dict[str, int]]:
    """For each constraint how many pods alike are in each domain that counts."""
    counts: list[dict[str, int]] = [{} for _ in constraints]
    for node in nodes:
        if not _has_all_labels(node, constraints):
            continue
        for here, constraint in zip(counts, constraints, strict=True):
            if _counts(node, constraint, pod):
                domain = node.view.labels[constraint.key]
                here[domain] = here.get(domain, 0) + _pods_alike(node, constraint, pod)
    return counts


def change(
    counts: list[dict[str, int]],
    pod: PodView,
    other: PodView,
    node: NodeInfo,
    by: int,
    constraints: Sequence[Constraint],
) -> None:
    """Count another pod in on a node, or out, even if it is terminating."""
    if other.namespace != pod.namespace or not _has_all_labels(node, constraints):
        return
    for here, constraint in zip(counts, constraints, strict=True):
        if constraint.selector.matches(other.labels) and _counts(node, constraint, pod):
            here[node.view.labels[constraint.key]] += by


def filter_node(
    counts: list[dict[str, int]], pod: PodView, node: NodeInfo, constraints: Sequence[Constraint]
) -> Status:
    """The verdict on a node."""
    for here, constraint in zip(counts, constraints, strict=True):
        domain = node.view.labels.get(constraint.key)
        if domain is None:
            return unresolvable(f"{REASON} (missing required label)")
        enough = len(here) >= constraint.raw.get("minDomains", 1)
        least = min(here.values()) if enough else 0
        itself = 1 if constraint.selector.matches(pod.labels) else 0
        if here.get(domain, 0) + itself - least > constraint.raw["maxSkew"]:
            return unschedulable(REASON)
    return SUCCESS


def scores(
    pod: PodView,
    nodes: Sequence[NodeInfo],
    feasible: Sequence[NodeInfo],
    constraints: Sequence[Constraint],
    require_all: bool,
) -> tuple[list[int], list[int]]:
    """Raw and normalised scores of the feasible nodes."""
    ignored = [require_all and not _has_all_labels(node, constraints) for node in feasible]
    left = [node for node, leave in zip(feasible, ignored, strict=True) if not leave]
    raw = []
    for node, leave in zip(feasible, ignored, strict=True):
        total = 0.0
        for constraint in constraints:
            if not leave and constraint.key in node.view.labels:
                total += _score(pod, node, nodes, left, constraint, constraints, require_all)
        raw.append(math.floor(total + 0.5))
    counted = [score for score, leave in zip(raw, ignored, strict=True) if not leave]
    return raw, [
        0 if leave else _normalized(score, counted)
        for score, leave in zip(raw, ignored, strict=True)
    ]


def _score(
    pod: PodView,
    node: NodeInfo,
    nodes: Sequence[NodeInfo],
    left: Sequence[NodeInfo],
    constraint: Constraint,
    constraints: Sequence[Constraint],
    require_all: bool,
) -> float:
    if constraint.key == HOSTNAME:
        size, pods = len(left), _pods_alike(node, constraint, pod)
    else:
        size = len({each.view.labels.get(constraint.key, "") for each in left})
        pods = sum(
            _pods_alike(each, constraint, pod)
            for each in nodes
            if each.view.labels.get(constraint.key, "") == node.view.labels[constraint.key]
            and _counts(each, constraint, pod)
            and (not require_all or _has_all_labels(each, constraints))
        )
    return pods * math.log(size + 2) + float(constraint.raw["maxSkew"] - 1)


def _normalized(score: int, counted: list[int]) -> int:
    least, most = min(counted), max(counted)
    return 100 * (most + least - score) // most if most else 100


def _own_selector(raw: Json, pod: PodView) -> Selector:
    selector = labels.from_label_selector(raw.get("labelSelector"))
    keys = raw.get("matchLabelKeys") or ()
    own = {key: pod.labels[key] for key in keys if key in pod.labels}
    if not own or selector is labels.NOTHING:
        return selector
    return selector.add(*labels.selector_from_set(own).requirements)


def _has_all_labels(node: NodeInfo, constraints: Sequence[Constraint]) -> bool:
    return all(constraint.key in node.view.labels for constraint in constraints)


def _counts(node: NodeInfo, constraint: Constraint, pod: PodView) -> bool:
    required = node_selector.required_of(pod.raw["spec"])
    honors_affinity = constraint.raw.get("nodeAffinityPolicy", "Honor") == "Honor"
    if honors_affinity and not required.match_node(node.view.raw):
        return False
    if constraint.raw.get("nodeTaintsPolicy", "Ignore") == "Honor":
        for taint in node.view.taints:
            hard = taint.effect in ("NoSchedule", "NoExecute")
            if hard and not any(each.tolerates(taint) for each in pod.tolerations):
                return False
    return True


def _pods_alike(node: NodeInfo, constraint: Constraint, pod: PodView) -> int:
    """An empty selector counts nobody, although it matches everybody."""
    if constraint.selector.empty:
        return 0
    return sum(
        1
        for other in node.pods.values()
        if other.namespace == pod.namespace
        and "deletionTimestamp" not in other.raw["metadata"]
        and constraint.selector.matches(other.labels)
    )
