"""The updater's round: pods that are off get what is recommended, by eviction or where they are."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.decision_trace import DecisionTrace
from kubestage.controllers.vpa import policies, priority, providing, targets, update_reasons
from kubestage.controllers.vpa.restriction import Restriction, is_resizing, key_of
from kubestage.errors import ApiError
from kubestage.golang.rate import Limiter
from kubestage.objects import gvk
from kubestage.objects.patches import PatchType
from kubestage.store.event_recorder import NORMAL

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster
    from kubestage.controllers.lister import Lister
    from kubestage.controllers.vpa.settings import VpaSettings
    from kubestage.controllers.vpa.targets import Targets
    from kubestage.store.event_recorder import EventRecorder


IN_PLACE_UPDATED: Final = "vpaInPlaceUpdated"


class _Turn:
    """What is left to do for one VerticalPodAutoscaler."""

    def __init__(self, vpa: Json, restriction: Restriction) -> None:
        self.vpa = vpa
        self.restriction = restriction
        self.resizes: deque[Json] = deque()
        self.evictions: deque[Json] = deque()


class Updater:
    """Everything that the updater does once a minute.

    A round that must wait for its rate limit goes on later; the next one does not start before it
    has ended.
    """

    def __init__(
        self,
        cluster: Cluster,
        lister: Lister,
        found: Targets,
        settings: VpaSettings,
        events: EventRecorder,
    ) -> None:
        self._store = cluster.store
        self._clock = cluster.environment.clock
        self._log = cluster.environment.context.logger
        self._decisions = DecisionTrace(cluster.environment, "Vpa")
        self._lister = lister
        self._targets = found
        self._settings = settings
        self._events = events
        self._attempts: dict[str, int] = {}
        self._waiting: deque[tuple[Json, list[Json]]] = deque()
        self._turn: _Turn | None = None
        self._resize_limiter = self._limiter()
        self._eviction_limiter = self._limiter()
        self._timer = cluster.environment.timer("VpaUpdaterRate", self._go_on)

    def _limiter(self) -> Limiter | None:
        """A rate of zero or less is no limit."""
        per_second, burst = self._settings.eviction_rate_limit, self._settings.eviction_rate_burst
        return Limiter(per_second, max(burst, 1)) if per_second > 0 else None

    def run(self) -> None:
        """One round, unless the last one is still running."""
        if self._turn is None and not self._waiting:
            self._waiting.extend(self._controlled())
            self._go_on()

    def _controlled(self) -> list[tuple[Json, list[Json]]]:
        """The autoscalers that update pods, each with the live pods that it controls."""
        claimed: dict[str, list[Json]] = {}
        known: dict[str, Json] = {}
        for vpa in self._updating():
            target = targets.of_vpa(vpa)
            for pod in self._selected(vpa):
                parent = self._targets.parent(pod, target.namespace)
                if parent is not None and parent[:3] == target[:3]:
                    claimed.setdefault(key_of(pod), []).append(vpa)
                    known[key_of(pod)] = pod
        controlled: dict[str, tuple[Json, list[Json]]] = {}
        for key in sorted(claimed):
            vpa = targets.strongest(claimed[key]) or {}
            controlled.setdefault(key_of(vpa), (vpa, []))[1].append(known[key])
        return [controlled[key] for key in sorted(controlled)]

    def _updating(self) -> list[Json]:
        ignored = self._settings.ignored_vpa_object_namespaces
        return [
            vpa
            for vpa in self._store.read(policies.VPA).values()
            if policies.update_mode(vpa) in policies.UPDATING
            and vpa["metadata"]["namespace"] not in ignored
        ]

    def _selected(self, vpa: Json) -> list[Json]:
        try:
            selector = self._targets.selector(vpa)
        except targets.TargetError:
            return []
        found = self._lister.selected(gvk.POD, vpa["metadata"]["namespace"], selector)
        return [pod for pod in found if pods.is_active(pod) and pod["spec"].get("nodeName")]

    def _go_on(self) -> None:
        while True:
            if self._turn is None:
                if not self._waiting:
                    return
                self._turn = self._begin(*self._waiting.popleft())
            turn = self._turn
            if turn.resizes:
                wait_ns = self._resize(turn)
            elif turn.evictions:
                wait_ns = self._evict(turn)
            else:
                self._turn = None
                continue
            if wait_ns:
                self._timer.set(self._clock.now_ns + wait_ns)
                return

    def _begin(self, vpa: Json, living: list[Json]) -> _Turn:
        store, settings, now_ns = self._store, self._settings, self._clock.unix_ns
        restriction = Restriction(store, settings, vpa, living, self._attempts)
        turn = _Turn(vpa, restriction)
        if policies.update_mode(vpa) == policies.IN_PLACE_OR_RECREATE:
            movable = [
                pod for pod in living if restriction.can_resize(pod, vpa, now_ns) != "deferred"
            ]
            turn.resizes.extend(priority.update_order(store, vpa, movable, settings, now_ns))
        else:
            movable = [pod for pod in living if restriction.can_evict(pod, now_ns)]
            turn.evictions.extend(priority.update_order(store, vpa, movable, settings, now_ns))
        return turn

    def _resize(self, turn: _Turn) -> int:
        """Resize the first pod in line, or have it evicted; how long to wait before that."""
        pod, now_ns = turn.resizes[0], self._clock.unix_ns
        decision = turn.restriction.can_resize(pod, turn.vpa, now_ns)
        if decision == "approved":
            wait_ns = _wait_ns(self._resize_limiter, now_ns)
            if wait_ns:
                return wait_ns
            try:
                self._patch(pod, turn.vpa)
            except ApiError:
                decision = "evict"
            else:
                turn.restriction.record_resize(pod)
        if decision == "evict":
            turn.evictions.append(pod)
        turn.resizes.popleft()
        return 0

    def _patch(self, pod: Json, vpa: Json) -> None:
        """Ask for a resize; a pod that is refused it is left to eviction."""
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        why = self._reason(pod, vpa)
        steps: list[Json] = []
        for index, provided in enumerate(providing.for_pod(self._store, vpa, pod, namespace)):
            resources = pod["spec"]["containers"][index].get("resources") or {}
            current = (resources.get("requests") or {}, resources.get("limits") or {})
            steps += providing.patches(index, current, provided)
        store = self._store
        store.patch(
            gvk.POD, name, steps, namespace, patch_type=PatchType.JSON, subresource="resize"
        )
        mark = {"metadata": {"annotations": {IN_PLACE_UPDATED: "true"}}}
        store.patch(gvk.POD, name, mark, namespace)
        self._events.event(
            pod,
            NORMAL,
            "InPlaceResizedByVPA",
            "Pod was resized in place by VPA Updater.",
            {update_reasons.ANNOTATION: why},
        )
        self._report_update("resize", vpa, pod, why)

    def _evict(self, turn: _Turn) -> int:
        """Evict the first pod in line, if it may go; how long to wait before that."""
        pod, now_ns = turn.evictions[0], self._clock.unix_ns
        if turn.restriction.can_evict(pod, now_ns):
            wait_ns = _wait_ns(self._eviction_limiter, now_ns)
            if wait_ns:
                return wait_ns
            self._send_away(pod, turn)
        turn.evictions.popleft()
        return 0

    def _send_away(self, pod: Json, turn: _Turn) -> None:
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        why = self._reason(pod, turn.vpa)
        if is_resizing(pod):
            why = f"the resize in place was not done in time; {why}"
        try:
            self._store.evict(name, namespace)
        except ApiError:
            # A budget forbids it, or the pod is gone; the next round tries again.
            return
        self._events.event(
            pod,
            NORMAL,
            "EvictedByVPA",
            "Pod was evicted by VPA Updater to apply resource recommendation.",
            {update_reasons.ANNOTATION: why},
        )
        self._events.event(
            turn.vpa,
            NORMAL,
            "EvictedPod",
            f"VPA Updater evicted Pod {name} to apply resource recommendation.",
            {update_reasons.ANNOTATION: why},
        )
        self._report_update("evict", turn.vpa, pod, why)
        turn.restriction.record_eviction(pod)

    def _reason(self, pod: Json, vpa: Json) -> str:
        return update_reasons.reason(self._store, vpa, pod, self._settings, self._clock.unix_ns)

    def _report_update(self, what: str, vpa: Json, pod: Json, why: str) -> None:
        """Put a decision into the trace and the log."""
        self._decisions.record(what, key_of(pod), f"VPA {key_of(vpa)}: {why}")
        self._log.info("VPA %s: %s of pod %s: %s", key_of(vpa), what, key_of(pod), why)


def _wait_ns(limiter: Limiter | None, now_ns: int) -> int:
    """Take a token: zero if there is one, else the nanoseconds until there is."""
    if limiter is None or limiter.allow(now_ns):
        return 0
    return max(limiter.ready_ns(now_ns) - now_ns, 1)
