"""A scheduler that talks to the API, in the scheduling part of a step.

Nothing in it is changed: what it does is seen in what it writes. A Binding is a pod scheduled; a
condition ``PodScheduled=False`` or an Event ``FailedScheduling`` is a failed attempt; a pod with
a node that it deletes is preempted.

It does not report when it is done. A scheduler tries a pod again only when something happens that
may help, and is silent when it finds nothing to try. So it counts as done when it has been silent
for a while: `grace_s`, or `patience_s` while a pod waits for its first try or for a place that was
promised to it. Then every pod without a node counts as tried twice, and the ledger decides as ever:
what comes to pass afterwards, such as victims that end, starts the next round.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.objects import gvk
from kubestage.scenario.ledger import ENOUGH
from kubestage.scenario.scheduler_writes import CLAIMS
from kubestage.scenario.scheduling import NoScheduler
from kubestage.scenario.timeline import SCHEDULED
from kubestage.server.external_scheduler_news import News, is_unschedulable
from kubestage.server.external_scheduler_victims import Victims
from kubestage.server.live import REPORTS
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from kubestage.scenario.pod_watch import PodWatch
    from kubestage.scenario.settling import Settling
    from kubestage.scheduler.record import Listener
    from kubestage.server.live import Write
    from kubestage.stage import Stage
    from kubestage.store.log import Change


WAITING: Final = "waiting for a scheduler: no client watches pods yet"
# Programs that people use, to watch or to interfere; a kubectl may be called kubectl-1.33.
PEOPLE: Final = ("kubectl", "Mozilla/")
# How often to check whether a scheduler has connected.
_CHECK_S: Final = 0.2


class ExternalSchedulerSettings(msgspec.Struct, frozen=True):
    """How long to wait for an external scheduler, in real time."""

    grace_s: float = 1.0
    """For how long it must be silent to count as done."""

    patience_s: float = 10.0
    """The same while a pod waits for its first attempt, or for a place that it was promised."""

    timeout_s: float | None = None
    """How long a Scenario waits for one to connect; None is without limit."""

    names: tuple[str, ...] | None = None
    """The schedulerNames of its pods; None is any name."""


class ExternalScheduler:
    """The scheduler that watches pods over the API and binds them.

    `followers` counts open watches by group, kind and user agent. `wait_s` is how long there is
    nothing to do but to wait for it, and `message` what the Scenario's status reports meanwhile.
    """

    def __init__(
        self,
        stage: Stage,
        followers: Mapping[tuple[str, str, str], int],
        settings: ExternalSchedulerSettings | None = None,
    ) -> None:
        self.settings = settings or ExternalSchedulerSettings()
        self.wait_s = 0.0
        self.message = ""
        self._store = stage.store
        self._environment = stage.environment
        self._followers = followers
        self._news = News(stage.store, self.settings.names)
        self._last_write_s = 0.0
        self._is_listening = False
        self._is_on = True
        self._watch: PodWatch | None = None
        self._victims = Victims(stage.store)
        # Pods that it was given time for and never tried, by uid.
        self._abandoned: set[str] = set()

    @property
    def schedulers(self) -> Container[str] | None:
        """The names that pods know it by, None for whatever name."""
        return self.settings.names

    @property
    def is_connected(self) -> bool:
        """Whether a client is connected that may schedule."""
        if any(
            count > 0 and (group, kind) == ("", "Pod") and not agent.startswith(PEOPLE)
            for (group, kind, agent), count in self._followers.items()
        ):
            return True
        return (
            self._last_write_s > 0
            and time.monotonic() - self._last_write_s < self.settings.patience_s
        )

    def listen(self, listener: Listener | None, *, in_full: bool) -> None:
        """A Scenario begins or ends. Attempts are not reported: results of plugins stay empty."""
        del listener, in_full
        self._watch = None
        self._victims.clear()
        self._abandoned.clear()

    def stop(self) -> None:
        """It cannot be stopped; what it binds from now on is out of turn."""
        self._is_on = False

    def go_on(self) -> None:
        """It may bind as time passes."""
        self._is_on = True

    def busy_s(self) -> float:
        """How long time should wait for it to see to what is new; 0 if it has nothing to do."""
        next_ns = self._environment.next_movement_time
        if next_ns is not None and next_ns <= self._environment.earliest_ns:
            return 0.0
        if not self._news.is_fresh or not self.is_connected:
            return 0.0
        silent_s = time.monotonic() - max(self._news.since_s, self._last_write_s)
        if silent_s >= self.settings.grace_s:
            self._news.is_fresh = False
            return 0.0
        return self.settings.grace_s - silent_s

    def settle_accounts(self) -> float:
        """Before a Scenario goes on: report what it did, and return how long to wait."""
        if self._is_listening or not self._is_on or self._watch is None:
            return 0.0
        wait_s = self.busy_s()
        if not wait_s:
            self._victims.report(self._watch)
        return wait_s

    def schedule(self, watch: PodWatch, settling: Settling, until_ns: int | None) -> Iterator[None]:
        """Let it schedule until the ledger has no pod left to try."""
        self._watch = watch
        while True:
            self._is_listening = True
            try:
                yield from self._await_silence(watch)
            finally:
                self._is_listening = False
                self.wait_s, self.message = 0.0, ""
            self._victims.report(watch)
            self._close_books(watch)
            yield from settling.settle(until_ns)
            if watch.ledger.is_exhausted:
                return

    def accounts_for(self, change: Change) -> bool:
        """Whether a change by a client is its doing."""
        kind = change.kind.kind
        if kind in REPORTS:
            return True
        is_its_turn = self._is_listening or (self._is_on and self._watch is not None)
        if kind != "Pod" or change.kind.group:
            return kind in CLAIMS and is_its_turn
        old, new = change.old, change.new
        if change.type == ADDED or old is None:
            return False
        if change.type == DELETED or "deletionTimestamp" in new["metadata"]:
            return is_its_turn and self._note_departure(change.key, new)
        if new["spec"].get("nodeName") and not old["spec"].get("nodeName"):
            return is_its_turn and self._note_binding(new)
        if old["spec"] != new["spec"] or _labels(old) != _labels(new):
            return False
        if is_unschedulable(new) and old.get("status") != new.get("status"):
            self._note_try(change.key)
        return True

    @property
    def is_at_work(self) -> bool:
        """It is another process: what it writes comes over the API."""
        return False

    def on_write(self, write: Write) -> None:
        """Handle a write of a client."""
        kind = write.kind.kind
        if write.user_agent.startswith(PEOPLE) or kind == "Lease":
            return
        if kind == "Pod" and write.verb == "create" and not write.subresource:
            return
        if kind in ("Pod", "Binding", "Event") or kind in CLAIMS:
            self._last_write_s = time.monotonic()
        if kind == "Event" and write.result is not None:
            self._note_event(write.result)

    def _await_silence(self, watch: PodWatch) -> Iterator[None]:
        silent_s = absent_s = time.monotonic()
        while watch.ledger.untried:
            now_s = time.monotonic()
            if not self.is_connected:
                self._check_absence(now_s - absent_s)
                # Watches end now and then, and are opened again.
                self.message = WAITING if now_s - absent_s >= _CHECK_S else ""
                self.wait_s, silent_s = _CHECK_S, now_s
            else:
                self.message, absent_s = "", now_s
                silent_s = max(silent_s, self._last_write_s)
                self.wait_s = self._wait_for_s(watch) - (now_s - silent_s)
                if self.wait_s <= 0:
                    return
            yield

    def _close_books(self, watch: PodWatch) -> None:
        """It has done what it can: what it tried once it would have tried again if that helped."""
        pods = self._store.read(gvk.POD)
        for key in watch.ledger.untried:
            for _ in range(ENOUGH - watch.ledger.tries(key)):
                watch.ledger.tried(key)
            if key in pods and is_unschedulable(pods[key]):
                watch.unschedulable[key] = None
            elif key in pods:
                self._abandoned.add(pods[key]["metadata"]["uid"])

    def _check_absence(self, seconds: float) -> None:
        timeout_s = self.settings.timeout_s
        if timeout_s is not None and seconds > timeout_s:
            raise NoScheduler(
                f"no scheduler connected within {timeout_s:g} s: start one that talks to this API, "
                "or serve without --scheduler outside"
            )

    def _wait_for_s(self, watch: PodWatch) -> float:
        """For how long it may be silent before it counts as done."""
        if self._victims:
            return self.settings.grace_s
        pods = self._store.read(gvk.POD)
        for key in watch.ledger.untried:
            pod = pods.get(key)
            if pod is None or pod["metadata"]["uid"] in self._abandoned:
                continue
            if not is_unschedulable(pod) or pod["status"].get("nominatedNodeName"):
                return self.settings.patience_s
        return self.settings.grace_s

    def _note_binding(self, pod: Json) -> bool:
        watch = self._watch
        assert watch is not None
        state = watch.pod_record(pod)
        state.bound_to, state.bound_at = pod["spec"]["nodeName"], watch.step
        key = _key(pod["metadata"])
        watch.unschedulable.pop(key, None)
        self._victims.takes_place(key, pod)
        watch.timeline.happened(watch.step, SCHEDULED, state.result(pod))
        return True

    def _note_departure(self, key: str, pod: Json) -> bool:
        if not pod["spec"].get("nodeName"):
            return False
        assert self._watch is not None
        self._victims.leaves(self._watch, key, pod)
        return True

    def _note_try(self, key: str) -> None:
        watch = self._watch
        if watch is not None and self._is_listening:
            watch.unschedulable[key] = None
            if not watch.ledger.tries(key):
                watch.ledger.tried(key)

    def _note_event(self, event: Json) -> None:
        about = event.get("regarding") or event.get("involvedObject") or {}
        if about.get("kind") != "Pod":
            return
        if event.get("reason") == "FailedScheduling":
            self._note_try(_key(about))
        elif event.get("reason") == "Preempted" and event.get("related"):
            self._victims.makes_way(_key(about), _key(event["related"]))


def _key(named: Json) -> str:
    return f"{named.get('namespace') or 'default'}/{named.get('name', '')}"


def _labels(obj: Json) -> tuple[Any, Any]:
    return obj["metadata"].get("labels"), obj["metadata"].get("annotations")
