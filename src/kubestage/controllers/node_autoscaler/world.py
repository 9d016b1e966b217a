"""The cluster as one scan of the autoscaler finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers import pods
from kubestage.controllers.node_autoscaler import group_options, node_state, pod_state
from kubestage.objects import gvk
from kubestage.objects.views import pod as pod_views

if TYPE_CHECKING:
    from kubestage.controllers.lister import Lister
    from kubestage.controllers.node_autoscaler.cloud_provider import CloudProvider
    from kubestage.controllers.node_autoscaler.group_options import GroupOptions
    from kubestage.controllers.node_autoscaler.groups import Group
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.objects.views.pod import PodView


BUDGET: Final = ("policy/v1", "PodDisruptionBudget")


class World(msgspec.Struct):
    """Nodes, pods by where they stand, and groups with their nodes and options.

    `allocated` are pods that count on a node, `unschedulable` those that fit none; expendable ones
    are in neither. A node that is not ready for a reason of its own is not ready here.
    """

    now_ns: int
    groups: dict[str, Group]
    options: dict[str, GroupOptions]
    nodes: dict[str, Json]
    group_names: dict[str, str]
    provider: CloudProvider
    allocated: list[PodView]
    unschedulable: list[PodView]
    daemon_sets: list[Json]

    def group_of(self, node: Json) -> Group | None:
        """The group of a node, if there is one."""
        return self.groups.get(self.group_names.get(node["metadata"]["name"], ""))

    def target(self, name: str) -> int:
        """How many nodes a group is to have by now."""
        return self.provider.target_size(name)


class Observer:
    """Reads the cluster, and reuses views of pods that have not changed."""

    def __init__(
        self, lister: Lister, provider: CloudProvider, settings: NodeAutoscalerSettings
    ) -> None:
        self._lister = lister
        self._provider = provider
        self._settings = settings
        self._views: dict[str, PodView] = {}
        self._options: dict[str, tuple[Json, GroupOptions]] = {}

    def observe(self, now_ns: int) -> World:
        """The cluster as it is now."""
        provider = self._provider
        known = {group.name: group for group in provider.groups()}
        nodes = {
            node["metadata"]["name"]: self._as_seen(node) for node in self._lister.all(gvk.NODE)
        }
        group_names = {name: provider.group_of(node) for name, node in nodes.items()}
        allocated, unschedulable = self._pods()
        return World(
            now_ns,
            known,
            self._options_of(known),
            nodes,
            group_names,
            provider,
            allocated,
            unschedulable,
            self._lister.all(gvk.DAEMON_SET),
        )

    def _as_seen(self, node: Json) -> Json:
        """A node, not ready if it has a startup taint or waits for its GPUs.

        Of a node that is closed to pods that does not count, as in cluster-autoscaler.
        """
        if not node_state.is_ready_and_open(node):
            return node
        gpu = self._provider.gpu_of(node)
        is_startup = self._settings.taint_rules.is_startup
        if (gpu is not None and not node_state.offers_gpu(node)) or any(
            is_startup(taint["key"]) for taint in node_state.taints_of(node)
        ):
            return node_state.unready_copy(node)
        return node

    def _options_of(self, known: dict[str, Group]) -> dict[str, GroupOptions]:
        found: dict[str, tuple[Json, GroupOptions]] = {}
        for name, group in known.items():
            before = self._options.get(name)
            if before is None or before[0] is not group.options:
                before = group.options, group_options.complete(group.options, self._settings)
            found[name] = before
        self._options = found
        return {name: options for name, (_, options) in found.items()}

    def _pods(self) -> tuple[list[PodView], list[PodView]]:
        cutoff = self._settings.expendable_pods_priority_cutoff
        allowed = self._settings.allowed_scheduler_names
        bypassed = self._settings.bypassed_scheduler_names
        bound: list[PodView] = []
        promised: list[PodView] = []
        unschedulable: list[PodView] = []
        untried: list[PodView] = []
        views, before = {}, self._views
        for pod in self._lister.all(gvk.POD):
            metadata = pod["metadata"]
            key = f"{metadata['namespace']}/{metadata['name']}"
            view = before.get(key)
            if view is None or view.raw is not pod:
                view = pod_views.of(pod, key)
            views[key] = view
            if pod_state.is_expendable(view, cutoff) or pods.is_terminal(pod):
                continue
            if allowed and pod["spec"].get("schedulerName") not in allowed:
                continue
            if view.node_name:
                bound.append(view)
            elif pods.is_terminating(pod):
                continue
            elif view.nominated_node_name:
                promised.append(nominated(view))
            elif pod_state.is_unschedulable(pod):
                unschedulable.append(view)
            elif pod_state.is_untried(pod, bypassed):
                untried.append(view)
        self._views = views
        return [*bound, *promised], [*unschedulable, *untried]


def nominated(view: PodView) -> PodView:
    """A pod as if it were on the node that was promised to it."""
    return msgspec.structs.replace(view, node_name=view.nominated_node_name)
