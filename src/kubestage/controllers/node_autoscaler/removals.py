"""Nodes that are to go: tried on a copy, and chosen when their time has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.node_autoscaler import eligibility, node_state
from kubestage.controllers.node_autoscaler.cloud_provider import instance_id
from kubestage.controllers.node_autoscaler.quotas import Quotas
from kubestage.controllers.node_autoscaler.scan_result import Unremovable
from kubestage.controllers.node_autoscaler.unneeded import Unneeded

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.hinting import HintingSimulator
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.controllers.node_autoscaler.world import World
    from kubestage.objects.views.pod import PodView

NOT_ATOMIC: Final = "AtomicScaleDownFailed"
ON_COMPLETION: Final = "BlockedByOnCompletionPod"


class Chosen(msgspec.Struct):
    """Nodes that may go, those without pods to be moved first, and nodes that have to wait."""

    empty: list[Unneeded] = []
    occupied: list[Unneeded] = []
    waiting: list[Unremovable] = []


def simulate(
    simulator: HintingSimulator,
    snapshot: Snapshot,
    name: str,
    pods: Sequence[PodView],
    destinations: Collection[str],
    now_ns: int,
) -> dict[str, str]:
    """Move pods of a node to others and take it away, if all find a place; where they went.

    The node stays as one without pods while they are tried: it still counts where pods are spread
    over nodes or zones.
    """
    node = snapshot.node(name)
    assert node is not None
    snapshot.fork()
    # The last one first: should they come back, it is in the order in which they were.
    for pod in reversed(snapshot.pods(name)):
        snapshot.remove_pod(name, pod)
    snapshot.change_node(_marked(node, now_ns))
    homeless = [msgspec.structs.replace(pod, node_name="") for pod in pods]
    others = [each for each in destinations if each != name]
    placements = simulator.schedule(snapshot, homeless, frozenset(others), stops=True)
    if len(placements) < len(pods):
        snapshot.revert()
    else:
        snapshot.remove_node(name)
        snapshot.commit()
    return placements


def choose(
    world: World,
    snapshot: Snapshot,
    settings: NodeAutoscalerSettings,
    unneeded: Sequence[Unneeded],
    going: Mapping[str, str],
) -> Chosen:
    """The nodes that may go now, and why the others may not.

    Empty ones come first, for least sizes and quotas may not allow all, then those that can be
    drained at once. A group that scales to nothing or to its maximum goes as a whole.
    """
    known = {name: node for name in snapshot.node_names if (node := snapshot.node(name))}
    # Nodes that are on their way out count for the least of the cluster, as upstream.
    quotas = Quotas.below(known.values(), settings, world.group_of)
    sizes = {name: world.target(name) for name in world.groups}
    for group in going.values():
        if group in sizes:
            sizes[group] -= 1
    chosen, due = Chosen(), list[Unneeded]()
    for each in sorted(unneeded, key=lambda each: bool(each.moves.pods)):
        reason = _reason_to_wait(world, each, sizes, quotas)
        if reason:
            chosen.waiting.append(Unremovable(each.name, reason))
        else:
            due.append(each)
    due.sort(key=lambda each: bool(each.moves.pods) and each.is_risky)
    for each in _whole_groups(world, list(known.values()), due, chosen):
        if each.moves.awaited:
            chosen.waiting.append(Unremovable(each.name, ON_COMPLETION))
        else:
            (chosen.occupied if each.moves.pods else chosen.empty).append(each)
    return chosen


def _reason_to_wait(world: World, each: Unneeded, sizes: dict[str, int], quotas: Quotas) -> str:
    group = world.groups.get(world.group_names.get(each.name, ""))
    if eligibility.is_disabled(each.node):
        return eligibility.DISABLED_ANNOTATION
    if each.patience_ns > 0 and each.since_ns + each.patience_ns >= world.now_ns:
        is_ready = node_state.is_ready(each.node)
        return "NotUnneededLongEnough" if is_ready else "NotUnreadyLongEnough"
    if group is None:
        return "NotAutoscaled"
    if sizes[group.name] <= group.min_size:
        return "NodeGroupMinSizeReached"
    if not quotas.take(each.node, 1, group):
        return "MinimalResourceLimitExceeded"
    sizes[group.name] -= 1
    return ""


def _whole_groups(
    world: World, nodes: Sequence[Json], due: Sequence[Unneeded], chosen: Chosen
) -> list[Unneeded]:
    """Those that go alone, then groups of which all nodes are due."""
    alone, atomic = [], dict[str, list[Unneeded]]()
    for each in due:
        group = world.group_names[each.name]
        if world.options[group].zero_or_max_node_scaling:
            atomic.setdefault(group, []).append(each)
        else:
            alone.append(each)
    for group, members in atomic.items():
        if len(members) in (world.target(group), registered_count(world, nodes, group)):
            alone += members
        else:
            chosen.waiting += [Unremovable(each.name, NOT_ATOMIC) for each in members]
    return alone


def registered_count(world: World, nodes: Sequence[Json], group: str) -> int:
    """How many machines of a group have a node."""
    ids = {each.id for each in world.provider.instances(group)}
    return sum(
        instance_id(node) in ids and node["metadata"]["name"] in world.nodes for node in nodes
    )


def _marked(node: Json, now_ns: int) -> Json:
    spec = node.get("spec") or {}
    taints = [*node_state.taints_of(node), node_state.to_be_deleted(now_ns)]
    return {**node, "spec": {**spec, "taints": taints}}
