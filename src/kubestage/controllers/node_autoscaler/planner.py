"""Which nodes are unneeded, and since when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler import candidates, node_state, removals
from kubestage.controllers.node_autoscaler.eligibility import Eligibility
from kubestage.controllers.node_autoscaler.hinting import HintingSimulator
from kubestage.controllers.node_autoscaler.scan_result import Simulation, Unremovable
from kubestage.controllers.node_autoscaler.unneeded import Unneeded

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.budgets import Budgets
    from kubestage.controllers.node_autoscaler.candidates import LocalDelays
    from kubestage.controllers.node_autoscaler.drainability import Drainability, Moves
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.utilization import Utilization
    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.controllers.node_autoscaler.world import World


BLOCKED: Final = "BlockedByPod"
NO_PLACE: Final = "NoPlaceToMovePods"
RECENT: Final = "RecentlyUnremovable"


class Planner:
    """Tracks from scan to scan which nodes are unneeded, and which cannot be removed.

    `unremovable` has for every other node that was considered why it cannot be removed, `used` how
    much of each is used. `reported` are the nodes that were unneeded after the last scan that went
    as far as that, at `updated_ns`, and their groups. `is_complete` is whether all candidates were
    examined then.
    """

    def __init__(
        self, settings: NodeAutoscalerSettings, drainability: Drainability, delays: LocalDelays
    ) -> None:
        self._settings = settings
        self._drainability = drainability
        self._delays = delays
        self._eligibility = Eligibility(settings)
        self._simulator = HintingSimulator()
        self.unneeded: dict[str, Unneeded] = {}
        self.unremovable: dict[str, Unremovable] = {}
        self.used: dict[str, Utilization] = {}
        self.simulations: list[Simulation] = []
        self.candidates: list[str] = []
        self.is_complete = True
        self.reported: dict[str, str] = {}
        self._until_ns: dict[str, int] = {}
        self.updated_ns: int | None = None
        self._interval_ns = max(settings.scale_down_unneeded_time_ns, 1)

    def update(
        self,
        world: World,
        snapshot: Snapshot,
        nodes: Mapping[str, Json],
        going: Collection[str],
        budgets: Budgets,
    ) -> None:
        """Find the nodes that could go; nothing of what is tried stays in the snapshot."""
        now_ns = world.now_ns
        if self.updated_ns is not None:
            self._interval_ns = min(self._interval_ns, now_ns - self.updated_ns)
        self.updated_ns = now_ns
        self.candidates = candidates.in_order(
            world, snapshot, nodes, self._drainability, self.reported, self._delays
        )
        snapshot.fork()
        staying = {name: node for name, node in nodes.items() if name not in going}
        names = [name for name in self.candidates if name in staying]
        self._drop_expired(snapshot, now_ns)
        self._categorize(world, snapshot, staying, self._eligible(world, snapshot, names), budgets)
        snapshot.revert()
        self._simulator.drop_old_hints()
        self.reported = {name: world.group_names[name] for name in self.unneeded}

    def forget(self) -> None:
        """Start again: no node has been unneeded so far."""
        self.unneeded = {}

    def removable(
        self,
        world: World,
        snapshot: Snapshot,
        going: Mapping[str, str],
    ) -> tuple[list[Unneeded], list[Unneeded]]:
        """The nodes that may go now: those without pods to be moved, and the others.

        `going` are the nodes that are on their way already, each with its group.
        """
        found = removals.choose(world, snapshot, self._settings, self._in_order(world), going)
        self.unremovable |= {each.node: each for each in found.waiting}
        return found.empty, found.occupied

    def _in_order(self, world: World) -> Sequence[Unneeded]:
        """The unneeded nodes as they are listed."""
        return [self.unneeded[name] for name in world.nodes if name in self.unneeded]

    def _drop_expired(self, snapshot: Snapshot, now_ns: int) -> None:
        self._until_ns = {
            name: until_ns
            for name, until_ns in self._until_ns.items()
            if until_ns > now_ns and snapshot.node(name) is not None
        }
        self.unremovable = {}

    def _eligible(self, world: World, snapshot: Snapshot, names: Sequence[str]) -> list[str]:
        """The candidates that are worth a simulation."""
        self.used, eligible = {}, []
        for name in names:
            if name in self._until_ns:
                self.unremovable[name] = Unremovable(name, RECENT)
                continue
            reason, used = self._eligibility.check(world, snapshot, name)
            if used is not None:
                self.used[name] = used
            if reason:
                self.unremovable[name] = Unremovable(name, reason)
            else:
                eligible.append(name)
        return eligible

    def _categorize(
        self,
        world: World,
        snapshot: Snapshot,
        nodes: Mapping[str, Json],
        names: Sequence[str],
        budgets: Budgets,
    ) -> None:
        """Take one candidate after the other away, as far as that is possible."""
        destinations, self.simulations = set(nodes), []
        found: dict[str, Unneeded] = {}
        most, atomic_count = self._most_unneeded(), 0
        self.is_complete = True
        for name in names:
            if len(found) - atomic_count >= most:
                self.is_complete = False
                break
            moves = self._simulate(snapshot, name, destinations, budgets, world.now_ns)
            if moves is None:
                again_ns = world.now_ns + self._settings.unremovable_node_recheck_timeout_ns
                self._until_ns[name] = again_ns
                continue
            is_risky = not budgets.allow_at_once(moves.pods)
            destinations.discard(name)
            budgets.spend(moves.pods)
            found[name] = self._unneeded(world, nodes[name], moves, is_risky=is_risky)
            atomic_count += world.options[world.group_names[name]].zero_or_max_node_scaling
        self.unneeded = found

    def _unneeded(self, world: World, node: Json, moves: Moves, *, is_risky: bool) -> Unneeded:
        name = node["metadata"]["name"]
        options = world.options[world.group_names[name]]
        patience_ns = options.scale_down_unready_time_ns
        if node_state.is_ready(node):
            patience_ns = options.scale_down_unneeded_time_ns
        before = self.unneeded.get(name)
        since_ns = world.now_ns if before is None else before.since_ns
        return Unneeded(name, node, moves, since_ns, patience_ns, is_risky)

    def _simulate(
        self,
        snapshot: Snapshot,
        name: str,
        destinations: Collection[str],
        budgets: Budgets,
        now_ns: int,
    ) -> Moves | None:
        """Move the pods of a node elsewhere and take it away; None if that cannot be done."""
        moves = self._drainability.moves(snapshot.pods(name), budgets, now_ns)
        if moves.obstacle:
            assert moves.blocking is not None
            blocking = moves.blocking.key
            self.unremovable[name] = Unremovable(name, BLOCKED, blocking, moves.blocking_reason)
            return None
        placements = removals.simulate(
            self._simulator, snapshot, name, moves.pods, destinations, now_ns
        )
        is_possible = len(placements) == len(moves.pods)
        self.simulations.append(Simulation(name, moves.pods, is_possible, placements))
        if not is_possible:
            self.unremovable[name] = Unremovable(name, NO_PLACE)
        return moves if is_possible else None

    def _most_unneeded(self) -> int:
        """How many unneeded nodes it makes sense to know: more could not be removed in time."""
        settings, interval_ns = self._settings, self._interval_ns
        each = settings.max_scale_down_parallelism
        scans = max(settings.scale_down_unneeded_time_ns, interval_ns) // max(interval_ns, 1)
        return min(len(self.unneeded) + 2 * each, each * scans + each)
