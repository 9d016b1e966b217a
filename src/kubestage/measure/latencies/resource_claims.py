"""ResourceClaimAllocationLatency: how long it takes until claims of devices are allocated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Call, Resource, Selection
from kubestage.golang import durations
from kubestage.measure import informer, transitions
from kubestage.measure.informer import Informer, key_of
from kubestage.measure.latencies import api_times
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Duration, Selecting
from kubestage.measure.perf_data import DataItem, PerfData
from kubestage.measure.results import NOTHING, MeasurementResult, Summary
from kubestage.measure.transitions import Transition, TransitionTimes

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.cluster.access import Answer
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result


_CLAIM: Final = Resource("resource.k8s.io/v1", "ResourceClaim")
_POD: Final = Resource("v1", "Pod")
_CREATE: Final = "create"
_ALLOCATE: Final = "allocate"
_POD_CREATE: Final = "pod_create"
_TRANSITIONS: Final = {
    "claim_allocation": Transition(_CREATE, _ALLOCATE),
    "pod_create_to_claim_create": Transition(_POD_CREATE, _CREATE),
}


class ResourceClaimsParams(Selecting, frozen=True, kw_only=True):
    """The parameters of ResourceClaimAllocationLatency at its start."""

    threshold: Duration = Duration(5 * durations.MINUTE)
    perc50_threshold: Duration | None = None
    perc90_threshold: Duration | None = None
    perc99_threshold: Duration | None = None

    @property
    def thresholds_ns(self) -> tuple[int, int, int]:
        """The threshold of each percentile."""
        thresholds = (self.perc50_threshold, self.perc90_threshold, self.perc99_threshold)
        p50, p90, p99 = (self.threshold if each is None else each for each in thresholds)
        return p50, p90, p99


class ResourceClaimAllocationLatency(Measurement[ResourceClaimsParams]):
    """Times claims from their creation until they are observed to be allocated.

    A claim that is allocated when it is first observed does not count. For one that a pod has,
    the time from the pod's creation to the claim's is reported too.
    """

    params_type = ResourceClaimsParams
    needs_start = True
    is_restarted = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._params = ResourceClaimsParams()
        self._times = TransitionTimes()
        self._claims: Informer | None = None
        self._pods: Informer | None = None
        self._pod_created: dict[str, int] = {}
        self._waiting_for: dict[str, list[str]] = {}
        self._calls = 0

    def start(self, params: ResourceClaimsParams) -> Result:
        """Start to watch claims and pods."""
        self._params = params
        if self._claims is not None:
            return NOTHING
        selectors = (params.namespace, params.label_selector, params.field_selector)
        self._pods = Informer(self.cluster, Selection(_POD, *selectors), self._pod_changed)
        self._claims = Informer(self.cluster, Selection(_CLAIM, *selectors), self._claim_changed)
        return self.wait(
            self._is_synced,
            informer.synced,
            every_ns=informer.SYNC_POLL_NS,
            timeout_ns=informer.SYNC_TIMEOUT_NS,
        )

    def gather(self, params: ResourceClaimsParams) -> Result:
        """Stop watching and evaluate."""
        del params
        if self._claims is None:
            return MeasurementResult(
                errors=(f"measurement {self.context.method} has not been started",)
            )
        self.dispose()
        observed = {name: self._times.observed(each) for name, each in _TRANSITIONS.items()}
        metrics = {name: each.metric for name, each in observed.items()}
        perf = transitions.to_perf_data(metrics)
        calls = DataItem({"Count": float(self._calls)}, "count", {"Metric": "PodGetCalls"})
        content = PerfData(perf.version, (*perf.data_items, calls)).to_json()
        name = f"ResourceClaimAllocationLatency_{self.context.identifier}"
        allocation, thresholds_ns = observed["claim_allocation"], self._params.thresholds_ns
        metric = allocation.metric
        violation = metric.violation_by_percentile(thresholds_ns)
        errors: tuple[str, ...] = ()
        if violation is not None:
            errors = (f"claim allocation: {violation}; slowest: {allocation.slowest_text()}",)
        return MeasurementResult(
            summaries=(Summary(name, content, self.cluster.moments.unix_ns),),
            verdicts=metric.verdicts("claim_allocation", thresholds_ns, allocation.count),
            latencies=tuple(each.to_latencies(name) for name, each in observed.items()),
            errors=errors,
        )

    def dispose(self) -> None:
        """Stop watching."""
        for watch in (self._claims, self._pods):
            if watch is not None:
                watch.stop()
        self._claims = self._pods = None

    def _is_synced(self) -> bool:
        watched = (self._claims, self._pods)
        return all(each is not None and each.is_synced for each in watched)

    def _pod_changed(self, old: Json | None, new: Json | None, at_ns: int) -> None:
        del at_ns
        if old is not None or new is None or not _uses_template(new):
            return
        self._know(key_of(new), new)

    def _claim_changed(self, old: Json | None, new: Json | None, at_ns: int) -> None:
        del old
        if new is None:
            return
        key = key_of(new)
        is_allocated = _is_allocated(new)
        if is_allocated and self._times.get(key, _CREATE) is None:
            return
        created = new["metadata"].get("creationTimestamp")
        created_ns = api_times.moment_ns(self.cluster.moments, created)
        self._times.set_first(key, _CREATE, at_ns if created_ns is None else created_ns)
        if is_allocated:
            self._times.set_first(key, _ALLOCATE, at_ns)
        if self._times.get(key, _POD_CREATE) is None:
            self._find_pod(key, new)

    def _find_pod(self, key: str, claim: Json) -> None:
        """Record when the pod of a claim was created; an unknown pod is requested."""
        meta = claim["metadata"]
        owners = [each for each in meta.get("ownerReferences") or () if each.get("kind") == "Pod"]
        if not owners or not owners[0].get("name"):
            return
        namespace, name = meta.get("namespace") or "", owners[0]["name"]
        pod = f"{namespace}/{name}" if namespace else name
        if pod in self._pod_created:
            self._times.set(key, _POD_CREATE, self._pod_created[pod])
            return
        waiting = self._waiting_for.setdefault(pod, [])
        waiting.append(key)
        if len(waiting) == 1:
            self._calls += 1
            call = Call(verb="get", resource=_POD, namespace=namespace, name=name)
            self.cluster.call(call, _ClaimRequest(self, pod).answer)

    def answered(self, pod: str, answer: Answer) -> None:
        """A requested pod has arrived, or does not exist."""
        waiting = self._waiting_for.pop(pod, [])
        if answer.object is None:
            return
        self._know(pod, answer.object)
        for key in waiting:
            if pod in self._pod_created:
                self._times.set_first(key, _POD_CREATE, self._pod_created[pod])

    def _know(self, key: str, pod: Json) -> None:
        created = pod["metadata"].get("creationTimestamp")
        created_ns = api_times.moment_ns(self.cluster.moments, created)
        if created_ns is not None:
            self._pod_created.setdefault(key, created_ns)


class _ClaimRequest:
    """The request of a pod."""

    def __init__(self, measurement: ResourceClaimAllocationLatency, pod: str) -> None:
        self._measurement = measurement
        self._pod = pod

    def answer(self, answer: Answer) -> None:
        self._measurement.answered(self._pod, answer)


def _is_allocated(claim: Json) -> bool:
    status = claim.get("status") or {}
    return bool(
        status.get("allocation") is not None or status.get("reservedFor") or status.get("devices")
    )


def _uses_template(pod: Json) -> bool:
    claims = (pod.get("spec") or {}).get("resourceClaims") or ()
    return any(each.get("resourceClaimTemplateName") for each in claims)
