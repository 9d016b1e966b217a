"""Which group grows, and by how many nodes, for pods that fit nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.node_autoscaler import balancing, equivalence, estimator
from kubestage.controllers.node_autoscaler.expanders import Option
from kubestage.controllers.node_autoscaler.quotas import Quotas

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


class ScaleUpPlan(msgspec.Struct, frozen=True):
    """What is to be done: groups that grow for some pods, and pods that cannot be helped, and why.

    `is_capped` means that the cluster may not have as many nodes as it would take.
    """

    growths: list[Growth]
    helped: list[PodView] = []
    beyond_help: list[tuple[PodView, str]] = []
    is_capped: bool = False


class ScaleUp:
    """The decision of one scan of the cluster."""

    def __init__(
        self,
        world: World,
        snapshot: Snapshot,
        templates: Mapping[str, Template],
        state: ClusterState,
        settings: NodeAutoscalerSettings,
    ) -> None:
        self._world = world
        self._snapshot = snapshot
        self._templates = templates
        self._state = state
        self._settings = settings
        names = snapshot.node_names
        self._node_count = len(names)
        nodes = [node for node in map(snapshot.node, names) if node is not None]
        self._quotas = Quotas.above(nodes, settings)

    def plan(self, pods: Sequence[PodView], expander: Expander) -> ScaleUpPlan:
        """Decide what to do for pods."""
        alike = equivalence.groups_of(pods)
        skipped: dict[str, str] = {}
        open_groups = []
        for group in self._world.groups.values():
            reason = self._reason_against(group)
            if reason:
                skipped[group.name] = reason
            else:
                open_groups.append(group)
        taken = {group.name: self._taken_by(group, alike) for group in open_groups}
        options = [
            option for group in open_groups if (option := self._option(group, taken)) is not None
        ]
        best = expander.best(options, len(self._world.nodes))
        if best is None:
            return ScaleUpPlan([], beyond_help=_beyond_help(alike, skipped))
        return self._growth(best, taken)

    def to_least_sizes(self) -> list[Growth]:
        """Have groups grow that are smaller than they should be at least."""
        growths = []
        for group in self._world.groups.values():
            target = self._world.target(group.name)
            if target >= group.min_size or self._reason_against(group):
                continue
            count = self._quotas.allowed(self._node(group.name), group.min_size - target)
            if self._settings.max_nodes_total:
                count = min(count, self._settings.max_nodes_total - target)
            if count > 0:
                growth = balancing.Growth(group.name, target, target + count, group.max_size)
                growths.append(growth)
        return growths

    def _node(self, name: str) -> dict[str, object]:
        return self._templates[name].node

    def _reason_against(self, group: Group) -> str:
        """Why a group cannot grow at all; empty if it can."""
        if not self._state.is_group_healthy(group.name):
            return _NOT_READY
        if self._state.is_backed_off(group.name, self._world.now_ns):
            return _BACKOFF
        if self._world.target(group.name) >= group.max_size:
            return _AT_MOST
        return self._quotas.reason_against(self._node(group.name))

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
        return Option(group, template, found.node_count, found.pods, similar)

    def _similar(self, group: Group, taken: Mapping[str, list[PodGroup]]) -> tuple[str, ...]:
        """Groups that would take the same pods and whose nodes are about the same."""
        settings = self._settings
        if not settings.balance_similar_node_groups:
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
        count = self._quotas.allowed(best.template.node, count)
        similar = [
            name
            for name in self._similar(best.group, taken)
            if not self._quotas.reason_against(self._node(name))
        ]
        sizes = [
            (name, world.target(name), world.groups[name].max_size)
            for name in (best.group.name, *similar)
        ]
        growths = []
        for growth in balancing.balanced(sizes, count):
            node = self._node(growth.group)
            growth.new = growth.current + self._quotas.allowed(node, growth.increase)
            if growth.increase:
                self._quotas.take(node, growth.increase)
                growths.append(growth)
        return ScaleUpPlan(growths, best.pods, is_capped=is_capped)


def _beyond_help(alike: list[PodGroup], skipped: Mapping[str, str]) -> list[tuple[PodView, str]]:
    """The pods that no group would take, each with the reasons against the groups."""
    return [
        (pod, reasons)
        for each in alike
        if not each.takers
        for reasons in (_counted(each, skipped),)
        for pod in each.pods
    ]


def _counted(each: PodGroup, skipped: Mapping[str, str]) -> str:
    counts: dict[str, int] = {}
    for reasons in (*each.refusals.values(), *((reason,) for reason in skipped.values())):
        for reason in reasons:
            counts[reason] = counts.get(reason, 0) + 1
    return ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
