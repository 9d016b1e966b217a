"""What a new node of a group would be like, with the daemons that would run on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.daemonset.placement import Placement
from kubestage.controllers.node_autoscaler import groups, node_state, pod_state
from kubestage.controllers.node_autoscaler.node_state import NO_RULES
from kubestage.controllers.ownership import controller_of
from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views

if TYPE_CHECKING:
    from kubestage.controllers.node_autoscaler.groups import Group
    from kubestage.controllers.node_autoscaler.node_state import TaintRules
    from kubestage.controllers.node_autoscaler.world import World
    from kubestage.objects.resource_totals import Resource
    from kubestage.objects.views.pod import PodView


_TEMPLATE: Final = "cluster-autoscaler.kubernetes.io/template-node"
_CRITICAL: Final = "system-node-critical"
_DEPRECATED: Final = {
    "node.kubernetes.io/instance-type": "beta.kubernetes.io/instance-type",
    "topology.kubernetes.io/region": "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone": "failure-domain.beta.kubernetes.io/zone",
}


class Template(msgspec.Struct, frozen=True):
    """A node of a group as it would be, and the pods that it would have from the start."""

    node: Json
    pods: tuple[PodView, ...]
    allocatable: Resource
    capacity: Resource

    def copy(self, suffix: str) -> tuple[Json, list[PodView]]:
        """A node like this under a name of its own, and its pods."""
        name = f"{self.node['metadata']['name']}-{suffix}"
        metadata = self.node["metadata"]
        labels = {**metadata["labels"], groups.HOSTNAME: name}
        node = {**self.node, "metadata": {**metadata, "name": name, "labels": labels}}
        return node, [_moved(pod, name, suffix) for pod in self.pods]


class Templates:
    """The templates of all groups.

    A node that a group has had for a while is the best example of what the next one will be like,
    even if it is gone by now; before there was any, the group's own description has to do.
    """

    def __init__(self, *, forces_daemons: bool, taint_rules: TaintRules) -> None:
        self._forces_daemons = forces_daemons
        self._taint_rules = taint_rules
        self._examples: dict[str, Template] = {}
        self._made = 0

    def of_all(self, world: World) -> dict[str, Template]:
        """What a new node of each group would be like."""
        on_node: dict[str, list[PodView]] | None = None
        for name, node in _examples(world).items():
            if on_node is None:
                on_node = _by_node(world.allocated)
            pods = on_node.get(node["metadata"]["name"], [])
            group = world.groups[name]
            self._examples[name] = self._of_node(group, node, pods, world.daemon_sets)
        return {
            name: self._examples.get(name) or self._of_description(group, world)
            for name, group in world.groups.items()
        }

    def forget(self, name: str) -> None:
        """A group is no more."""
        self._examples.pop(name, None)

    def _next(self) -> str:
        """A number for another template, whose nodes are others than those of the last one."""
        self._made += 1
        return f"-{self._made}"

    def _of_description(self, group: Group, world: World) -> Template:
        rules = self._taint_rules
        return of_description(group, world.daemon_sets, rules, suffix=self._next())

    def _of_node(
        self, group: Group, example: Json, pods: list[PodView], daemon_sets: list[Json]
    ) -> Template:
        spec = {
            name: value
            for name, value in (example.get("spec") or {}).items()
            if name not in ("taints", "unschedulable")
        }
        lasting = node_state.lasting_taints(example, self._taint_rules)
        if lasting:
            spec["taints"] = lasting
        staying = [
            pod
            for pod in pods
            if pod.deletion_ns is None and (pod_state.is_mirror(pod) or pod_state.is_daemon(pod))
        ]
        owners = [controller_of(pod.raw) for pod in pods if pod.deletion_ns is None]
        running = {owner["uid"] for owner in owners if owner and owner["kind"] == "DaemonSet"}
        absent = [each for each in daemon_sets if each["metadata"]["uid"] not in running]
        node = _named(group, {**example, "spec": spec}, self._next())
        coming = _daemons(node, absent)
        if not self._forces_daemons:
            coming = [pod for pod in coming if _is_critical(pod)]
        return _template(node, [*staying, *coming])


def _examples(world: World) -> dict[str, Json]:
    """The first node of each group that is a good example of it."""
    found: dict[str, Json] = {}
    for node in world.nodes.values():
        group = world.group_of(node)
        if group is None or group.name in found:
            continue
        if node_state.is_example(node, world.now_ns):
            found[group.name] = node
    return found


def of_description(
    group: Group,
    daemon_sets: list[Json],
    taint_rules: TaintRules = NO_RULES,
    *,
    suffix: str = "",
) -> Template:
    """A new node as a group describes it."""
    node = group.node(f"template-node-for-{group.name}")
    lasting = node_state.lasting_taints(node, taint_rules)
    node["spec"] = {**node["spec"], "taints": lasting}
    node = _named(group, node, suffix)
    labels = node["metadata"]["labels"]
    labels |= {old: labels[new] for new, old in _DEPRECATED.items() if new in labels}
    return _template(node, _daemons(node, daemon_sets))


def _named(group: Group, node: Json, suffix: str) -> Json:
    name = f"template-node-for-{group.name}{suffix}"
    labels = {
        **(node["metadata"].get("labels") or {}),
        groups.HOSTNAME: name,
        _TEMPLATE: "true",
    }
    return {**node, "metadata": {**node["metadata"], "name": name, "labels": labels}}


def _template(node: Json, pods: list[PodView]) -> Template:
    name = node["metadata"]["name"]
    view = node_views.of(node)
    status = node.get("status") or {}
    as_offered = {**node, "status": {**status, "allocatable": status.get("capacity") or {}}}
    moved = tuple(_moved(pod, name, "template") for pod in pods)
    return Template(node, moved, view.allocatable, node_views.of(as_offered).allocatable)


def _daemons(node: Json, daemon_sets: list[Json]) -> list[PodView]:
    """The pods that DaemonSets would start on a node."""
    found = []
    for daemon_set in daemon_sets:
        placement = Placement(daemon_set, "")
        if placement.verdict(node)[0]:
            pod = placement.pod_for(node["metadata"]["name"])
            metadata = daemon_set["metadata"]
            name = f"{metadata['name']}-pod"
            home = {"name": name, "namespace": metadata["namespace"], "uid": f"{metadata['uid']}/0"}
            found.append(pod_views.of({**pod, "metadata": {**pod["metadata"], **home}}))
    return found


def _moved(pod: PodView, node_name: str, suffix: str) -> PodView:
    """Another pod like this one, on a node."""
    return msgspec.structs.replace(pod, node_name=node_name, uid=f"{pod.uid}/{node_name}/{suffix}")


def _is_critical(pod: PodView) -> bool:
    spec = pod.raw["spec"]
    policy = spec.get("preemptionPolicy") or "PreemptLowerPriority"
    return spec.get("priorityClassName") == _CRITICAL and policy == "PreemptLowerPriority"


def _by_node(pods: list[PodView]) -> dict[str, list[PodView]]:
    found: dict[str, list[PodView]] = {}
    for pod in pods:
        found.setdefault(pod.node_name, []).append(pod)
    return found
