"""Moves the pods of a node off: evictions, tried again for a while, and the wait for their end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from kubestage.controllers.node_autoscaler import pod_state
from kubestage.errors import ApiError, NotFound
from kubestage.objects import gvk
from kubestage.store.deletion import DeleteOptions
from kubestage.store.event_recorder import NORMAL, WARNING
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.lister import Lister
    from kubestage.controllers.node_autoscaler.reports import Reports
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.objects.views.pod import PodView


_EVICTION_RETRY_NS: Final = 10 * SECOND_NS
_CHECK_AGAIN_NS: Final = 5 * SECOND_NS
_HEADROOM_NS: Final = 30 * SECOND_NS


class ClusterClient(Protocol):
    """What the autoscaler asks of an API server."""

    def get(self, kind: tuple[str, str], name: str) -> Json:
        """An object of a kind without namespaces."""
        ...

    def update(self, obj: Json) -> Any:
        """Replace an object."""
        ...

    def evict(self, name: str, namespace: str, options: DeleteOptions) -> Any:
        """Have a pod go, if its budgets allow that."""
        ...


class Removal(msgspec.Struct):
    """A node on its way out: the pods that are yet to be evicted, and those that are yet to end.

    `node` is as it was when it was chosen; the removal goes on even if it is gone by now.

    Of pods that belong to the node it does not matter whether they can be evicted. `until_ns` is
    when patience ends: first with budgets, then with pods that do not end, then with
    annotations that delay the deletion.
    """

    name: str
    node: Json
    group: str
    drains: bool
    batch_size: int
    is_atomic: bool
    to_evict: dict[str, PodView] | None = None
    to_end: dict[str, PodView] = {}
    until_ns: int = 0
    problems: dict[str, str] = {}
    is_emptied: bool = False


class Draining:
    """Goes on with a drain step by step; `wake` has a node processed again in some time.

    `done` is called when a node is free of pods, `failed` with the reason if it will not be.
    """

    def __init__(
        self,
        client: ClusterClient,
        lister: Lister,
        reports: Reports,
        settings: NodeAutoscalerSettings,
        wake: Callable[[str, int], None],
        done: Callable[[Removal, int], None],
        failed: Callable[[Removal, str], None],
    ) -> None:
        self._client = client
        self._lister = lister
        self._reports = reports
        self._settings = settings
        self._wake = wake
        self._done = done
        self._failed = failed

    def begin(self, removal: Removal, pods: Iterable[PodView], now_ns: int) -> None:
        """Ask the pods of a node to go."""
        settings = self._settings
        by_default = (
            settings.daemonset_eviction_for_occupied_nodes
            if removal.drains
            else settings.daemonset_eviction_for_empty_nodes
        )
        removal.to_evict = {
            pod.uid: pod
            for pod in pods
            if not pod_state.is_mirror(pod) and _is_evicted(pod, removal, by_default)
        }
        removal.until_ns = now_ns + settings.max_pod_eviction_time_ns
        for pod in removal.to_evict.values():
            text = "deleting pod for node scale down"
            self._reports.report(pod.raw, NORMAL, "ScaleDown", text)
        self._evict(removal, now_ns)

    def step(self, removal: Removal, now_ns: int) -> None:
        """Go on with a drain that is under way."""
        if removal.to_evict:
            self._evict(removal, now_ns)
        else:
            self._await_end(removal, now_ns)

    def _evict(self, removal: Removal, now_ns: int) -> None:
        assert removal.to_evict is not None
        if removal.problems and now_ns >= removal.until_ns:
            self._give_up(removal, now_ns)
            return
        for uid, pod in list(removal.to_evict.items()):
            problem = self._try_to_evict(pod)
            if problem:
                removal.problems[uid] = (
                    f"failed to evict pod {pod.namespace}/{pod.name} within allowed timeout "
                    f"(last error: {problem})"
                )
            else:
                del removal.to_evict[uid]
                if not pod_state.is_daemon(pod):
                    removal.to_end[uid] = pod
        if removal.to_evict:
            self._wake(removal.name, _EVICTION_RETRY_NS)
        else:
            self._begin_to_wait(removal, now_ns)

    def _begin_to_wait(self, removal: Removal, now_ns: int) -> None:
        patience_ns = self._settings.max_graceful_termination_sec * SECOND_NS
        removal.until_ns = now_ns + patience_ns + _HEADROOM_NS
        self._await_end(removal, now_ns)

    def _give_up(self, removal: Removal, now_ns: int) -> None:
        """Some pods may not be evicted, and it has been tried for long enough."""
        left = [pod for pod in (removal.to_evict or {}).values() if not pod_state.is_daemon(pod)]
        removal.to_evict = {}
        if not left:
            self._begin_to_wait(removal, now_ns)
            return
        for pod in left:
            text = "failed to delete pod for ScaleDown"
            self._reports.report(pod.raw, WARNING, "ScaleDownFailed", text)
        problems = " ".join(removal.problems[pod.uid] for pod in left)
        text = f"Failed to drain node /{removal.name}, due to following errors: [{problems}]"
        self._failed(removal, text)

    def _try_to_evict(self, pod: PodView) -> str:
        """Ask a pod to go; why it may not, or nothing."""
        grace = pod_state.grace_seconds(pod)
        most = self._settings.max_graceful_termination_sec
        options = DeleteOptions(grace_period_seconds=min(grace, most) if most > 0 else grace)
        try:
            self._client.evict(pod.name, pod.namespace, options)
        except NotFound:
            return ""
        except ApiError as error:
            return error.message
        return ""

    def _await_end(self, removal: Removal, now_ns: int) -> None:
        """Wait for evicted pods to end, and then let the node go."""
        for uid in list(removal.to_end):
            pod = self._lister.get(gvk.POD, removal.to_end[uid].key)
            if pod is None or pod["spec"].get("nodeName") != removal.name:
                del removal.to_end[uid]
        if not removal.to_end:
            self._done(removal, now_ns)
        elif now_ns < removal.until_ns:
            self._wake(removal.name, _CHECK_AGAIN_NS)
        else:
            text = f"Failed to drain node /{removal.name}: pods remaining after timeout"
            self._failed(removal, text)


def _is_evicted(pod: PodView, removal: Removal, by_default: bool) -> bool:
    if pod_state.is_daemon(pod):
        return pod_state.evicts_daemon(pod, by_default)
    return removal.drains
