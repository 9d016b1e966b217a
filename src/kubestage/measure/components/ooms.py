"""ClusterOOMsTracker: processes that were killed because memory ran out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.cluster.access import Resource, Selection
from kubestage.measure import perf_data
from kubestage.measure.components import go_times
from kubestage.measure.informer import SYNC_LOOK_NS, SYNC_TIMEOUT_NS
from kubestage.measure.measurement import Measurement
from kubestage.measure.outcome import NOTHING, Outcome, Summary, Verdict
from kubestage.measure.params import Params
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.cluster.access import Seen, Subscription
    from kubestage.measure.measurement import Context
    from kubestage.measure.outcome import Result

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


class Oom(msgspec.Struct, frozen=True):
    """One kill; a time of None was not told."""

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
            "time": go_times.in_json(self.time_ns),
        }

    def __str__(self) -> str:
        return (
            f"{{Node:{self.node} Process:{self.process} ProcessMemory:{self.memory} "
            f"ProcessID:{self.pid} Time:{go_times.in_text(self.time_ns)}}}"
        )


class ClusterOOMsTracker(Measurement[OomParams]):
    """Watches the events in which nodes tell of kills.

    Nobody writes those on a stage, so there the containers that were killed are counted instead;
    their names stand where those of processes do.
    """

    params_type = OomParams

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
            return Outcome(skipped="clusterOOMsTrackerEnabled is not set")
        return super().perform(params)

    def start(self, params: OomParams) -> Result:
        """Watch; it has begun when what there was before is known."""
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
            self._is_synced, _started, every_ns=SYNC_LOOK_NS, timeout_ns=SYNC_TIMEOUT_NS
        )

    def gather(self, params: OomParams) -> Result:
        """Stop, and tell kills that matter from those of before and those to be ignored."""
        if not self._subscriptions:
            return Outcome(errors=(f"measurement {NAME} has not been started",))
        self.dispose()
        past = [oom for oom in self._ooms if self._is_past(oom)]
        later = [oom for oom in self._ooms if not self._is_past(oom)]
        ignored = [oom for oom in later if oom.process in self._ignored]
        failures = [oom for oom in later if oom.process not in self._ignored]
        kinds = {"failures": failures, "ignored": ignored, "past": past}
        content = perf_data.pretty(
            {name: [oom.document for oom in ooms] for name, ooms in kinds.items()}
        )
        told = f"OOMs recorded: [{' '.join(map(str, failures))}]"
        verdict = Verdict(
            name="OOMs",
            passed=not failures,
            value=float(len(failures)),
            threshold=0.0,
            unit="kills",
            is_enforced=params.is_failure,
        )
        return Outcome(
            summaries=(Summary(NAME, content, self.cluster.moments.unix_ns),),
            verdicts=(verdict,),
            errors=(told,) if failures and params.is_failure else (),
            warnings=(told,) if failures and not params.is_failure else (),
        )

    def dispose(self) -> None:
        """Watch no more."""
        for subscription in self._subscriptions:
            subscription.stop()
        self._subscriptions = []

    def _is_synced(self) -> bool:
        return all(subscription.is_synced for subscription in self._subscriptions)

    def _is_past(self, oom: Oom) -> bool:
        return oom.time_ns is None or oom.time_ns < self._started_ns

    def _event(self, seen: Seen) -> None:
        event = seen.object
        version = event["metadata"].get("resourceVersion", "")
        # A watch that is taken up again tells of the same event once more.
        if seen.type == "DELETED" or event.get("reason") != REASON or version in self._known:
            return
        self._known.add(version)
        time = event.get("eventTime") or event.get("firstTimestamp")
        node = (event.get("involvedObject") or {}).get("name", "")
        match = _MESSAGE.search(event.get("message") or "")
        pid, process, memory = match.groups() if match else ("", "", "")
        self._ooms.append(Oom(node, process, memory, pid, _nanoseconds(time)))

    def _pod(self, seen: Seen) -> None:
        if seen.type == "DELETED":
            return
        pod = seen.object
        for status in (pod.get("status") or {}).get("containerStatuses") or ():
            # NOTE: pods that never ended are nearly all, and told of often.
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


def _started(is_synced: bool) -> Outcome:
    if is_synced:
        return NOTHING
    problem = "starting cluster OOMs measurement problem: timed out waiting for caches to sync"
    return Outcome(errors=(problem,))


def _nanoseconds(time: str | None) -> int | None:
    return timestamps.parse_time(time) if time else None
