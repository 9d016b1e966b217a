"""Evictions of the pods of nodes that go: as budgets allow, or at the latest by force."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import events
from kubestage.controllers.karpenter.conditions import status
from kubestage.controllers.karpenter.state import pod_state
from kubestage.errors import ApiError, Conflict, NotFound, SeveralBudgets, TooManyRequests
from kubestage.objects import gvk, timestamps
from kubestage.store.deletion import DeleteOptions
from kubestage.units import MILLISECOND_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork

_FIRST_NS: Final = 100 * MILLISECOND_NS
_LAST_NS: Final = 10 * SECOND_NS
_FORCEFUL: Final = "Forceful Termination"


class Evictions:
    """Pods that are to be evicted, by key and uid, and how often that was refused."""

    def __init__(self, at_work: AtWork) -> None:
        self._at_work = at_work
        self._refused: dict[tuple[str, str], int] = {}

    def add(self, pods: Iterable[Json]) -> None:
        """Have pods evicted, as far as they may be."""
        for pod in pods:
            if pod_state.is_evictable(pod, self._at_work.now_ns, self._at_work.publish):
                key = (pod_state.key_of(pod), str(pod["metadata"]["uid"]))
                if key not in self._refused:
                    self._refused[key] = 0
                    self._evict(pod, key)

    def sync(self, name: str) -> None:
        """Try once more to evict a pod."""
        pod = self._at_work.lister.get(gvk.POD, name)
        known = [key for key in self._refused if key[0] == name]
        for key in known:
            if pod is None or pod["metadata"]["uid"] != key[1]:
                del self._refused[key]
            else:
                self._evict(pod, key)

    def delete_expiring(self, pods: Iterable[Json], until_ns: int) -> None:
        """Delete pods whose grace period would otherwise last longer than their node."""
        now_ns = self._at_work.now_ns
        for pod in pods:
            grace = pod["spec"].get("terminationGracePeriodSeconds")
            if grace is None or now_ns <= until_ns - grace * SECOND_NS:
                continue
            ends = pod["metadata"].get("deletionTimestamp")
            if ends is not None and timestamps.parse_time(ends) <= until_ns:
                continue
            self._delete(pod, until_ns, max((until_ns - now_ns) // SECOND_NS, 1))

    def _delete(self, pod: Json, until_ns: int, seconds: int) -> None:
        metadata, granted = pod["metadata"], pod["spec"]["terminationGracePeriodSeconds"]
        text = (
            "Deleting the pod to accommodate the terminationTime "
            f"{timestamps.format_time(until_ns)} of the node. The pod was granted {seconds} "
            f"seconds of grace-period of its {granted} terminationGracePeriodSeconds. This "
            "bypasses the PDB of the pod and the do-not-disrupt annotation."
        )
        self._at_work.publish(events.about("Pod", pod, "Disrupted", text))
        options = DeleteOptions(grace_period_seconds=seconds)
        try:
            self._at_work.store.delete(gvk.POD, metadata["name"], metadata["namespace"], options)
        except NotFound:
            return

    def _evict(self, pod: Json, key: tuple[str, str]) -> None:
        metadata = pod["metadata"]
        try:
            self._at_work.store.evict(metadata["name"], metadata["namespace"])
        except (NotFound, Conflict):
            self._refused.pop(key, None)
            return
        except ApiError as error:
            if isinstance(error, TooManyRequests | SeveralBudgets):
                self._report(pod, several=isinstance(error, SeveralBudgets))
            failures = self._refused[key]
            self._refused[key] = failures + 1
            delay_ns = min(_FIRST_NS << min(failures, 20), _LAST_NS)
            self._at_work.wake(f"evict:{key[0]}", delay_ns)
            return
        self._refused.pop(key, None)
        text = f"Evicted pod: {self._reason(pod)}"
        self._at_work.publish(events.about("Pod", pod, "Evicted", text))

    def _report(self, pod: Json, *, several: bool) -> None:
        node = self._at_work.node(pod["spec"].get("nodeName") or "")
        if node is None:
            return
        problem = (
            "eviction does not support multiple PDBs" if several
            else "evicting pod violates a PDB"
        )  # fmt: skip
        text = f"Failed to drain node, {problem} (Pod={pod_state.key_of(pod)})"
        event = events.about("Node", node, "FailedDraining", text, events.WARNING)
        self._at_work.publish(event)

    def _reason(self, pod: Json) -> str:
        """Why the node of a pod goes."""
        node = self._at_work.node(pod["spec"].get("nodeName") or "")
        claim = None if node is None else self._at_work.claim_of(node)
        if claim is None:
            return ""
        found = status.find(claim, "DisruptionReason")
        if found is None or found["status"] != "True":
            return _FORCEFUL
        reason: str = found["reason"]
        return reason
