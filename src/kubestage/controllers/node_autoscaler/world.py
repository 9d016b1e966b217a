"""The cluster as one scan of the autoscaler finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers import pods
from kubestage.controllers.node_autoscaler import groups, pod_state, provider
from kubestage.objects import gvk
from kubestage.objects.views import pod as pod_views

if TYPE_CHECKING:
    from kubestage.controllers.lister import Lister
    from kubestage.controllers.node_autoscaler.groups import Group
    from kubestage.controllers.node_autoscaler.provider import Machines, Provider
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.objects.views.pod import PodView


BUDGET: Final = ("policy/v1", "PodDisruptionBudget")


class World(msgspec.Struct):
    """Nodes, pods by where they stand, and groups with their nodes and requests.

    `allocated` are pods that count on a node, `unschedulable` those that fit none; expendable ones
    are in neither.
    """

    now_ns: int
    groups: dict[str, Group]
    nodes: dict[str, Json]
    nodes_of: dict[str, list[Json]]
    machines: dict[str, Machines]
    allocated: list[PodView]
    unschedulable: list[PodView]
    daemon_sets: list[Json]

    def group_of(self, node: Json) -> Group | None:
        """The group of a node, if there is one."""
        return self.groups.get(groups.name_of(node))

    def target(self, name: str) -> int:
        """How many nodes a group is to have."""
        machines = self.machines[name]
        return len(self.nodes_of[name]) + len(machines.coming) + machines.missing


class Observer:
    """Reads the cluster, and reuses views of pods that have not changed."""

    def __init__(self, lister: Lister, provider: Provider) -> None:
        self._lister = lister
        self._provider = provider
        self._views: dict[str, PodView] = {}

    def observe(self, now_ns: int, settings: NodeAutoscalerSettings) -> World:
        """The cluster as it is now."""
        known = {group.name: group for group in self._provider.groups()}
        nodes = {node["metadata"]["name"]: node for node in self._lister.all(provider.NODE)}
        nodes_of: dict[str, list[Json]] = {name: [] for name in known}
        for node in nodes.values():
            name = groups.name_of(node)
            if name in nodes_of:
                nodes_of[name].append(node)
        machines = {name: self._provider.machines(name) for name in known}
        daemon_sets = self._lister.all(gvk.DAEMON_SET)
        allocated, unschedulable = self._pods(settings.expendable_pods_priority_cutoff)
        return World(
            now_ns, known, nodes, nodes_of, machines, allocated, unschedulable, daemon_sets
        )

    def _pods(self, cutoff: int) -> tuple[list[PodView], list[PodView]]:
        allocated: list[PodView] = []
        unschedulable: list[PodView] = []
        views, before = {}, self._views
        collection = self._lister.collection(pods.POD)
        for key in collection.keys(None):
            pod = collection.objects[key]
            view = before.get(key)
            if view is None or view.raw is not pod:
                view = pod_views.of(pod, key)
            views[key] = view
            if view.priority < cutoff or pods.is_terminal(pod):
                continue
            if view.node_name:
                allocated.append(view)
            elif pods.is_terminating(pod):
                continue
            elif view.nominated_node_name:
                allocated.append(nominated(view))
            elif pod_state.is_unschedulable(pod):
                unschedulable.append(view)
        self._views = views
        return allocated, unschedulable


def nominated(view: PodView) -> PodView:
    """A pod as if it were on the node that was promised to it."""
    return msgspec.structs.replace(view, node_name=view.nominated_node_name)
