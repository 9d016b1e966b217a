"""What topology looks up that no pass changes: rules of pods, domains, and pods on their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.controllers.karpenter.scheduling import tolerance, topology_rules
from kubestage.controllers.karpenter.scheduling.bound_pods import BoundPods
from kubestage.controllers.karpenter.state import pod_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.scheduling.options import Options
    from kubestage.controllers.karpenter.scheduling.pod_shapes import PodShape
    from kubestage.controllers.karpenter.scheduling.topology_domains import Domains
    from kubestage.controllers.karpenter.scheduling.topology_groups import Rule
    from kubestage.controllers.karpenter.state.cluster_state import ClusterState
    from kubestage.objects.taints import Toleration


class HashedRule(NamedTuple):
    """A rule, and the hash of its group."""

    key: int
    rule: Rule


class ShapeRules(NamedTuple):
    """The rules that a pod states for itself, and those by which it keeps others away."""

    own: tuple[HashedRule, ...]
    inverse: tuple[HashedRule, ...]


class Repelling(NamedTuple):
    """A pod on a node that keeps others away, and its domain there."""

    uid: str
    tolerations: tuple[Toleration, ...]
    hashed: HashedRule
    domain: str | None


class TopologyIndex:
    """Made once for all passes over one state of the cluster."""

    def __init__(
        self, cluster: ClusterState, domains: Mapping[str, Domains], options: Options
    ) -> None:
        self.options = options
        self.bound = BoundPods(cluster)
        self._domains = domains
        self._namespaces = topology_rules.Namespaces(cluster.objects.all("Namespace"))
        self._rules: dict[PodShape, ShapeRules] = {}
        self.repelling = [
            Repelling(
                pod["metadata"].get("uid") or "",
                tolerance.tolerations_of(pod),
                hashed,
                (node["metadata"].get("labels") or {}).get(hashed.rule.key),
            )
            for pod, node in _repelling(cluster)
            for hashed in self._inverse(pod)
        ]

    def rules_of(self, shape: PodShape) -> ShapeRules:
        """The rules of a pod, preferred ones included unless preferences are ignored."""
        known = self._rules.get(shape)
        if known is None:
            included = not self.options.ignores_preferences
            own = topology_rules.spreads(shape.pod, with_preferences=included)
            own += topology_rules.affinities(shape.pod, self._namespaces, with_preferences=included)
            known = ShapeRules(tuple(map(_hashed, own)), self._inverse(shape.pod))
            self._rules[shape] = known
        return known

    def usable_domains(self, rule: Rule, tolerations: Sequence[Toleration]) -> Iterable[str]:
        """The domains in which a pod of these tolerations could get a node."""
        domains = self._domains.get(rule.key)
        if domains is None:
            return ()
        return domains.usable(tolerations, rule.node_filter.taint_policy)

    def _inverse(self, pod: Json) -> tuple[HashedRule, ...]:
        return tuple(map(_hashed, topology_rules.required_anti_affinities(pod, self._namespaces)))


def _hashed(rule: Rule) -> HashedRule:
    return HashedRule(topology_rules.hash_of(rule), rule)


def _repelling(cluster: ClusterState) -> Iterable[tuple[Json, Json]]:
    """The pods on nodes that keep others away, with their nodes."""
    for pod in cluster.repelling_pods:
        name = pod["spec"].get("nodeName")
        node = cluster.node_named(name) if name and not pod_state.is_terminal(pod) else None
        if node is not None and node.node is not None:
            yield pod, node.node
