"""Which nodes are unneeded, and since when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.node_autoscaler import (
    equivalence,
    node_state,
    utilization,
)
from kubestage.controllers.node_autoscaler.quotas import Quotas
from kubestage.objects.views import node as node_views

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kubestage.controllers.node_autoscaler.budgets import Budgets
    from kubestage.controllers.node_autoscaler.drainability import Drainability, Moves
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.controllers.node_autoscaler.world import World


BLOCKED: Final = "BlockedByPod"
NO_PLACE: Final = "NoPlaceToMovePods"


class Unneeded(msgspec.Struct):
    """A node that could go: what would become of its pods, since when, and when it may.

    `is_risky` means that budgets do not let all of its pods go at once.
    """

    name: str
    moves: Moves
    since_ns: int
    patience_ns: int
    is_risky: bool = False


class Planner:
    """Tracks from scan to scan which nodes are unneeded, and which cannot be removed.

    `reasons` has for every node that is not unneeded why it is not. `is_complete` is whether all
    candidates were examined.
    """

    def __init__(self, settings: NodeAutoscalerSettings, drainability: Drainability) -> None:
        self._settings = settings
        self._drainability = drainability
        self.unneeded: dict[str, Unneeded] = {}
        self.reasons: dict[str, str] = {}
        self.is_complete = True
        self._unremovable_until_ns: dict[str, int] = {}

    def update(
        self, world: World, snapshot: Snapshot, going: Collection[str], budgets: Budgets
    ) -> None:
        """Find the nodes that could go; what would move is moved in the snapshot, and stays so."""
        now_ns = world.now_ns
        nodes = {
            name: node
            for name, node in world.nodes.items()
            if name not in going and snapshot.node(name) is not None
        }
        self._unremovable_until_ns = {
            name: until_ns
            for name, until_ns in self._unremovable_until_ns.items()
            if until_ns > now_ns and name in nodes
        }
        self.reasons = {}
        candidates = self._candidates(world, snapshot, nodes)
        destinations = set(nodes)
        found: dict[str, Unneeded] = {}
        most = self._most_unneeded()
        self.is_complete = len(candidates) <= most
        for name in candidates:
            if len(found) >= most:
                self.is_complete = False
                break
            moves = self._simulate(snapshot, name, destinations, budgets, now_ns)
            if moves is None:
                again_ns = now_ns + self._settings.unremovable_node_recheck_timeout_ns
                self._unremovable_until_ns[name] = again_ns
                continue
            is_risky = not budgets.allow_at_once(moves.pods)
            destinations.remove(name)
            budgets.spend(moves.pods)
            before = self.unneeded.get(name)
            since_ns = now_ns if before is None else before.since_ns
            patience_ns = self._patience_ns(nodes[name])
            found[name] = Unneeded(name, moves, since_ns, patience_ns, is_risky)
        self.unneeded = found

    def forget(self) -> None:
        """Start again: no node has been unneeded so far."""
        self.unneeded = {}

    def removable(
        self, world: World, snapshot_nodes: Collection[Json], going: Mapping[str, str]
    ) -> tuple[list[str], list[str]]:
        """The nodes that may go now: those without pods to be moved, and the others.

        `going` are the nodes that are on their way already, each with its group.
        """
        quotas = Quotas.below(snapshot_nodes, self._settings)
        sizes = {name: world.target(name) for name in world.groups}
        for group in going.values():
            if group in sizes:
                sizes[group] -= 1
        ordered = sorted(
            self.unneeded.values(), key=lambda each: (bool(each.moves.pods), each.is_risky)
        )
        # Empty ones first, for the least size and the quotas may not allow all; then those that
        # can be drained at once.
        empty: list[str] = []
        occupied: list[str] = []
        for each in ordered:
            reason = self._reason_to_wait(world, each, sizes, quotas)
            if not reason and each.moves.awaited:
                reason = "BlockedByOnCompletionPod"
            if reason:
                self.reasons[each.name] = reason
            else:
                (occupied if each.moves.pods else empty).append(each.name)
        return empty, occupied

    def _candidates(self, world: World, snapshot: Snapshot, nodes: Mapping[str, Json]) -> list[str]:
        """The candidates: empty nodes first, then those of the last scan."""
        ranked = []
        for name, node in nodes.items():
            reason = self._ineligible(world, snapshot, node)
            if reason:
                self.reasons[name] = reason
                continue
            moves = self._drainability.moves(snapshot.pods(name), None, world.now_ns)
            is_empty = not moves.obstacle and not moves.pods
            is_awaited = is_empty and bool(moves.awaited)
            rank = (not is_empty, is_awaited, name not in self.unneeded)
            ranked.append((rank, name))
        return [name for _, name in sorted(ranked)]

    def _ineligible(self, world: World, snapshot: Snapshot, node: Json) -> str:
        """Why a node is not even to be thought of; empty if it is."""
        settings, metadata = self._settings, node["metadata"]
        group = world.group_of(node)
        if group is None:
            return "NotAutoscaled"
        if world.target(group.name) <= group.min_size:
            return "NodeGroupMinSizeReached"
        if metadata["name"] in self._unremovable_until_ns:
            return "RecentlyUnremovable"
        if node_state.is_being_deleted(node, world.now_ns):
            return "CurrentlyBeingDeleted"
        if (metadata.get("annotations") or {}).get(node_state.SCALE_DOWN_DISABLED) == "true":
            return "ScaleDownDisabledAnnotation"
        offered = node_views.of(node).allocatable
        used = utilization.node_utilization(
            offered, snapshot.pods(metadata["name"]), settings, world.now_ns
        )
        if used is None:
            return "UnexpectedError"
        if not settings.scale_down_unready_enabled and not node_state.is_ready(node):
            return "ScaleDownUnreadyDisabled"
        threshold = settings.scale_down_utilization_threshold
        if used.is_of_gpu:
            threshold = settings.scale_down_gpu_utilization_threshold
        return "NotUnderutilized" if used.share > threshold else ""

    def _simulate(
        self,
        snapshot: Snapshot,
        name: str,
        destinations: set[str],
        budgets: Budgets,
        now_ns: int,
    ) -> Moves | None:
        """Move the pods of a node elsewhere and take it away; None if that cannot be done."""
        moves = self._drainability.moves(snapshot.pods(name), budgets, now_ns)
        if moves.obstacle:
            self.reasons[name] = BLOCKED
            return None
        node = snapshot.node(name)
        assert node is not None
        snapshot.fork()
        for pod in snapshot.pods(name):
            snapshot.remove_pod(name, pod)
        # A node that is about to go still counts where pods are spread over nodes or zones.
        snapshot.change_node(_marked(node, now_ns))
        others = destinations - {name}
        homeless = [msgspec.structs.replace(pod, node_name="") for pod in moves.pods]
        for run in equivalence.runs_of(homeless):
            if len(snapshot.place(run, others)) < len(run):
                snapshot.revert()
                self.reasons[name] = NO_PLACE
                return None
        snapshot.remove_node(name)
        snapshot.commit()
        return moves

    def _patience_ns(self, node: Json) -> int:
        settings = self._settings
        if node_state.is_ready(node):
            return settings.scale_down_unneeded_time_ns
        return settings.scale_down_unready_time_ns

    def _reason_to_wait(
        self, world: World, each: Unneeded, sizes: dict[str, int], quotas: Quotas
    ) -> str:
        node = world.nodes.get(each.name)
        group = None if node is None else world.group_of(node)
        if node is None or group is None:
            return "NotAutoscaled"
        annotations = node["metadata"].get("annotations") or {}
        if annotations.get(node_state.SCALE_DOWN_DISABLED) == "true":
            return "ScaleDownDisabledAnnotation"
        if each.patience_ns > 0 and each.since_ns + each.patience_ns >= world.now_ns:
            is_ready = node_state.is_ready(node)
            return "NotUnneededLongEnough" if is_ready else "NotUnreadyLongEnough"
        if sizes[group.name] <= group.min_size:
            return "NodeGroupMinSizeReached"
        if not quotas.take(node):
            return "MinimalResourceLimitExceeded"
        sizes[group.name] -= 1
        return ""

    def _most_unneeded(self) -> int:
        """How many unneeded nodes it makes sense to know: more could not be removed in time."""
        settings = self._settings
        each = settings.max_scale_down_parallelism
        interval_ns = settings.scan_interval_ns
        scans = max(settings.scale_down_unneeded_time_ns, interval_ns) // interval_ns
        return min(len(self.unneeded) + 2 * each, each * scans + each)


def _marked(node: Json, now_ns: int) -> Json:
    spec = node.get("spec") or {}
    taints = [*node_state.taints_of(node), node_state.to_be_deleted(now_ns)]
    return {**node, "spec": {**spec, "taints": taints}}
