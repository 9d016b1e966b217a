"""Takes nodes away: marks them, moves their pods off and gives them back to their provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.node_autoscaler import (
    deletion_delay,
    node_state,
    pod_state,
    utilization,
)
from kubestage.controllers.node_autoscaler.budgets import Budgets
from kubestage.controllers.node_autoscaler.cloud_provider import instance_id
from kubestage.controllers.node_autoscaler.deletion_budget import DeletionBudget
from kubestage.controllers.node_autoscaler.draining import Draining, Removal
from kubestage.controllers.node_autoscaler.marking import Marking
from kubestage.controllers.node_autoscaler.removal_events import RemovalEvents
from kubestage.controllers.node_autoscaler.scan_result import StartedRemoval
from kubestage.controllers.node_autoscaler.world import BUDGET
from kubestage.errors import ApiError
from kubestage.objects import gvk
from kubestage.objects.views import pod as pod_views

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.lister import Lister
    from kubestage.controllers.node_autoscaler.candidates import LocalDelays
    from kubestage.controllers.node_autoscaler.cloud_provider import CloudProvider
    from kubestage.controllers.node_autoscaler.deletion_budget import Bucket
    from kubestage.controllers.node_autoscaler.drainability import Drainability
    from kubestage.controllers.node_autoscaler.draining import ClusterClient
    from kubestage.controllers.node_autoscaler.reports import Reports
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.unneeded import Unneeded
    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.controllers.node_autoscaler.world import World
    from kubestage.objects.views.pod import PodView

OK: Final = "Ok"
FAILED_TO_EVICT: Final = "ErrorFailedToEvictPods"
FAILED_TO_DELETE: Final = "ErrorFailedToDelete"
INTERNAL_ERROR: Final = "ErrorInternal"
_NOT_ALL: Final = "couldn't scale down other nodes in this node group"


class Actuator:
    """Carries out removals step by step; `wake` has a node processed again in some time.

    `removals` are under way, in the order in which they began.
    """

    def __init__(
        self,
        client: ClusterClient,
        lister: Lister,
        provider: CloudProvider,
        reports: Reports,
        drainability: Drainability,
        delays: LocalDelays,
        settings: NodeAutoscalerSettings,
        wake: Callable[[str, int], None],
    ) -> None:
        self._lister = lister
        self._provider = provider
        self._drainability = drainability
        self._delays = delays
        self._settings = settings
        self._wake = wake
        self._marking = Marking(client, settings)
        self._events = RemovalEvents(reports, provider)
        self._draining = Draining(
            client, lister, reports, settings, wake, self._prepared, self._not_drained
        )
        self.removals: dict[str, Removal] = {}
        self._results: dict[str, str] = {}
        self._queues: dict[str, list[Removal]] = {}
        self._failed_groups: set[str] = set()

    @property
    def going(self) -> dict[str, str]:
        """The nodes on their way out, and their groups."""
        return {each.name: each.group for each in self.removals.values()}

    @property
    def draining(self) -> list[str]:
        """Those of them whose pods have to go elsewhere."""
        return [each.name for each in self.removals.values() if each.drains]

    def take_results(self) -> dict[str, str]:
        """How the removals went that have ended since the last call."""
        results, self._results = self._results, {}
        return results

    def start(
        self,
        world: World,
        snapshot: Snapshot,
        empty: Sequence[Unneeded],
        occupied: Sequence[Unneeded],
    ) -> list[StartedRemoval]:
        """Start to remove nodes, as many as may be in progress at once; returns those."""
        self._failed_groups.clear()
        in_progress = [each.drains for each in self.removals.values()]
        budget = DeletionBudget(world, snapshot, self._settings, in_progress)
        to_delete, to_drain = budget.crop(empty, occupied)
        started = []
        for buckets, drains in ((to_delete, False), (to_drain, True)):
            self._mark(world, buckets)
            for bucket in buckets:
                started += self._start(world, snapshot, bucket, drains=drains)
        return started

    def mark_candidates(
        self, nodes: Iterable[Json], unneeded: Collection[str], now_ns: int
    ) -> bool:
        """Have pods rather go elsewhere than to nodes that may go; whether all are marked now."""
        return self._marking.mark_candidates(nodes, unneeded, now_ns)

    def clean_up(self) -> None:
        """Open nodes again that an earlier autoscaler was about to remove.

        Its candidates lose their marks if none are made now.
        """
        for node in list(self._lister.all(gvk.NODE)):
            key = node_state.TO_BE_DELETED
            if node_state.has_taint(node, key) and self._provider.group_of(node):
                self._marking.unmark_to_be_deleted(node)
                self._events.unmarked(node, key)
        if self._settings.max_bulk_soft_taint_count:
            return
        for node in list(self._lister.all(gvk.NODE)):
            if node_state.has_taint(node, node_state.DELETION_CANDIDATE):
                self._marking.unmark_candidate(node)
                self._events.unmarked(node, node_state.DELETION_CANDIDATE)

    def step(self, name: str, now_ns: int) -> None:
        """Go on with the removal of a node."""
        removal = self.removals.get(name)
        if removal is None:
            return
        if removal.to_evict is None:
            self._begin(removal, now_ns)
        elif removal.is_emptied:
            self._await_others(removal, now_ns)
        else:
            self._draining.step(removal, now_ns)

    def pods_on(self, name: str) -> list[PodView]:
        """The pods on a node as they are now, but for those that do not count."""
        found = self._lister.indexed(gvk.POD, "spec.nodeName", name)
        cutoff = self._settings.expendable_pods_priority_cutoff
        views = [pod_views.of(pod) for pod in found if not pods.is_terminal(pod)]
        return [view for view in views if not pod_state.is_expendable(view, cutoff)]

    def _mark(self, world: World, buckets: Sequence[Bucket]) -> None:
        """Close nodes to pods, all of them before any is emptied."""
        marked: list[str] = []
        for name in (name for bucket in buckets for name in bucket.nodes):
            try:
                self._marking.mark_to_be_deleted(world.nodes[name], world.now_ns)
            except ApiError:
                for other in marked:
                    self._open(other)
                raise
            marked.append(name)
            self._events.marked(world.nodes[name])

    def _open(self, name: str) -> None:
        node = self._lister.get(gvk.NODE, name)
        if node is not None:
            self._marking.unmark_to_be_deleted(node)

    def _start(
        self, world: World, snapshot: Snapshot, bucket: Bucket, *, drains: bool
    ) -> list[StartedRemoval]:
        started = []
        is_atomic = world.options[bucket.group].zero_or_max_node_scaling
        for name in bucket.nodes:
            evicted: list[PodView] = []
            views = snapshot.pods(name)
            node = world.nodes[name]
            used = utilization.of_node(world, views, node, self._settings)
            assert used is not None, "it was known when the node was chosen"
            if drains:
                evicted = [
                    pod
                    for pod in views
                    if not (pod_state.is_mirror(pod) or pod_state.is_daemon(pod))
                ]
            each = StartedRemoval(name, bucket.group, evicted, used)
            self._events.started(each, drains=drains)
            started.append(each)
            size = bucket.batch_size or len(bucket.nodes)
            self.removals[name] = Removal(name, node, bucket.group, drains, size, is_atomic)
            self._wake(name, self._settings.node_delete_delay_after_taint_ns)
        return started

    def _begin(self, removal: Removal, now_ns: int) -> None:
        """Check that the node can still be removed as it was when chosen."""
        views = self.pods_on(removal.name)
        budgets = Budgets(self._lister.all(BUDGET)) if removal.drains else None
        moves = self._drainability.moves(views, budgets, now_ns)
        problem = ""
        if moves.obstacle:
            problem = f'GetPodsToMove for "{removal.name}" returned error: {moves.obstacle}'
        elif not removal.drains and moves.pods:
            problem = f'failed to delete empty node "{removal.name}", new pods scheduled'
        elif not removal.drains and moves.awaited:
            problem = (
                f'failed to delete empty node "{removal.name}", active on-completion pods present'
            )
        if problem:
            self._abort(removal, problem, INTERNAL_ERROR)
        else:
            self._draining.begin(removal, views, now_ns)

    def _prepared(self, removal: Removal, now_ns: int) -> None:
        """A node has no pods to be moved any more: it goes, or waits for others."""
        timeout_ns = self._settings.node_deletion_delay_timeout_ns
        if timeout_ns and deletion_delay.is_delayed(removal.node):
            removal.is_emptied = True
            removal.until_ns = now_ns + timeout_ns
            self._wake(removal.name, min(deletion_delay.CHECK_AGAIN_NS, timeout_ns))
        else:
            self._let_go(removal, now_ns)

    def _await_others(self, removal: Removal, now_ns: int) -> None:
        node, left_ns = self._lister.get(gvk.NODE, removal.name), removal.until_ns - now_ns
        if node is None:
            problem = f'failed to get node {removal.name}: node "{removal.name}" not found'
            self._abort(removal, problem, FAILED_TO_DELETE)
        elif left_ns > 0 and deletion_delay.is_delayed(node):
            self._wake(removal.name, min(deletion_delay.CHECK_AGAIN_NS, left_ns))
        else:
            self._let_go(removal, now_ns)

    def _let_go(self, removal: Removal, now_ns: int) -> None:
        """A node goes, at once or together with others of its group."""
        if not removal.is_atomic:
            self._delete([removal], now_ns)
            return
        if removal.group in self._failed_groups:
            self._fail(removal, _NOT_ALL, FAILED_TO_DELETE)
            self._queues.pop(removal.group, None)
            return
        queue = self._queues.setdefault(removal.group, [])
        queue.append(removal)
        if len(queue) >= removal.batch_size:
            self._delete(self._queues.pop(removal.group), now_ns)

    def _delete(self, removals: Sequence[Removal], now_ns: int) -> None:
        name = removals[0].group
        group = next((each for each in self._provider.groups() if each.name == name), None)
        if group is None:
            problem = f"picked node that doesn't belong to a node group: {removals[0].name}"
        else:
            problem = self._provider.delete(group, [instance_id(each.node) for each in removals])
            if problem:
                self._delays.note_failed(name, now_ns)
                problem = f"failed to delete nodes from group {name}: {problem}"
        for each in removals:
            # What is reported of nodes that go together is as for the last of them.
            each.drains = removals[-1].drains
            if problem:
                self._fail(each, problem, FAILED_TO_DELETE)
                continue
            del self.removals[each.name]
            self._results[each.name] = OK
            self._delays.note_deleted(name, now_ns)
            self._events.removed(each, each.node)

    def _not_drained(self, removal: Removal, problem: str) -> None:
        self._abort(removal, problem, FAILED_TO_EVICT)

    def _abort(self, removal: Removal, problem: str, result: str) -> None:
        """A node stays after all, and with it those of its group that were to go together."""
        self._failed_groups.add(removal.group)
        self._fail(removal, problem, result)
        for other in self._queues.pop(removal.group, ()):
            other.drains = removal.drains
            self._fail(other, _NOT_ALL, FAILED_TO_DELETE)

    def _fail(self, removal: Removal, problem: str, result: str) -> None:
        del self.removals[removal.name]
        self._results[removal.name] = result
        self._events.failed(removal, removal.node, problem)
        self._open(removal.name)
