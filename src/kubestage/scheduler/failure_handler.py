"""When a pod could not be scheduled: it goes back to the queue, with an Event and a condition."""

from __future__ import annotations

import collections
import enum
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import errors
from kubestage.aliases import Json
from kubestage.objects import timestamps
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.status import Code
from kubestage.store.event_recorder import WARNING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.client import StoreClient
    from kubestage.scheduler.queue import QueuedPod, SchedulingQueue
    from kubestage.scheduler.status import Status
    from kubestage.sim.clock import Clock


POD_SCHEDULED: Final = "PodScheduled"
UNSCHEDULABLE: Final = "Unschedulable"
SCHEDULER_ERROR: Final = "SchedulerError"
_MAX_NOTE: Final = 1024
CLEAR: Final = ""
"""Takes a pod's nominated node away; None leaves it."""


class Failure(msgspec.Struct, frozen=True):
    """Why a pod was not scheduled.

    Rejected by plugins, which decide which events bring it back, or an error. `nominate` is the
    node to nominate it to.
    """

    message: str
    is_rejected: bool = False
    unschedulable_plugins: frozenset[str] = frozenset()
    pending_plugins: frozenset[str] = frozenset()
    nominate: str | None = CLEAR


def misfit(status: Status) -> Failure:
    """A plugin's refusal of the chosen node, worded like that of all nodes."""
    counts = collections.Counter(status.reasons)
    reasons = sorted(f"{count} {reason}" for reason, count in counts.items())
    text = f" {', '.join(reasons)}." if reasons else ""
    message, plugins = f"0/1 nodes are available:{text}", frozenset({status.plugin})
    if status.code is Code.PENDING:
        return Failure(message, is_rejected=True, pending_plugins=plugins)
    return Failure(message, is_rejected=True, unschedulable_plugins=plugins)


class Unschedulable(enum.Enum):
    """What becomes of a pod that fits nowhere: it is tried again, or it has failed for good."""

    RETRY = "retry"
    LEAVE = "leave"


class FailureHandler:
    """Puts pods back and reports why, in an Event and in the pod's PodScheduled condition."""

    def __init__(
        self,
        queue: SchedulingQueue,
        client: StoreClient,
        clock: Clock,
        unschedulable: Unschedulable = Unschedulable.RETRY,
    ) -> None:
        self._leaves = unschedulable is Unschedulable.LEAVE
        self._queue = queue
        self._client = client
        self._clock = clock

    def handle(self, queued: QueuedPod, failure: Failure) -> None:
        """Take back a pod that is in flight."""
        queued.unschedulable_plugins = failure.unschedulable_plugins
        queued.pending_plugins = failure.pending_plugins
        pod = queued.pod
        found = self._client.pod(pod.key)
        if found is None or found["spec"].get("nodeName"):
            self._queue.done(pod.uid)
        elif found["metadata"]["uid"] != pod.uid:
            self._queue.done(pod.uid)
            return
        else:
            if found is not pod.raw:
                pod = pod_views.of(found)
                queued.renew(pod)
            if self._is_final(failure):
                self._queue.done(pod.uid)
            else:
                self._queue.add_unschedulable(queued)
        self._queue.nominations.add(pod, failure.nominate)
        note = shortened(failure.message)
        by = pod.scheduler_name
        self._client.event(pod.raw, WARNING, "FailedScheduling", "Scheduling", note, by)
        self._report(pod, failure)

    def nominate(self, pod: PodView, node_name: str) -> None:
        """Note in a pod's status which node it is about to get."""
        if pod.nominated_node_name != node_name:
            self._patch(pod, {"nominatedNodeName": node_name})

    def _is_final(self, failure: Failure) -> bool:
        """Whether a pod leaves: it fits nowhere, and no node is being made free for it."""
        return (
            self._leaves
            and failure.is_rejected
            and not failure.nominate
            and not failure.pending_plugins
        )

    def _report(self, pod: PodView, failure: Failure) -> None:
        reason = UNSCHEDULABLE if failure.is_rejected else SCHEDULER_ERROR
        is_promised_as_before = failure.nominate in (None, pod.nominated_node_name)
        if (
            is_promised_as_before
            and not self._leaves
            and self._client.reword(pod, reason, failure.message)
        ):
            return
        changes: Json = {}
        conditions = (pod.raw.get("status") or {}).get("conditions") or []
        changed = with_condition(conditions, self._condition(pod, reason, failure.message))
        if changed is not None:
            changes["conditions"] = changed
        if not is_promised_as_before:
            changes["nominatedNodeName"] = failure.nominate or None
        if self._is_final(failure):
            changes |= {"phase": "Failed", "reason": UNSCHEDULABLE, "message": failure.message}
        if changes:
            self._patch(pod, changes)

    def _condition(self, pod: PodView, reason: str, message: str) -> Json:
        fresh: Json = {
            "type": POD_SCHEDULED,
            "status": "False",
            "lastProbeTime": None,
            "lastTransitionTime": timestamps.format_time(self._clock.unix_ns),
            "reason": reason,
            "message": message,
        }
        generation = pod.raw["metadata"].get("generation")
        if generation:
            fresh["observedGeneration"] = generation
        return fresh

    def _patch(self, pod: PodView, status: Json) -> None:
        try:
            self._client.patch_status(pod, status)
        except errors.ApiError:
            # The pod is gone or has moved on; there is nothing left to report to.
            return


def with_condition(conditions: Iterable[Json], fresh: Json) -> list[Json] | None:
    """The conditions with one set; None if that changes nothing that matters.

    The time of the last transition stays as long as the status does.
    """
    updated = list(conditions)
    for index, old in enumerate(updated):
        if old.get("type") != fresh["type"]:
            continue
        if old.get("status") == fresh["status"]:
            fresh = {**fresh, "lastTransitionTime": old.get("lastTransitionTime")}
            if _stated(old) == _stated(fresh):
                return None
        updated[index] = fresh
        return updated
    return [*updated, fresh]


def _stated(condition: Json) -> tuple[object, ...]:
    """What a condition says beside its status."""
    get = condition.get
    return get("reason"), get("message"), get("lastProbeTime")


def shortened(note: str) -> str:
    """A note cut to what an Event can hold."""
    encoded = note.encode()
    if len(encoded) <= _MAX_NOTE:
        return note
    return encoded[: _MAX_NOTE - 4].decode(errors="ignore") + " ..."
