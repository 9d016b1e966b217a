"""ClusterOOMsTracker: processes that were killed because memory ran out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.cluster.access import Resource, Selection
from kubestage.golang import times
from kubestage.measure import perf_data
from kubestage.measure.informer import SYNC_POLL_NS, SYNC_TIMEOUT_NS
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Params
from kubestage.measure.results import NOTHING, MeasurementResult, Summary, Verdict
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.cluster.access import Subscription, WatchEvent
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result

NAME: Final = "ClusterOOMsTracker"
REASON: Final = "OOMKilling"
_EVENTS: Final = Selection(Resource("v1", "Event"), field_selector=f"reason={REASON}")
_PODS: Final = Selection(Resource("v1", "Pod"))
_MESSAGE: Final = re.compile(
    r"Killed process (\d+) \((.+)\) total-vm:(\d+kB), anon-rss:\d+kB, file-rss:\d+kB.*"
)
_KILLED: Final = "OOMKilled"


class OomParams(Params, frozen=True, kw_only=True):
    """`ignored_processes` are names with commas between them."""

    is_enabled: bool = msgspec.field(default=False, name="clusterOOMsTrackerEnabled")
    ignored_processes: str = msgspec.field(default="", name="clusterOOMsIgnoredProcesses")
    is_failure: bool = msgspec.field(default=True, name="clusterOOMsFailureEnabled")

    @property
    def is_off(self) -> bool:
        """It has to be switched on."""
        return not self.is_enabled


class Oom(msgspec.Struct, frozen=True):
    """One kill; a time of None is unknown."""

    node: str
    process: str = ""
    memory: str = ""
    pid: str = ""
    time_ns: int | None = None

    @property
    def document(self) -> Json:
        """The kill as the summary writes it."""
        return {
            "node": self.node,
            "process": self.process,
            "memory": self.memory,
            "pid": self.pid,
            "time": times.rfc3339_nano(self.time_ns),
        }

    def __str__(self) -> str:
        return (
            f"{{Node:{self.node} Process:{self.process} ProcessMemory:{self.memory} "
            f"ProcessID:{self.pid} Time:{times.in_text(self.time_ns)}}}"
        )


class ClusterOOMsTracker(Measurement[OomParams]):
    """Watches the Events of kills.

    A stage has no such Events: there the containers that were killed are counted, and their names
    are in the place of those of processes.
    """

    params_type = OomParams
    actions = ("start", "gather")
    needs_start = True
    is_restarted = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._subscriptions: list[Subscription] = []
        self._started_ns = 0
        self._ignored: frozenset[str] = frozenset()
        self._known: set[str] = set()
        self._ooms: list[Oom] = []

    def perform(self, params: OomParams) -> Result:
        """Nothing unless it is switched on."""
        if not params.is_enabled:
            return MeasurementResult(skipped="clusterOOMsTrackerEnabled is not set")
        return super().perform(params)

    def start(self, params: OomParams) -> Result:
        """Watch; it has started when earlier kills are known."""
        if self._subscriptions:
            return NOTHING
        self._started_ns = self.cluster.moments.unix_ns
        self._known = set()
        text = params.ignored_processes
        self._ignored = frozenset(text.split(",") if text else ())
        self._subscriptions = [self.cluster.watch(_EVENTS, self._event)]
        if self.cluster.is_stage:
            self._subscriptions.append(self.cluster.watch(_PODS, self._pod))
        return self.wait(
            self._is_synced, _started, every_ns=SYNC_POLL_NS, timeout_ns=SYNC_TIMEOUT_NS
        )

    def gather(self, params: OomParams) -> Result:
        """Stop, and report the kills since the start that are not to be ignored."""
        if not self._subscriptions:
            return MeasurementResult(errors=(f"measurement {NAME} has not been started",))
        self.dispose()
        past = [oom for oom in self._ooms if self._is_past(oom)]
        pending = [oom for oom in self._ooms if not self._is_past(oom)]
        ignored = [oom for oom in pending if oom.process in self._ignored]
        failures = [oom for oom in pending if oom.process not in self._ignored]
        kinds = {"failures": failures, "ignored": ignored, "past": past}
        content = perf_data.pretty(
            {name: [oom.document for oom in ooms] for name, ooms in kinds.items()}
        )
        text = f"OOMs recorded: [{' '.join(map(str, failures))}]"
        verdict = Verdict(
            name="OOMs",
            passed=not failures,
            value=float(len(failures)),
            threshold=0.0,
            unit="kills",
            is_enforced=params.is_failure,
        )
        return MeasurementResult(
            summaries=(Summary(NAME, content, self.cluster.moments.unix_ns),),
            verdicts=(verdict,),
            errors=(text,) if failures and params.is_failure else (),
            warnings=(text,) if failures and not params.is_failure else (),
        )

    def dispose(self) -> None:
        """Stop watching."""
        for subscription in self._subscriptions:
            subscription.stop()
        self._subscriptions = []

    def _is_synced(self) -> bool:
        return all(subscription.is_synced for subscription in self._subscriptions)

    def _is_past(self, oom: Oom) -> bool:
        return oom.time_ns is None or oom.time_ns < self._started_ns

    def _event(self, seen: WatchEvent) -> None:
        event = seen.object
        version = event["metadata"].get("resourceVersion", "")
        # A watch that is resumed delivers the same event again.
        if seen.type == "DELETED" or event.get("reason") != REASON or version in self._known:
            return
        self._known.add(version)
        time = event.get("eventTime") or event.get("firstTimestamp")
        node = (event.get("involvedObject") or {}).get("name", "")
        match = _MESSAGE.search(event.get("message") or "")
        pid, process, memory = match.groups() if match else ("", "", "")
        self._ooms.append(Oom(node, process, memory, pid, _nanoseconds(time)))

    def _pod(self, event: WatchEvent) -> None:
        if event.type == "DELETED":
            return
        pod = event.object
        for status in (pod.get("status") or {}).get("containerStatuses") or ():
            # NOTE: nearly all pods never ended, and they change often.
            if status.get("restartCount") or "terminated" in (status.get("state") or ()):
                self._container(pod, status)

    def _container(self, pod: Json, status: Json) -> None:
        for state in (status.get("lastState"), status.get("state")):
            ended = (state or {}).get("terminated")
            if ended is None or ended.get("reason") != _KILLED:
                continue
            finished, name = ended.get("finishedAt"), status.get("name", "")
            key = f"{pod['metadata'].get('uid')}/{name}/{ended.get('containerID')}/{finished}"
            if key not in self._known:
                self._known.add(key)
                node = (pod.get("spec") or {}).get("nodeName", "")
                self._ooms.append(Oom(node, name, time_ns=_nanoseconds(finished)))


def _started(is_synced: bool) -> MeasurementResult:
    if is_synced:
        return NOTHING
    problem = "starting cluster OOMs measurement problem: timed out waiting for caches to sync"
    return MeasurementResult(errors=(problem,))


def _nanoseconds(time: str | None) -> int | None:
    return timestamps.parse_time(time) if time else None
