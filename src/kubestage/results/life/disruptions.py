"""What pods suffered: restarts of their containers, evictions, and evictions that were refused."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.results.life import windows
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.log import Change

_OVER: Final = ("Succeeded", "Failed")
_STATUSES: Final = ("containerStatuses", "initContainerStatuses")
PREEMPTED: Final = "Preempted"
_BY_API: Final = "EvictionByEvictionAPI"
# Who ended a pod, under the reason of the Event that tells it.
_REASONS: Final = {
    "DeletionByTaintManager": "TaintManagerEviction",
    "PreemptionByScheduler": PREEMPTED,
    "TerminationByKubelet": "Evicted",
}
_REQUESTERS: Final = frozenset({"EvictedByVPA", "ScaleDown"})
"""Reasons of Events that name who requested an eviction through the API."""


class Eviction(NamedTuple):
    """A pod that the cluster ended."""

    at_ns: int
    pod: str
    workload: str
    reason: str


class Disruptions:
    """Restarts, evictions and refused evictions, as they come up."""

    def __init__(self) -> None:
        self.restarts: collections.Counter[str] = collections.Counter()
        self.evictions: list[Eviction] = []
        self.ended = 0
        """How many pods the cluster has ended, also those that were forgotten."""
        self.refused: dict[str, list[int]] = {}
        self._requesters: dict[tuple[str, int], str] = {}
        self._marked = 0

    def on_pod(self, change: Change, workload: str, now_ns: int) -> tuple[int, str]:
        """Take in a pod; how often its containers restarted, and why the cluster ended it."""
        restarts, reason = restarted(change), ended_by(change)
        if restarts:
            self.restarts[workload] += restarts
        if reason:
            self.ended += 1
            self.evictions.append(Eviction(now_ns, change.key, workload, reason))
        return restarts, reason

    def on_event(self, change: Change, now_ns: int) -> None:
        """Remember who requested an eviction."""
        if change.new.get("reason") in _REQUESTERS:
            about = change.new.get("involvedObject") or {}
            key = f"{about.get('namespace')}/{about.get('name')}"
            self._requesters[key, now_ns] = change.new["reason"]

    def on_refusal(self, budget: str, now_ns: int) -> bool:
        """A budget refused an eviction; whether it was its first refusal."""
        self.refused.setdefault(budget, []).append(now_ns)
        return len(self.refused[budget]) == 1

    def evicted(self) -> list[Eviction]:
        """All evictions, with who requested them as far as that is known."""
        return [self._with_requester(each) for each in self.evictions]

    def unmarked(self) -> list[Eviction]:
        """Those of them that this did not return before."""
        found = [self._with_requester(each) for each in self.evictions[self._marked :]]
        self._marked = len(self.evictions)
        return found

    def forget(self, most: int) -> None:
        """Keep the newest, so many."""
        excess = max(len(self.evictions) - most, 0)
        del self.evictions[:excess]
        self._marked = max(self._marked - excess, 0)
        self._requesters.clear()
        for times in self.refused.values():
            del times[:-most]

    def _with_requester(self, eviction: Eviction) -> Eviction:
        if eviction.reason != _BY_API:
            return eviction
        requester = self._requesters.get((eviction.pod, eviction.at_ns), _BY_API)
        return Eviction(*eviction[:3], requester)

    def in_short(self, begin_ns: int) -> Json:
        """Restarts and evictions by workload, and refusals by budget."""
        reasons: dict[str, collections.Counter[str]] = {}
        for each in self.evicted():
            reasons.setdefault(each.workload, collections.Counter())[each.reason] += 1
        return {
            "restarts": [
                {"workload": name, "restarts": number}
                for name, number in sorted(self.restarts.items())
            ],
            "evictions": [
                {"workload": name, "pods": counts.total(), "reasons": dict(sorted(counts.items()))}
                for name, counts in sorted(reasons.items())
            ],
            "budgetsRefused": [
                {
                    "budget": name,
                    "refusals": len(times),
                    "firstAtSeconds": windows.since(begin_ns, times[0]),
                    "lastAtSeconds": windows.since(begin_ns, times[-1]),
                }
                for name, times in sorted(self.refused.items())
            ],
        }


def restarted(change: Change) -> int:
    """How often containers of a pod restarted by a change."""
    old, new = change.old, change.new
    if old is None or change.type == DELETED or old.get("status") is new.get("status"):
        return 0
    return max(_restarts(new) - _restarts(old), 0)


def ended_by(change: Change) -> str:
    """Why the cluster ends a pod by a change; empty if it does not."""
    old, new = change.old, change.new
    if old is None or _is_ending(old) or not (change.type == DELETED or _is_ending(new)):
        return ""
    return reason_of(new)


def _restarts(pod: Json) -> int:
    status = pod.get("status") or {}
    found = 0
    for name in _STATUSES:
        containers: Any = status.get(name) or ()
        found += sum(each.get("restartCount") or 0 for each in containers)
    return found


def _is_ending(pod: Json) -> bool:
    is_over = (pod.get("status") or {}).get("phase") in _OVER
    return is_over or "deletionTimestamp" in pod["metadata"]


def reason_of(pod: Json) -> str:
    """Why the cluster ends a pod; empty if it does not."""
    for each in (pod.get("status") or {}).get("conditions") or ():
        if each["type"] == "DisruptionTarget" and each["status"] == "True":
            reason = str(each.get("reason") or "")
            return _REASONS.get(reason, reason)
    return ""
