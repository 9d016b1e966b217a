"""What goes wrong in a living cluster, to the nanosecond: it receives every change."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

from kubestage.results.life import marks, node_groups, rollouts, windows, workloads
from kubestage.results.life.disruptions import PREEMPTED, Disruptions
from kubestage.results.life.node_health import NodeHealth
from kubestage.results.life.replica_health import ReplicaHealth
from kubestage.results.life.waits import Waits
from kubestage.results.life.wording import plural
from kubestage.store.log import DELETED
from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.marks import Marks
    from kubestage.results.life.workloads import ReplicaCounts, WorkloadName, Workloads
    from kubestage.store.log import Change
    from kubestage.store.store import Store


KEEPERS: Final = frozenset(
    {"DaemonSet", "Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"}
)
"""Kinds that keep a number of pods."""
_ENDING: Final = frozenset({"CronJob", "Job"})
# A container that has run for so long starts again without delay: the next end is another story.
_CRASH_LOOP_NS: Final = 10 * MINUTE_NS


class Health:
    """Ready replicas, nodes, pods without a node, restarts, evictions and refusals of budgets.

    What people and controllers do to workloads is marked on the way.
    """

    def __init__(self, store: Store, known: Workloads, marked: Marks) -> None:
        self.disruptions = Disruptions()
        # Workloads that have lost replicas, in the order in which they did.
        self.troubled: dict[str, None] = {}
        self._store = store
        self._clock = store.clock
        self._workloads = known
        self._marks = marked
        self._replicas: dict[str, ReplicaHealth] = {}
        self._desired: dict[str, dict[str, int | None]] = {}
        self._nodes = NodeHealth()
        self._waits = Waits()
        self._rolling: dict[str, int] = {}
        self._restarted: dict[str, int] = {}
        self._failed_jobs: list[Json] = []
        self._begin_ns = self._clock.now_ns

    def begin(self, begin_ns: int) -> None:
        """The run begins now."""
        self._begin_ns = begin_ns

    def on_pod(self, change: Change, workload: ReplicaCounts | None) -> None:
        """Take in a change of a pod."""
        now_ns = self._clock.now_ns
        self._waits.on_pod(change, now_ns)
        name = f"pod/{change.key}" if workload is None else workload.name
        restarts, _ = self.disruptions.on_pod(change, name, now_ns)
        if restarts:
            self._on_restart(name, change.key, now_ns)
        if workload is not None:
            if name not in self._replicas:
                self._meet(workload.place)
            self._update(name)

    def on_workload(self, change: Change) -> None:
        """Take in an object that keeps pods; what another such object manages is part of it."""
        owner = workloads.controller(change.new)
        if owner is not None and owner["kind"] in KEEPERS:
            return
        member = f"{change.kind.kind.lower()}/{change.key}"
        namespace = change.new["metadata"]["namespace"]
        name = member if owner is None else str(self._workloads.top(owner, namespace))
        members = self._desired.setdefault(name, {})
        if change.type == DELETED:
            members.pop(member, None)
            self._end_rollout(name)
        else:
            members[member] = workloads.desired(change.new)
            self._mark_workload(name, change)
        self._update(name)

    def on_other(self, change: Change) -> None:
        """Take in a change of an object of another kind, which may be one that keeps pods."""
        name = f"{change.kind.kind.lower()}/{change.key}"
        if name in self._replicas and name not in self._desired:
            self._meet(self._workloads.all[name].place)

    def on_job(self, change: Change) -> None:
        """Take in a change of a Job: it may have failed."""
        if change.old is None or change.type == DELETED or _failure(change.old) is not None:
            return
        reason = _failure(change.new)
        if reason is not None:
            now_ns, name = self._clock.now_ns, f"job/{change.key}"
            self._failed_jobs.append(
                {
                    "workload": name,
                    "reason": reason,
                    "atSeconds": windows.since(self._begin_ns, now_ns),
                }
            )
            self._marks.add(now_ns, marks.FAILURE, name, f"failed: {reason}")

    def on_node(self, change: Change) -> None:
        """Take in a change of a node."""
        now_ns, name = self._clock.now_ns, change.key
        if change.type == DELETED:
            self._nodes.remove(name, now_ns)
            return
        is_ready = node_groups.is_ready(change.new)
        if self._nodes.update(name, now_ns, is_ready=is_ready):
            kind = marks.RECOVERY if is_ready else marks.FAILURE
            self._marks.add(now_ns, kind, f"node/{name}", "Ready again" if is_ready else "NotReady")
        if change.old is not None:
            was, is_closed = (
                bool((each.get("spec") or {}).get("unschedulable"))
                for each in (change.old, change.new)
            )
            if was != is_closed:
                text = "cordoned" if is_closed else "uncordoned"
                self._marks.add(now_ns, marks.ACTION, f"node/{name}", text)

    def on_refusal(self, budget: str, pod: str) -> None:
        """A budget refused the eviction of a pod."""
        if self.disruptions.on_refusal(budget, self._clock.now_ns):
            name = f"poddisruptionbudget/{budget}"
            self._marks.add(
                self._clock.now_ns, marks.EVICTION, name, f"refused the eviction of {pod}"
            )

    def in_short(self) -> Json:
        """All of it until now, as the summary of a run has it."""
        begin_ns, now_ns = self._begin_ns, self._clock.now_ns
        for name in list(self._rolling):
            self._end_rollout(name)
            self._rolling[name] = now_ns
        for each in self._replicas.values():
            each.reach(now_ns)
        return {
            "workloads": [
                each.in_short(name, begin_ns)
                for name, each in sorted(self._replicas.items())
                if each.desired is not None
            ],
            "nodesNotReady": self._nodes.in_short(begin_ns, now_ns),
            "pending": self._waits.in_short(begin_ns, now_ns),
            **self.disruptions.in_short(begin_ns),
            "jobsFailed": list(self._failed_jobs),
        }

    def forget(self, most: int) -> None:
        """Keep the newest of everything, so many, for a record without an end."""
        self.disruptions.forget(most)
        self._waits.forget(most)
        self._nodes.forget(most)
        del self._failed_jobs[:-most]
        there = {*self._workloads.all, *(name for name, each in self._desired.items() if each)}
        for known in (self._replicas, self._desired, self._restarted, self.troubled):
            for name in [each for each in known if each not in there]:
                del known[name]
        for health in self._replicas.values():
            del health.below.spans[:-most], health.rollouts.spans[:-most]

    def mark_evictions(self) -> None:
        """Mark evictions that are not marked yet, those of one workload at one moment together."""
        counts = collections.Counter(
            (each.at_ns, each.workload, each.reason) for each in self.disruptions.unmarked()
        )
        for (at_ns, workload, reason), number in counts.items():
            kind = marks.PREEMPTION if reason == PREEMPTED else marks.EVICTION
            verb = "preempted" if reason == PREEMPTED else f"evicted ({reason})"
            self._marks.add(at_ns, kind, workload, f"{plural(number, 'pod')} {verb}")

    def _meet(self, place: WorkloadName) -> None:
        """Pods of a workload came up whose object may be of any kind."""
        name = str(place)
        health = self._replicas.setdefault(name, ReplicaHealth(self._clock.now_ns))
        if place.kind in KEEPERS or place.kind in _ENDING or name in self._desired:
            return
        kind = self._store.kinds.get(place.api_version, place.kind)
        found = None if kind is None else self._store.read(kind).get(_key(place))
        desired = None if found is None else workloads.desired(found)
        health.update(self._clock.now_ns, desired=desired, ready=health.ready)

    def _update(self, name: str) -> None:
        now_ns = self._clock.now_ns
        health = self._replicas.get(name)
        if health is None:
            health = self._replicas[name] = ReplicaHealth(now_ns)
        members = self._desired.get(name)
        desired = health.desired
        if members is not None:
            known = [each for each in members.values() if each is not None]
            desired = sum(known) if known or not members else None
        pods = self._workloads.all.get(name)
        ready = 0 if pods is None else pods.counts[workloads.ACTIVE]
        health.update(now_ns, desired=desired, ready=ready)
        if health.ever_ready and pods is not None and ready < health.reached:
            self.troubled[name] = None

    def _mark_workload(self, name: str, change: Change) -> None:
        """Mark what was done to a workload, and follow its rollout."""
        old, new, now_ns = change.old, change.new, self._clock.now_ns
        if old is None:
            return
        before, after = old["spec"].get("replicas"), new["spec"].get("replicas")
        if before != after:
            text = f"from {before} to {plural(after or 0, 'replica')}"
            self._marks.add(now_ns, marks.RESCALE, name, text)
        if rollouts.begins(old, new):
            self._marks.add(now_ns, marks.ROLLOUT, name, rollouts.described(old, new))
            self._rolling.setdefault(name, now_ns)
        elif name in self._rolling and rollouts.is_complete(new):
            self._end_rollout(name)

    def _end_rollout(self, name: str) -> None:
        since_ns = self._rolling.pop(name, None)
        if since_ns is not None:
            self._replicas[name].rollouts.add(since_ns, self._clock.now_ns)

    def _on_restart(self, workload: str, pod: str, now_ns: int) -> None:
        """Mark the first restart of a series."""
        last_ns = self._restarted.get(workload)
        if last_ns is None or now_ns - last_ns > _CRASH_LOOP_NS:
            self._marks.add(now_ns, marks.FAILURE, workload, f"a container of {pod} restarted")
        self._restarted[workload] = now_ns


def _failure(job: Json) -> str | None:
    for each in (job.get("status") or {}).get("conditions") or ():
        if each["type"] == "Failed" and each["status"] == "True":
            return str(each.get("reason") or "")
    return None


def _key(place: WorkloadName) -> str:
    return f"{place.namespace}/{place.name}"
