"""Keeps the status of PodDisruptionBudgets, and the promises of evictions that never happened."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from kubestage.controllers import disruption_target, pods
from kubestage.controllers.controller import Controller
from kubestage.controllers.disruption import budget_status, scales
from kubestage.controllers.disruption.budget_pods import BudgetPodsIndex
from kubestage.objects import labels, timestamps
from kubestage.store.event_recorder import NORMAL, WARNING
from kubestage.store.log import DELETED
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.controllers.disruption.budget_pods import BudgetPods
    from kubestage.store.log import Change


BUDGET: Final = ("policy/v1", "PodDisruptionBudget")
_TIMEOUT_NS: Final = 120 * SECOND_NS
# A repeated sync goes through the queue for failures, which delays it this long.
_RECHECK_NS: Final = 5_000_000
_UNMANAGED: Final = (
    "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a "
    "result, the status of the PDB cannot be calculated correctly, which may result in undefined "
    'behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an '
    "integer value."
)


class DisruptionController(Controller):
    """Keys are those of budgets, and ``pod:namespace/name`` for a pod that was to be disrupted."""

    name = "controllermanager"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._index = BudgetPodsIndex()
        # The earliest time to withdraw an announced disruption, by pod.
        self._announced: dict[str, int] = {}
        # When an announcement was first seen, by budget, pod and the time it states.
        self._seen: dict[tuple[str, str, str], int] = {}

    def handlers(self) -> Handlers:
        """Pods and budgets."""
        return {
            ("", "Pod"): self._on_pod,
            ("policy", "PodDisruptionBudget"): self._on_budget,
        }

    def _on_budget(self, change: Change) -> None:
        key, budget = change.key, change.new
        namespace = budget["metadata"]["namespace"]
        self._catch_up(namespace, key)
        if change.type == DELETED:
            self._index.close(namespace, key)
        elif change.old is None or change.old["spec"] != budget["spec"]:
            selector = labels.from_label_selector(budget["spec"].get("selector"))
            found = self.lister.selected(pods.POD, namespace, selector)
            keyed = ((f"{namespace}/{pod['metadata']['name']}", pod) for pod in found)
            self._index.open(namespace, key, selector, keyed)
        self.queue.add(key)

    def _catch_up(self, namespace: str, key: str) -> None:
        """Write the Events of a waiting sync, if upstream syncs before the next change.

        There every change is synced within a millisecond, so a budget that writes an Event at each
        sync writes it at each change, also at those of one moment.
        """
        budget_pods = self._index.get(namespace, key)
        if budget_pods is None or not budget_pods.is_noisy or not self.queue.is_waiting(key):
            return
        budget = self.lister.get(BUDGET, key)
        if budget is not None and len(budget_pods):
            with contextlib.suppress(scales.ScaleError):
                self._expected(budget, budget_pods)

    def _on_pod(self, change: Change) -> None:
        namespace = change.new["metadata"]["namespace"]
        if change.is_reworded and self._index.is_quiet(namespace, change.key):
            return
        for key in self._index.noisy(namespace, change):
            self._catch_up(namespace, key)
        found = self._index.on_change(change)
        if found:
            first, times = found[0]
            if len(found) > 1:
                self._report_multiple_budgets(change.new, first)
            if times:
                self.queue.add(first)
        status = change.new.get("status")
        if change.type == DELETED:
            self._announced.pop(change.key, None)
        elif change.is_reworded:
            return
        elif change.old is None or change.old.get("status") != status:
            self._expect_deletion(change)

    def _expect_deletion(self, change: Change) -> None:
        """Check a pod again whose disruption was announced, if it is still there then.

        The client that announces it has two minutes from that moment on, too: it writes the time of
        its own clock, and virtual time may be far ahead of that.
        """
        stale_ns = _stale_from_ns(change.new)
        if stale_ns is None:
            self._announced.pop(change.key, None)
            return
        if change.old is not None and _stale_from_ns(change.old) is None:
            self._announced[change.key] = self.clock.unix_ns + _TIMEOUT_NS
        self.queue.add_at(f"pod:{change.key}", self._delayed(change.key, stale_ns))

    def _delayed(self, key: str, stale_ns: int) -> int:
        return max(stale_ns, self._announced.get(key, 0))

    def _report_multiple_budgets(self, pod: Json, chosen: str) -> None:
        metadata = pod["metadata"]
        text = (
            f'Pod "{metadata["namespace"]}"/"{metadata["name"]}" matches multiple '
            f'PodDisruptionBudgets.  Chose "{chosen.partition("/")[2]}" arbitrarily.'
        )
        self.events.event(pod, WARNING, "MultiplePodDisruptionBudgets", text)

    def sync(self, key: str) -> None:
        """Sync a budget, or a pod whose announced disruption did not happen."""
        if key.startswith("pod:"):
            self._clear_stale(key.removeprefix("pod:"))
            return
        budget = self.lister.get(BUDGET, key)
        if budget is None:
            return
        budget_pods = self._index.get(budget["metadata"]["namespace"], key)
        assert budget_pods is not None
        now = timestamps.format_time(self.clock.unix_ns)
        try:
            self._count(key, budget, budget_pods, now)
        except scales.ScaleError as error:
            self.store.record_status(BUDGET, key, budget_status.failed(budget, str(error), now))

    def _count(self, key: str, budget: Json, budget_pods: BudgetPods, now: str) -> None:
        spec, namespace = budget["spec"], budget["metadata"]["namespace"]
        if not len(budget_pods):
            self.events.event(budget, NORMAL, "NoPods", "No matching pods found")
        expected = self._expected(budget, budget_pods)
        desired = budget_status.desired_healthy(spec, expected)
        disrupted = self._disrupted(key, budget, budget_pods)
        healthy = budget_pods.healthy - sum(
            budget_pods.is_healthy(f"{namespace}/{name}")
            for name, since in disrupted.items()
            if self._announced_ns(key, name, since) + _TIMEOUT_NS > self.clock.unix_ns
        )
        status = budget_status.counted(budget, healthy, desired, expected, now)
        if disrupted:
            status["disruptedPods"] = disrupted
        self.store.record_status(BUDGET, key, status)

    def _expected(self, budget: Json, budget_pods: BudgetPods) -> int:
        """How many pods there should be, and what is odd about those that there are."""
        spec, namespace = budget["spec"], budget["metadata"]["namespace"]
        budget_pods.is_noisy = False
        if not budget_status.needs_scale(spec):
            return len(budget_pods)
        try:
            expected = scales.expected(self.store, namespace, budget_pods)
        except scales.ScaleError as error:
            budget_pods.is_noisy = True
            text = f"Failed to calculate the number of expected pods: {error}"
            self.events.event(budget, WARNING, "CalculateExpectedPodCountFailed", text)
            raise
        if budget_pods.unmanaged:
            budget_pods.is_noisy = True
            text = _UNMANAGED.format(budget_status.selector_text(spec.get("selector")))
            self.events.event(budget, WARNING, "UnmanagedPods", text)
        return expected

    def _disrupted(self, key: str, budget: Json, budget_pods: BudgetPods) -> dict[str, str]:
        """The pods that an eviction was granted for and that are not yet seen to go."""
        namespace, now_ns = budget["metadata"]["namespace"], self.clock.unix_ns
        announced: dict[str, str] = {}
        for name, since in ((budget.get("status") or {}).get("disruptedPods") or {}).items():
            pod_key = f"{namespace}/{name}"
            if pod_key not in budget_pods or budget_pods.is_terminating(pod_key):
                self._seen.pop((key, name, since), None)
                continue
            until_ns = self._announced_ns(key, name, since) + _TIMEOUT_NS
            if until_ns >= now_ns:
                announced[name] = since
                self.queue.add_at(key, until_ns + _RECHECK_NS)
                continue
            del self._seen[key, name, since]
            pod = self.lister.get(pods.POD, pod_key)
            assert pod is not None
            # Upstream's text names the namespace twice.
            text = f"Pod was expected by PDB {namespace}/{namespace} to be deleted but it wasn't"
            self.events.event(pod, WARNING, "NotDeleted", text)
        return announced

    def _announced_ns(self, key: str, name: str, since: str) -> int:
        """When a disruption was announced.

        A client whose clock is behind, such as the wall clock after a jump, is given the time from
        when its announcement was seen.
        """
        stated_ns = timestamps.parse_time(since)
        seen_ns = self._seen.setdefault((key, name, since), self.clock.unix_ns)
        return stated_ns if seen_ns - stated_ns <= _TIMEOUT_NS else seen_ns

    def _clear_stale(self, key: str) -> None:
        pod = self.lister.get(pods.POD, key)
        stale_ns = None if pod is None else _stale_from_ns(pod)
        if pod is None or stale_ns is None:
            return
        stale_ns = self._delayed(key, stale_ns)
        if stale_ns > self.clock.unix_ns:
            self.queue.add_at(f"pod:{key}", stale_ns)
            return
        status = disruption_target.status_with(pod, "False", "", "", self.clock.unix_ns)
        self.store.record_status(pods.POD, key, status)


def _stale_from_ns(pod: Json) -> int | None:
    """When the DisruptionTarget condition of a pod that still exists becomes stale.

    A condition set by the kubelet never does: its pods may take any time to end.
    """
    status = pod.get("status")
    found = pods.condition(status, disruption_target.DISRUPTION_TARGET)
    if found is None or found["status"] != "True" or "deletionTimestamp" in pod["metadata"]:
        return None
    if found.get("reason") == "TerminationByKubelet" or pods.is_terminal(pod):
        return None
    return timestamps.parse_time(found["lastTransitionTime"]) + _TIMEOUT_NS
