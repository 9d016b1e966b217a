"""The pods that are on nodes already, as topology rules count them."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, NamedTuple

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.requirements import requirements
from kubestage.controllers.karpenter.scheduling import tolerance, topology_rules
from kubestage.controllers.karpenter.state import pod_state

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.requirements.requirements import Requirements
    from kubestage.controllers.karpenter.scheduling.node_filter import NodeFilter
    from kubestage.controllers.karpenter.scheduling.topology_groups import Rule, TopologyGroup
    from kubestage.controllers.karpenter.state.cluster_state import ClusterState
    from kubestage.controllers.karpenter.state.state_node import StateNode
    from kubestage.objects.taints import Taint

    Labels = tuple[tuple[str, str], ...]


class _NodeView(NamedTuple):
    """A node that may count for a rule."""

    labels: dict[str, str]
    taints: tuple[Taint, ...]
    requirements: Requirements


class _Counts(NamedTuple):
    """What a rule counts, all pods and nodes included."""

    pods: collections.Counter[str]
    nodes: collections.Counter[str]
    domains: dict[str, int]


class BoundPods:
    """All pods on nodes; counts are kept, and what a pass leaves out is deducted."""

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        self._nodes: dict[str, _NodeView | None] = {}
        self._pods: dict[tuple[str, Labels], collections.Counter[str]] | None = None
        self._counts: dict[tuple[int, NodeFilter], _Counts] = {}

    def count(
        self,
        group: TopologyGroup,
        key: int,
        excluded: Iterable[Json],
        missing: Collection[StateNode],
    ) -> None:
        """Count what a new group of this hash selects, and note the domains of nodes.

        Excluded pods are about to be placed, and missing nodes about to go.
        """
        rule = group.rule
        counts = self._counts.get((key, rule.node_filter))
        if counts is None:
            counts = self._counts[key, rule.node_filter] = self._count_all(rule)
        gone = [
            domain
            for domain, number in collections.Counter(self._domains(rule, missing)).items()
            if counts.nodes[domain] <= number
        ]
        fewer = self._excluded(rule, excluded)
        # Domains that only pods make known are forgotten with the last of them.
        gone += [domain for domain in fewer if not counts.nodes[domain]]
        left = {domain: counts.pods[domain] - fewer[domain] for domain in {*gone, *fewer}}
        group.start(counts.domains, gone, left)

    def _count_all(self, rule: Rule) -> _Counts:
        pods: collections.Counter[str] = collections.Counter()
        selector = topology_rules.counted_selector(rule.raw_selector)
        for (namespace, stated), by_node in self._by_labels().items():
            if namespace in rule.namespaces and selector.matches(dict(stated)):
                for name, number in by_node.items():
                    domain = self._domain(rule, name)
                    if domain is not None:
                        pods[domain] += number
        nodes = collections.Counter(self._domains(rule, self._cluster.nodes()))
        return _Counts(pods, nodes, {**dict.fromkeys(nodes, 0), **pods})

    def _domains(self, rule: Rule, nodes: Iterable[StateNode]) -> Iterable[str]:
        """The domain of each node that counts."""
        for state_node in nodes:
            domain = state_node.labels.get(rule.key)
            if state_node.node is None or domain is None:
                continue
            view = self._node(state_node.node["metadata"]["name"])
            if view is not None and rule.node_filter.matches(view.taints, view.requirements):
                yield domain

    def _excluded(self, rule: Rule, pods: Iterable[Json]) -> collections.Counter[str]:
        found: collections.Counter[str] = collections.Counter()
        selector = topology_rules.counted_selector(rule.raw_selector)
        for pod in pods:
            metadata = pod["metadata"]
            if (metadata.get("namespace") or "") not in rule.namespaces:
                continue
            if selector.matches(metadata.get("labels") or {}):
                domain = self._domain(rule, pod["spec"]["nodeName"])
                if domain is not None:
                    found[domain] += 1
        return found

    def _domain(self, rule: Rule, name: str) -> str | None:
        """The domain in which pods of a node count; a host without that label has its name."""
        view = self._node(name)
        if view is None:
            return None
        domain = view.labels.get(rule.key)
        if domain is None and rule.key == labels.HOSTNAME:
            domain = name
        if domain is None or not rule.node_filter.matches(view.taints, view.requirements):
            return None
        return domain

    def _by_labels(self) -> dict[tuple[str, Labels], collections.Counter[str]]:
        if self._pods is None:
            self._pods = {}
            for pod in filter(counts_anywhere, self._cluster.objects.all("Pod")):
                metadata = pod["metadata"]
                stated = tuple((metadata.get("labels") or {}).items())
                by_node = self._pods.setdefault(
                    (metadata.get("namespace") or "", stated), collections.Counter()
                )
                by_node[pod["spec"]["nodeName"]] += 1
        return self._pods

    def _node(self, name: str) -> _NodeView | None:
        if name not in self._nodes:
            node = self._cluster.objects.get("Node", name)
            self._nodes[name] = None if node is None else _view(node)
        return self._nodes[name]


def counts_anywhere(pod: Json) -> bool:
    """Whether a pod is on a node and stays there for now."""
    return bool(pod["spec"].get("nodeName")) and pod_state.is_active(pod)


def _view(node: Json) -> _NodeView:
    stated = node["metadata"].get("labels") or {}
    taints = tolerance.taints_of((node.get("spec") or {}).get("taints"))
    return _NodeView(stated, taints, requirements.of_labels(stated))
