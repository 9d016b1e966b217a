"""Which group grows, and by how many nodes, for pods that fit nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.node_autoscaler import balancing, equivalence, estimator
from kubestage.controllers.node_autoscaler.expanders import Option
from kubestage.controllers.node_autoscaler.quotas import Quotas
from kubestage.controllers.node_autoscaler.scan_result import NoScaleUp

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.balancing import Growth
    from kubestage.controllers.node_autoscaler.cluster_state import ClusterState
    from kubestage.controllers.node_autoscaler.equivalence import PodGroup
    from kubestage.controllers.node_autoscaler.expanders import Expander
    from kubestage.controllers.node_autoscaler.groups import Group
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.templates import Template
    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.controllers.node_autoscaler.world import World
    from kubestage.objects.views.pod import PodView

_BACKOFF: Final = "in backoff after failed scale-up"
_AT_MOST: Final = "max node group size reached"
_NOT_READY: Final = "not ready for scale-up"
_ATOMIC_LIMIT: Final = "atomic scale-up exceeds cluster node count limit"
FAILED: Final = "scale-up execution failed"
FILTERED_OUT: Final = "expansion options filtered out and no longer considered"
ALREADY_FULL: Final = "max node total count already reached"


class ScaleUpPlan(msgspec.Struct):
    """What is to be done: groups that grow for the pods of the best option.

    `is_capped` means that the cluster may not have as many nodes as it would take, and `error` that
    it may not have any.
    """

    best: Option | None = None
    growths: list[Growth] = []
    is_capped: bool = False
    error: str = ""
    rejection: str = ""


class ScaleUp:
    """The decision of one scan of the cluster."""

    def __init__(
        self,
        world: World,
        snapshot: Snapshot,
        templates: Mapping[str, Template],
        state: ClusterState,
        settings: NodeAutoscalerSettings,
        nodes: Sequence[Json],
    ) -> None:
        self._world = world
        self._snapshot = snapshot
        self._templates = templates
        self._state = state
        self._settings = settings
        self._node_count = len(nodes)
        self._quotas = Quotas.above(nodes, settings, world.group_of)
        self._alike: list[PodGroup] = []
        self._skipped: dict[str, tuple[str, ...]] = {}

    def plan(self, pods: Sequence[PodView], expander: Expander) -> ScaleUpPlan:
        """Decide what to do for pods."""
        alike = self._alike = equivalence.groups_of(pods)
        open_groups = []
        for group in self._world.groups.values():
            reason = self._reason_against(group)
            if reason:
                self._skipped[group.name] = (reason,)
            else:
                open_groups.append(group)
        taken = {group.name: self._taken_by(group, alike) for group in open_groups}
        options = [
            option for group in open_groups if (option := self._option(group, taken)) is not None
        ]
        if not options:
            return ScaleUpPlan()
        best = expander.best(options, len(self._world.nodes))
        if best is None:
            return ScaleUpPlan(rejection=FILTERED_OUT)
        return self._growth(best, taken)

    def to_least_sizes(self) -> ScaleUpPlan:
        """Have groups grow that are smaller than they should be at least."""
        plan, most = ScaleUpPlan(), self._settings.max_nodes_total
        for group in self._world.groups.values():
            target = self._world.target(group.name)
            if target >= group.min_size or self._reason_not_to_grow(group):
                continue
            node = self._node(group.name)
            if self._quotas.reason_against(node, group):
                continue
            count = self._quotas.allowed(node, group.min_size - target, group)
            if most > 0 and count + target > most:
                count, plan.is_capped = most - target, True
            if count > 0:
                growth = balancing.Growth(group.name, target, target + count, group.max_size)
                plan.growths.append(growth)
        return plan

    def awaiting(self, best: str) -> list[PodView]:
        """The pods that another group would take, and not the one that grows."""
        return [
            pod
            for each in self._alike
            if each.takers and best in each.refusals
            for pod in each.pods
        ]

    def remaining(self) -> list[NoScaleUp]:
        """The pods that no group would take, each with the reasons against the groups."""
        return [
            NoScaleUp(pod, each.refusals, self._skipped)
            for each in self._alike
            if not each.takers
            for pod in each.pods
        ]

    def reject(self, reason: str, groups: Collection[str] | None = None) -> None:
        """Have groups take nothing after all; pods that only these would take remain."""
        for each in self._alike:
            left = [name for name in each.takers if groups is not None and name not in groups]
            for name in each.takers:
                if groups is None or name in groups:
                    each.refusals[name] = (reason,)
            each.takers = left

    def _node(self, name: str) -> Json:
        return self._templates[name].node

    def _reason_against(self, group: Group) -> str:
        """Why a group cannot grow at all; empty if it can."""
        reason = self._reason_not_to_grow(group)
        target = self._world.target(group.name)
        if reason or target >= group.max_size:
            return reason or _AT_MOST
        count, most = 1, self._settings.max_nodes_total
        if self._is_atomic(group):
            count = group.max_size - target
            if most and self._node_count + count > most:
                return _ATOMIC_LIMIT
        return self._quotas.reason_against(self._node(group.name), group, count)

    def _reason_not_to_grow(self, group: Group) -> str:
        if not self._state.is_group_healthy(group.name):
            return _NOT_READY
        return _BACKOFF if self._state.is_backed_off(group.name, self._world.now_ns) else ""

    def _is_atomic(self, group: Group) -> bool:
        return self._world.options[group.name].zero_or_max_node_scaling

    def _taken_by(self, group: Group, alike: list[PodGroup]) -> list[PodGroup]:
        """The pods that a new node of a group would take."""
        snapshot = self._snapshot
        node, pods = self._templates[group.name].copy("0")
        name = node["metadata"]["name"]
        snapshot.fork()
        snapshot.add_node(node, pods)
        taken = []
        for each in alike:
            reasons = snapshot.reasons_against(each.exemplar, name)
            if reasons is None:
                each.takers.append(group.name)
                taken.append(each)
            else:
                each.refusals[group.name] = reasons
        snapshot.revert()
        return taken

    def _option(self, group: Group, taken: Mapping[str, list[PodGroup]]) -> Option | None:
        if not taken[group.name]:
            return None
        similar = self._similar(group, taken)
        template = self._templates[group.name]
        most = self._most_nodes([group.name, *similar])
        found = estimator.estimate(self._snapshot, taken[group.name], template, most)
        if not found.pods or not found.node_count:
            return None
        count = group.max_size if self._is_atomic(group) else found.node_count
        return Option(group, template, count, found.pods, similar)

    def _similar(self, group: Group, taken: Mapping[str, list[PodGroup]]) -> tuple[str, ...]:
        """Groups that would take the same pods and whose nodes are about the same."""
        settings = self._settings
        if not settings.balance_similar_node_groups or self._is_atomic(group):
            return ()
        template = self._templates[group.name]
        desired = {id(each) for each in taken[group.name]}
        return tuple(
            name
            for name, theirs in taken.items()
            if name != group.name
            and balancing.are_similar(template, self._templates[name], settings)
            and self._state.is_safe_to_grow(name, self._world.now_ns)
            and desired <= {id(each) for each in theirs}
        )

    def _most_nodes(self, names: Sequence[str]) -> int:
        """How many nodes may be added to groups at most."""
        world, settings = self._world, self._settings
        most = sum(max(world.groups[each].max_size - world.target(each), 0) for each in names)
        if settings.max_nodes_per_scaleup > 0:
            most = min(most, settings.max_nodes_per_scaleup)
        if settings.max_nodes_total > 0:
            most = min(most, settings.max_nodes_total - self._node_count)
        return max(most, 0)

    def _growth(self, best: Option, taken: Mapping[str, list[PodGroup]]) -> ScaleUpPlan:
        world, most = self._world, self._settings.max_nodes_total
        count, is_capped = best.node_count, False
        if most > 0 and count + self._node_count > most:
            count, is_capped = most - self._node_count, True
            if count < 1:
                return ScaleUpPlan(best, is_capped=True, error=ALREADY_FULL, rejection=FAILED)
        count = self._quotas.allowed(best.template.node, count, best.group)
        similar = [
            name
            for name in self._similar(best.group, taken)
            if not self._quotas.reason_against(self._node(name), world.groups[name])
        ]
        sizes = [
            (name, world.target(name), world.groups[name].max_size)
            for name in (best.group.name, *similar)
        ]
        growths = []
        for growth in balancing.balanced(sizes, count):
            node, group = self._node(growth.group), world.groups[growth.group]
            growth.new = growth.current + self._quotas.allowed(node, growth.increase, group)
            if growth.increase:
                self._quotas.take(node, growth.increase, group)
                growths.append(growth)
        return ScaleUpPlan(best, growths, is_capped)
