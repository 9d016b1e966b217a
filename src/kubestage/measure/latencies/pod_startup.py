"""PodStartupLatency: from a pod's creation to its running, as a watcher observes it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.cluster.access import Resource, Selection, WatchEvent
from kubestage.golang import durations
from kubestage.measure import transitions
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Duration, Params
from kubestage.measure.results import NOTHING, MeasurementResult, Result, Summary, Verdict
from kubestage.measure.transitions import Observed, Transition, TransitionTimes

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.cluster.access import Subscription
    from kubestage.measure.measurement import Context

_NAME: Final = "PodStartupLatency"
_SYNC_TIMEOUT_NS: Final = durations.MINUTE
_SYNC_POLL_NS: Final = 100 * durations.MILLISECOND

_CREATE: Final = "create"
_SCHEDULE: Final = "schedule"
_RUN: Final = "run"
# Times are those of the watch, so a pod runs when the watch reports it.
_WATCH: Final = _RUN

_TRANSITIONS: Final = {
    "create_to_run": Transition(_CREATE, _RUN),
    "create_to_schedule": Transition(_CREATE, _SCHEDULE),
    "pod_startup": Transition(_CREATE, _WATCH),
    "run_to_watch": Transition(_RUN, _WATCH),
    "schedule_to_run": Transition(_SCHEDULE, _RUN),
    "schedule_to_watch": Transition(_SCHEDULE, _WATCH),
}
# The others are the same numbers under another name.
_RECORDED: Final = ("create_to_schedule", "schedule_to_run", "pod_startup")
_EPHEMERAL: Final = ("emptyDir", "downwardAPI", "configMap", "secret", "projected")


class PodStartupParams(Params, frozen=True, kw_only=True):
    """Which pods are watched, and how long they may take.

    A percentile's own threshold comes before `threshold`. `map_events_by_order` and
    `scheduler_name` are accepted for old configurations, and change nothing.
    """

    namespace: str = ""
    label_selector: str = ""
    field_selector: str = ""
    threshold: Duration = Duration(5 * durations.SECOND)
    perc50_threshold: Duration | None = None
    perc90_threshold: Duration | None = None
    perc99_threshold: Duration | None = None
    map_events_by_order: bool = False
    scheduler_name: str = ""

    @property
    def thresholds_ns(self) -> tuple[int, int, int]:
        """The threshold of each percentile."""
        own = (self.perc50_threshold, self.perc90_threshold, self.perc99_threshold)
        p50, p90, p99 = (self.threshold if each is None else each for each in own)
        return int(p50), int(p90), int(p99)


class PodStartupLatency(Measurement[PodStartupParams]):
    """Writes six latencies for all pods, for stateless and for stateful ones.

    A pod is stateful if it has a volume that outlives it. Times are when the watch first
    delivered the pod, its node, and that it runs. Pods that are there at
    the start count from then. A pod that comes back under the same name keeps its first times.
    """

    params_type = PodStartupParams
    needs_start = True
    is_restarted = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._subscription: Subscription | None = None
        self._times = TransitionTimes()
        self._stateful: set[str] = set()
        self._thresholds_ns = (0, 0, 0)

    def start(self, params: PodStartupParams) -> Result:
        """Watch pods; it has started when the existing ones are known."""
        if self._subscription is not None:
            return NOTHING
        self._thresholds_ns = params.thresholds_ns
        selection = Selection(
            Resource("v1", "Pod"), params.namespace, params.label_selector, params.field_selector
        )
        self._subscription = self.cluster.watch(selection, self._on_event)
        return self.wait(
            self._is_synced, _started, every_ns=_SYNC_POLL_NS, timeout_ns=_SYNC_TIMEOUT_NS
        )

    def gather(self, params: PodStartupParams) -> Result:
        """Stop watching and report what was observed."""
        del params
        if self._subscription is None:
            return MeasurementResult(errors=(f"metric {_NAME} has not been started",))
        self.dispose()
        # Three of the six are others under another name: each is counted once.
        observed = {each: self._times.observed(each) for each in _TRANSITIONS.values()}
        checks = [
            self._check("", observed),
            self._check("Stateless", _only(observed, self._is_stateless)),
            self._check("Stateful", _only(observed, self._is_stateful)),
        ]
        return MeasurementResult(
            summaries=tuple(check.summary for check in checks),
            verdicts=tuple(verdict for check in checks for verdict in check.verdicts),
            latencies=tuple(observed[_TRANSITIONS[name]].to_latencies(name) for name in _RECORDED),
            errors=tuple(dict.fromkeys(check.error for check in checks if check.error)),
            warnings=self._warnings(),
        )

    def dispose(self) -> None:
        """Stop watching."""
        if self._subscription is not None:
            self._subscription.stop()
            self._subscription = None

    def _on_event(self, event: WatchEvent) -> None:
        if event.type == "DELETED":
            return
        pod, at_ns = event.object, event.at_ns
        metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
        key = sys.intern(f"{metadata.get('namespace', '')}/{metadata.get('name', '')}")
        (self._stateful.discard if _is_stateless(spec) else self._stateful.add)(key)
        self._times.set_first(key, _CREATE, at_ns)
        if spec.get("nodeName"):
            self._times.set_first(key, _SCHEDULE, at_ns)
        if (pod.get("status") or {}).get("phase") == "Running":
            self._times.set_first(key, _RUN, at_ns)

    def _is_synced(self) -> bool:
        return self._subscription is None or self._subscription.is_synced

    def _is_stateless(self, key: str) -> bool:
        return key not in self._stateful

    def _is_stateful(self, key: str) -> bool:
        return key in self._stateful

    def _check(self, prefix: str, observed: dict[Transition, Observed]) -> _Check:
        counted = {each: event.metric for each, event in observed.items()}
        metrics = {name: counted[each] for name, each in _TRANSITIONS.items()}
        startup, metric = observed[_TRANSITIONS["pod_startup"]], metrics["pod_startup"]
        violation = metric.violation_by_percentile(self._thresholds_ns)
        verdicts: tuple[Verdict, ...] = ()
        # No stateful pods is no problem; no pods at all is one.
        if startup.count or not prefix:
            name = f"{prefix} pod_startup".strip()
            verdicts = metric.verdicts(name, self._thresholds_ns, startup.count)
        return _Check(
            summary=Summary(
                f"{prefix}{_NAME}_{self.context.identifier}",
                transitions.to_perf_data(metrics).to_json(),
                self.cluster.moments.unix_ns,
            ),
            verdicts=verdicts,
            error=f"pod startup: {violation}; slowest: {startup.slowest_text()}"
            if violation
            else "",
        )

    def _warnings(self) -> tuple[str, ...]:
        """Pods that never ran have no latency: the percentiles do not include them."""
        created, running = self._times.count(_CREATE), self._times.count(_RUN)
        if running == created:
            return ()
        missing = f"{created - running} of {created} pods were not seen running"
        return (f"{_NAME} - {self.context.identifier}: {missing} and are in no percentile",)


class _Check(msgspec.Struct, frozen=True):
    """The result for all pods, or for some."""

    summary: Summary
    verdicts: tuple[Verdict, ...]
    error: str


def _only(
    observed: dict[Transition, Observed], keep: Callable[[str], bool]
) -> dict[Transition, Observed]:
    return {each: event.only(keep) for each, event in observed.items()}


def _is_stateless(spec: dict[str, Any]) -> bool:
    for volume in spec.get("volumes") or ():
        for kind in _EPHEMERAL:
            if volume.get(kind) is not None:
                break
        else:
            return False
    return True


def _started(is_synced: bool) -> MeasurementResult:
    return (
        NOTHING
        if is_synced
        else MeasurementResult(errors=("timed out waiting for caches to sync",))
    )
