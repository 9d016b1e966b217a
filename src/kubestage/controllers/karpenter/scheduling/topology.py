"""All topology rules of a pass: those of the pods, and those that keep pods away from others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.controllers.karpenter.scheduling import bound_pods, errors
from kubestage.controllers.karpenter.scheduling.topology_groups import (
    ANTI_AFFINITY,
    TopologyGroup,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from kubestage.controllers.karpenter.scheduling.pod_shapes import PodShape
    from kubestage.controllers.karpenter.scheduling.queue import QueuedPod
    from kubestage.controllers.karpenter.scheduling.topology_groups import Rule
    from kubestage.controllers.karpenter.scheduling.topology_index import HashedRule, TopologyIndex
    from kubestage.controllers.karpenter.state.state_node import StateNode
    from kubestage.objects.taints import Taint, Toleration


class Ownership(NamedTuple):
    """The groups whose rules a pod states, and those in which it keeps others away."""

    own: tuple[TopologyGroup, ...]
    inverse: tuple[TopologyGroup, ...]


NOT_TRACKED: Final = Ownership((), ())


class _Matching(NamedTuple):
    """The groups that count pods of a shape, and those whose pods keep it away."""

    counting: list[TopologyGroup]
    repelling: list[TopologyGroup]


class Topology:
    """The groups of a pass by their hash, in whose order they are evaluated.

    Pods that are to be placed are not counted where they are now; missing nodes are about to go.
    """

    def __init__(
        self, index: TopologyIndex, pods: Iterable[QueuedPod], missing: Collection[StateNode]
    ) -> None:
        self._index = index
        self._missing = missing
        self._groups: dict[int, TopologyGroup] = {}
        self._inverse: dict[int, TopologyGroup] = {}
        self._by_host: list[TopologyGroup] = []
        self._owned: dict[PodShape, Ownership] = {}
        self._matching_of: dict[PodShape, _Matching] = {}
        tracked = [queued for queued in pods if queued.tracked]
        uids = {queued.uid for queued in tracked}
        self._excluded = [
            queued.pod for queued in tracked if bound_pods.counts_anywhere(queued.pod)
        ]
        for each in index.repelling:
            if each.uid not in uids:
                group = self._inverse_group(each.hashed, each.tolerations)
                if each.domain is not None:
                    group.record(each.domain)
        for queued in tracked:
            self.owned_by(queued.shape)

    def owned_by(self, shape: PodShape) -> Ownership:
        """The groups of a shape; they are made, and pods of the cluster counted, at first sight."""
        known = self._owned.get(shape)
        if known is None:
            known = self._owned[shape] = self._own(shape)
        return known

    def is_free(self, shape: PodShape) -> bool:
        """Whether no rule matters to a shape."""
        return not self.owned_by(shape).own and not self._matching(shape).repelling

    def narrowed(
        self,
        shape: PodShape,
        owned: Ownership,
        node: Requirements,
    ) -> Requirements | errors.Topology:
        """The requirements of a node with the domains in which the pod may be."""
        matching = (*owned.own, *self._matching(shape).repelling)
        if not matching:
            return node
        added = []
        for group in matching:
            pod_domains, node_domains = shape.strict.get(group.key), node.get(group.key)
            selects = group.rule.selects(shape.namespace, shape.labels)
            domains = group.next_domains(selects, pod_domains, node_domains)
            if domains.is_empty:
                return errors.Topology(group, pod_domains, node_domains)
            added.append(domains)
        return node.plus(Requirements(added))

    def record(
        self, shape: PodShape, owned: Ownership, taints: tuple[Taint, ...], node: Requirements
    ) -> None:
        """The pod goes to a node of these requirements."""
        for group in self._matching(shape).counting:
            if group.rule.node_filter.matches(taints, node):
                domains = node.get(group.key)
                is_known = len(domains.values) == 1 and not domains.complement
                if is_known or group.kind == ANTI_AFFINITY:
                    group.record(*domains.values)
        for group in owned.inverse:
            group.record(*node.get(group.key).values)

    def register_host(self, name: str) -> None:
        """A host exists."""
        for group in self._by_host:
            group.register(name)

    def register_hosts(self, names: frozenset[str]) -> None:
        """Hosts exist, most of which are known."""
        for group in self._by_host:
            group.register(*names.difference(group.domains))

    def _matching(self, shape: PodShape) -> _Matching:
        known = self._matching_of.get(shape)
        if known is None:
            known = self._matching_of[shape] = _Matching(
                _selecting(self._groups, shape), _selecting(self._inverse, shape)
            )
        return known

    def _own(self, shape: PodShape) -> Ownership:
        rules = self._index.rules_of(shape)
        inverse = {each.key: self._inverse_group(each, shape.tolerations) for each in rules.inverse}
        own: dict[int, TopologyGroup] = {}
        for key, rule in rules.own:
            group = self._groups.get(key)
            if group is None:
                group = self._new_group(rule, shape.tolerations)
                self._index.bound.count(group, key, self._excluded, self._missing)
                self._groups[key] = group
            own[key] = group
        return Ownership(tuple(own[key] for key in sorted(own)), tuple(inverse.values()))

    def _inverse_group(
        self, hashed: HashedRule, tolerations: Sequence[Toleration]
    ) -> TopologyGroup:
        group = self._inverse.get(hashed.key)
        if group is None:
            group = self._inverse[hashed.key] = self._new_group(hashed.rule, tolerations)
        return group

    def _new_group(self, rule: Rule, tolerations: Sequence[Toleration]) -> TopologyGroup:
        usable = self._index.usable_domains(rule, tolerations)
        group = TopologyGroup(rule, usable, self._index.options.choose)
        self._matching_of.clear()
        if rule.key == labels.HOSTNAME:
            self._by_host.append(group)
        return group


def _selecting(groups: dict[int, TopologyGroup], shape: PodShape) -> list[TopologyGroup]:
    return [
        groups[key]
        for key in sorted(groups)
        if groups[key].rule.selects(shape.namespace, shape.labels)
    ]
