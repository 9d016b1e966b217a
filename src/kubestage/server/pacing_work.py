"""What a clock jumps to: the work that a write brings about, and not what repeats without end.

A cluster is never done: autoscalers look again, usage is scraped, requests flow, a CronJob is due.
A clock that jumps from event to event would follow that without end. It follows only work that is
under way:

* what is due in this very instant, whatever it is;
* lives of pods and nodes, pulls of images, and timers of controllers, up to `HORIZON_NS` after the
  last progress: a write of a client, or a pod or node that came, went or got further;
* pods that back off, a few seconds ahead, and bindings that wait;
* the disruption controller a few seconds ahead, for its longer timers are timeouts: a client that
  announces a disruption is given the time to delete the pod;
* the node autoscaler while pods have no node, up to the horizon, and the other autoscalers for
  `POLLS_NS` after the last write of a client;
* nothing that is later than `LONGEST_NS` after the last write of a client.

A clock that keeps up with the wall clock leaves to it what can wait: it does not jump to looks of
autoscalers, nor to timers of controllers that are more than a few seconds ahead, nor to attempts to
pull an image again, nor to what a program does after more than a minute: clients may look
at it while it runs.

Everything else (Traffic, CronJobs, scrapes, Events that expire, long Jobs) happens on the way,
while a client watches (`wall_clock`), or when the clock is set to a speed or advanced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.disruption.loop import DisruptionController
from kubestage.controllers.kubelet import pod as steps
from kubestage.sim import periodic_timer, timer
from kubestage.store.log import MODIFIED
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sim.movement import Movement
    from kubestage.stage import Stage
    from kubestage.store.log import Change


HORIZON_NS: Final = 300 * SECOND_NS
LONGEST_NS: Final = 3600 * SECOND_NS
POLLS_NS: Final = 60 * SECOND_NS
BACKOFF_NS: Final = 15 * SECOND_NS
PROGRAM_NS: Final = 60 * SECOND_NS

_SCHEDULER: Final = "SchedulerTimer"
_DISRUPTION: Final = DisruptionController.name
_NODE_AUTOSCALER: Final = "NodeAutoscaler"
_POLL_KINDS: Final = ("HpaTicktock/", "VpaRecommender", "VpaUpdater")
# Entities whose movements are a cluster's work; requests and samples are not among them.
_LIVES: Final = frozenset({"Pod", "Node", "Image"})
# Attempts to pull an image that no node can pull: they go on for ever.
_PULLED_AGAIN: Final = frozenset({steps.RETRY, steps.PULL_BACKOFF})
_LATER: Final = frozenset(
    {"cronjob-controller", "csrcleaner", "event-ttl", "LifeRecorder", "VpaUpdaterRate"}
)
_REQUESTS: Final = ("-due", "-changing")


class WorkAhead:
    """Knows how far a clock that jumps should go."""

    def __init__(self, stage: Stage, *, keeps_up: bool = False) -> None:
        self._stage = stage
        self._keeps_up = keeps_up
        self._environment = stage.environment
        self.written_ns = stage.clock.now_ns
        self._progress_ns = self.written_ns
        self._unscheduled = 0
        stage.store.subscribe(self.on_change, {("", "Pod"), ("", "Node")})
        self._count()

    def close(self) -> None:
        """Listen no more."""
        self._stage.store.unsubscribe(self.on_change)

    def wrote(self) -> None:
        """A client changed something."""
        self.written_ns = self._progress_ns = self._stage.clock.now_ns

    def on_change(self, change: Change) -> None:
        """See whether a change is progress."""
        old, new = change.old, change.new
        if change.kind.kind == "Pod":
            was = old is not None and _is_unscheduled(old)
            is_now = change.type != "DELETED" and _is_unscheduled(new)
            self._unscheduled += is_now - was
        if change.type != MODIFIED or old is None or _is_further(old, new):
            self._progress_ns = self._stage.clock.now_ns

    def goal_ns(self) -> int | None:
        """When the next work is due that is worth a jump; None if there is none."""
        last_ns = min(self._progress_ns + HORIZON_NS, self.written_ns + LONGEST_NS)
        until_ns = max(last_ns, self._environment.earliest_ns)
        return self._environment.first_time(self._concerns, until_ns)

    def _concerns(self, movement: Movement) -> bool:
        at_ns, now_ns = movement.occurs_at, self._stage.clock.now_ns
        if at_ns <= self._environment.earliest_ns:
            return True
        stock = movement.from_stock
        kind, name = stock.kind_stocked, stock.name
        if kind in _LIVES:
            if not self._keeps_up:
                return True
            if movement.kind in _PULLED_AGAIN:
                return at_ns <= now_ns + BACKOFF_NS
            return movement.kind != steps.PROGRAM or at_ns <= now_ns + PROGRAM_NS
        if kind == periodic_timer.KIND:
            return self._is_awaited_poll(name, at_ns)
        if kind != timer.KIND or name in _LATER or name.endswith(_REQUESTS):
            return False
        if name == _SCHEDULER:
            return self._is_awaited_try(at_ns)
        may_wait = self._keeps_up or name == _DISRUPTION
        return not may_wait or at_ns <= now_ns + BACKOFF_NS

    def _is_awaited_poll(self, name: str, at_ns: int) -> bool:
        if name == _NODE_AUTOSCALER:
            return self._unscheduled > 0
        polls_ns = 0 if self._keeps_up else POLLS_NS
        return name.startswith(_POLL_KINDS) and at_ns <= self.written_ns + polls_ns

    def _is_awaited_try(self, at_ns: int) -> bool:
        scheduler = self._stage.scheduler
        if scheduler is not None and scheduler.binding_due_ns == at_ns:
            return True
        return at_ns <= self._stage.clock.now_ns + BACKOFF_NS

    def _count(self) -> None:
        pods = self._stage.store.read(("v1", "Pod")).values()
        self._unscheduled = sum(map(_is_unscheduled, pods))


def _is_unscheduled(pod: Json) -> bool:
    if pod["spec"].get("nodeName") or "deletionTimestamp" in pod["metadata"]:
        return False
    return (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")


def _is_further(old: Json, new: Json) -> bool:
    """Whether a pod or node is in another part of its life; a pod that restarts is not."""
    if ("deletionTimestamp" in old["metadata"]) != ("deletionTimestamp" in new["metadata"]):
        return True
    if old["spec"] is not new["spec"] and old["spec"] != new["spec"]:
        return True
    before, after = old.get("status") or {}, new.get("status") or {}
    return before.get("phase") != after.get("phase")
