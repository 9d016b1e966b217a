"""Takes nodes away: marks them, moves their pods off and gives them back to their provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers import pods
from kubestage.controllers.node_autoscaler import groups, pod_state, utilization
from kubestage.controllers.node_autoscaler.budgets import Budgets
from kubestage.controllers.node_autoscaler.marking import Marking
from kubestage.controllers.node_autoscaler.provider import NODE
from kubestage.controllers.node_autoscaler.world import BUDGET
from kubestage.errors import ApiError, NotFound
from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.store.deletion import DeleteOptions
from kubestage.store.event_recorder import NORMAL, WARNING
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.controllers.lister import Lister
    from kubestage.controllers.node_autoscaler.drainability import Drainability
    from kubestage.controllers.node_autoscaler.provider import Provider
    from kubestage.controllers.node_autoscaler.reports import Reports
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.objects.views.pod import PodView
    from kubestage.store.store import Store


_EVICTION_RETRY_NS: Final = 10 * SECOND_NS
_CHECK_AGAIN_NS: Final = 5 * SECOND_NS
_HEADROOM_NS: Final = 30 * SECOND_NS


class Removal(msgspec.Struct):
    """A node on its way out: the pods that are yet to be evicted, and those that are yet to end.

    `until_ns` is when patience ends: first with budgets, then with pods that do not end.
    """

    name: str
    group: str
    drains: bool
    to_evict: dict[str, PodView] | None = None
    to_end: dict[str, PodView] = {}
    until_ns: int = 0
    problems: dict[str, str] = {}


class Actuator:
    """Carries out removals step by step; `wake` has a node processed again in some time."""

    def __init__(
        self,
        store: Store,
        lister: Lister,
        provider: Provider,
        reports: Reports,
        drainability: Drainability,
        settings: NodeAutoscalerSettings,
        wake: Callable[[str, int], None],
    ) -> None:
        self._store = store
        self._lister = lister
        self._provider = provider
        self._reports = reports
        self._drainability = drainability
        self._settings = settings
        self._wake = wake
        self._marking = Marking(store, settings)
        self.removals: dict[str, Removal] = {}

    @property
    def going(self) -> dict[str, str]:
        """The nodes on their way out, and their groups."""
        return {each.name: each.group for each in self.removals.values()}

    @property
    def draining(self) -> list[str]:
        """Those of them whose pods have to go elsewhere."""
        return [each.name for each in self.removals.values() if each.drains]

    def start(self, empty: Iterable[Json], occupied: Iterable[Json], now_ns: int) -> list[str]:
        """Start to remove nodes, as many as may be in progress at once; returns those."""
        settings = self._settings
        started = [each.drains for each in self.removals.values()]
        room = settings.max_scale_down_parallelism - len(started)
        chosen = [(node, False) for node in empty][: max(room, 0)]
        drain_room = min(room - len(chosen), settings.max_drain_parallelism - sum(started))
        chosen += [(node, True) for node in occupied][: max(drain_room, 0)]
        for node, drains in chosen:
            name = node["metadata"]["name"]
            self._marking.mark_to_be_deleted(name, now_ns)
            text = "marked the node as toBeDeleted/unschedulable"
            self._reports.report(node, NORMAL, "ScaleDown", text)
            self._announce(node, now_ns, drains=drains)
            group = groups.name_of(node)
            self.removals[name] = Removal(name, group, drains)
            self._wake(name, settings.node_delete_delay_after_taint_ns)
        return [node["metadata"]["name"] for node, _ in chosen]

    def mark_candidates(self, nodes: Iterable[Json], unneeded: Iterable[str], now_ns: int) -> bool:
        """Have pods rather go elsewhere than to nodes that may go; whether all are marked now."""
        return self._marking.mark_candidates(nodes, frozenset(unneeded), now_ns)

    def step(self, name: str, now_ns: int) -> None:
        """Go on with the removal of a node."""
        removal = self.removals.get(name)
        if removal is None:
            return
        node = self._lister.get(NODE, name)
        if node is None:
            del self.removals[name]
        elif removal.to_evict is None:
            self._begin(removal, node, now_ns)
        elif removal.to_evict:
            self._evict(removal, node, now_ns)
        else:
            self._await_end(removal, node, now_ns)

    def pods_on(self, name: str) -> list[PodView]:
        """The pods on a node as they are now."""
        found = self._lister.collection(pods.POD)
        keys = sorted(found.fields["spec.nodeName"].get(name))
        views = [pod_views.of(found.objects[key], key) for key in keys]
        return [view for view in views if not view.is_terminal]

    def _begin(self, removal: Removal, node: Json, now_ns: int) -> None:
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
            self._fail(removal, node, problem)
            return
        settings = self._settings
        by_default = (
            settings.daemonset_eviction_for_occupied_nodes
            if removal.drains
            else settings.daemonset_eviction_for_empty_nodes
        )
        for pod in views:
            if pod_state.is_daemon(pod) and pod_state.evicts_daemon(pod, by_default):
                self._report_eviction(pod)
                self._try_to_evict(pod)
        removal.to_evict = {}
        if removal.drains:
            removal.to_evict = {
                pod.uid: pod
                for pod in views
                if not (pod_state.is_mirror(pod) or pod_state.is_daemon(pod))
            }
            removal.until_ns = now_ns + settings.max_pod_eviction_time_ns
            for pod in removal.to_evict.values():
                self._report_eviction(pod)
        self._evict(removal, node, now_ns)

    def _report_eviction(self, pod: PodView) -> None:
        self._reports.report(pod.raw, NORMAL, "ScaleDown", "deleting pod for node scale down")

    def _evict(self, removal: Removal, node: Json, now_ns: int) -> None:
        assert removal.to_evict is not None
        if removal.problems and now_ns >= removal.until_ns:
            self._give_up(removal, node)
            return
        for uid, pod in list(removal.to_evict.items()):
            problem = self._try_to_evict(pod)
            if problem:
                removal.problems[uid] = (
                    f"failed to evict pod {pod.namespace}/{pod.name} within allowed timeout "
                    f"(last error: {problem})"
                )
            else:
                removal.to_end[uid] = removal.to_evict.pop(uid)
        if not removal.to_evict:
            patience_ns = self._settings.max_graceful_termination_sec * SECOND_NS
            removal.until_ns = now_ns + patience_ns + _HEADROOM_NS
            self._await_end(removal, node, now_ns)
        else:
            self._wake(removal.name, _EVICTION_RETRY_NS)

    def _give_up(self, removal: Removal, node: Json) -> None:
        """Some pods may not be evicted, and it has been tried for long enough."""
        left = removal.to_evict or {}
        for pod in left.values():
            text = "failed to delete pod for ScaleDown"
            self._reports.report(pod.raw, WARNING, "ScaleDownFailed", text)
        problems = " ".join(removal.problems[uid] for uid in left)
        text = f"Failed to drain node /{removal.name}, due to following errors: [{problems}]"
        self._fail(removal, node, text)

    def _try_to_evict(self, pod: PodView) -> str:
        """Ask a pod to go; why it may not, or nothing."""
        grace = pod_state.grace_seconds(pod)
        most = self._settings.max_graceful_termination_sec
        options = DeleteOptions(grace_period_seconds=min(grace, most) if most > 0 else grace)
        try:
            self._store.evict(pod.name, pod.namespace, options)
        except NotFound:
            return ""
        except ApiError as error:
            return error.message
        return ""

    def _await_end(self, removal: Removal, node: Json, now_ns: int) -> None:
        """Wait for evicted pods to end, and then let the node go."""
        for uid in list(removal.to_end):
            pod = self._lister.get(pods.POD, removal.to_end[uid].key)
            if pod is None or pod["spec"].get("nodeName") != removal.name:
                del removal.to_end[uid]
        if not removal.to_end:
            self._finish(removal, node)
        elif now_ns < removal.until_ns:
            self._wake(removal.name, _CHECK_AGAIN_NS)
        else:
            text = f"Failed to drain node /{removal.name}: pods remaining after timeout"
            self._fail(removal, node, text)

    def _finish(self, removal: Removal, node: Json) -> None:
        del self.removals[removal.name]
        self._provider.delete(removal.name)
        self._reports.report(node, NORMAL, "ScaleDown", "nodes removed by cluster autoscaler")
        if removal.drains:
            text = f"Scale-down: node {removal.name} removed with drain"
            self._report_group(removal.group, "ScaleDown", text)
        else:
            text = f"Scale-down: empty node {removal.name} removed"
            self._report_group(removal.group, "ScaleDownEmpty", text)

    def _fail(self, removal: Removal, node: Json, problem: str) -> None:
        del self.removals[removal.name]
        what = "drain and delete" if removal.drains else "delete empty"
        text = f"failed to {what} node: {problem}"
        self._reports.report(node, WARNING, "ScaleDownFailed", text)
        self._marking.unmark_to_be_deleted(removal.name)

    def _announce(self, node: Json, now_ns: int, *, drains: bool) -> None:
        name = node["metadata"]["name"]
        group = groups.name_of(node)
        if not drains:
            text = f'Scale-down: removing empty node "{name}"'
            self._report_group(group, "ScaleDownEmpty", text)
            return
        views = self.pods_on(name)
        used = utilization.node_utilization(
            node_views.of(node).allocatable, views, self._settings, now_ns
        )
        moved = [pod.name for pod in views if pod_state.is_recreated(pod)]
        text = (
            f"Scale-down: removing node {name}, utilization: {used}, "
            f"pods to reschedule: {','.join(moved)}"
        )
        self._report_group(group, "ScaleDown", text)

    def _report_group(self, name: str, reason: str, text: str) -> None:
        group = self._provider.get(name)
        if group is not None:
            self._reports.report_group(group.raw, NORMAL, reason, text)
