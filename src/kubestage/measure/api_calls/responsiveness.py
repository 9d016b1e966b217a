"""APIResponsiveness: latencies from the API server's metrics, without a Prometheus."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import InputError
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Params
from kubestage.measure.prometheus import api_calls
from kubestage.measure.prometheus.api_calls import ApiCalls, Key
from kubestage.measure.prometheus.api_responsiveness import violation
from kubestage.measure.results import (
    NOTHING,
    MeasurementResult,
    PendingResult,
    Summary,
    merge_results,
)
from kubestage.promql import exposition, quantiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.cluster.access import Page
    from kubestage.measure.measurement import Context
    from kubestage.measure.registry import Registry
    from kubestage.measure.results import Result
    from kubestage.promql.exposition import Line

NAME: Final = "APIResponsiveness"
PAGE: Final = "/metrics"
_WATCH_LIST: Final = "apiserver_watch_list_duration_seconds_bucket"
_NEWEST_FIRST: Final = (
    "apiserver_request_sli_duration_seconds_bucket",
    "apiserver_request_slo_duration_seconds_bucket",
    "apiserver_request_duration_seconds_bucket",
)
_LEFT_OUT: Final = frozenset({"log", "exec", "portforward", "attach", "proxy"})
_QUANTILES: Final = (0.5, 0.9, 0.99)


class CallParams(Params, frozen=True, kw_only=True):
    """As those of APIResponsivenessPrometheus, but a missed threshold fails the test."""

    enable_violations: bool = True
    allowed_slow_calls: int = 0
    custom_thresholds: str = ""
    single_resource_threshold: str = "1s"
    summary_name: str = ""

    def problems(self) -> Iterator[InputError]:
        """``gather`` can read the custom thresholds."""
        if self.action == "gather":
            yield from api_calls.threshold_problems(self.custom_thresholds)


class Bucket(NamedTuple):
    """A bucket of the histogram of some calls."""

    key: Key
    bound: float


Counts = dict[Bucket, float]
"""How often calls were at most as slow as their bucket's bound."""


class APIResponsiveness(Measurement[CallParams]):
    """Reads the API server's histograms at the start and at the end.

    The difference is what happened in between.
    """

    params_type = CallParams
    actions = ("start", "reset", "gather")
    needs_start = True

    @classmethod
    def unknown_parameters(cls, params: Params, registry: Registry) -> list[str]:
        """Keys of custom thresholds that nothing reads."""
        del registry
        return api_calls.unknown_keys(getattr(params, "custom_thresholds", ""))

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._before: dict[str, Counts] = {}

    def perform(self, params: CallParams) -> Result:
        """Start (or ``reset``, which is the same) or gather."""
        return self.start(params) if params.action == "reset" else super().perform(params)

    def start(self, params: CallParams) -> Result:
        """Store the histograms of now."""
        return _Reading(self, params, is_end=False).pending

    def gather(self, params: CallParams) -> Result:
        """Report what has been added."""
        return _Reading(self, params, is_end=True).pending

    def gathered(
        self, params: CallParams, counts: dict[str, Counts], *, is_end: bool
    ) -> MeasurementResult:
        """The histograms of now."""
        if not is_end:
            self._before = counts
            return NOTHING
        calls = ApiCalls()
        _fill(calls, _grown(counts, self._before))
        custom_ns, unknown = api_calls.custom_thresholds(params.custom_thresholds, calls)
        single_ns, unread = api_calls.single_resource_ns(params.single_resource_threshold)
        limits = api_calls.Limits(
            single_ns=single_ns,
            custom_ns=custom_ns,
            allowed_slow_calls=params.allowed_slow_calls,
        )
        bad = violation(calls, limits)
        gathered = (str(bad),) if bad is not None else ()
        name = params.summary_name or f"{NAME}_{self.context.identifier}"
        result = MeasurementResult(
            summaries=(Summary(name, calls.to_json(), self.cluster.moments.unix_ns),),
            verdicts=api_calls.verdicts(calls, limits, is_enforced=params.enable_violations),
            errors=gathered if params.enable_violations else (),
            warnings=() if params.enable_violations else gathered,
        )
        return merge_results([MeasurementResult(warnings=(*unread, *unknown)), result])


class _Reading:
    """The request of the API server's page."""

    def __init__(self, measurement: APIResponsiveness, params: CallParams, *, is_end: bool) -> None:
        self.pending = PendingResult()
        self._measurement = measurement
        self._params = params
        self._is_end = is_end
        measurement.cluster.raw(PAGE, self._read)

    def _read(self, page: Page) -> None:
        if page.code != HTTPStatus.OK:
            problem = f"the API server's {PAGE} answered {page.code}"
            self.pending.resolve(MeasurementResult(errors=(problem,)))
            return
        counts = _counts(page.text)
        try:
            gathered = self._measurement.gathered(self._params, counts, is_end=self._is_end)
        except InputError as problem:
            gathered = MeasurementResult(errors=(str(problem),))
        self.pending.resolve(gathered)


def _counts(text: str) -> dict[str, Counts]:
    """The buckets of all histograms of calls, by the names of those."""
    names = (_WATCH_LIST, *_NEWEST_FIRST)
    # A page may have a hundred thousand lines, of which these are few.
    selected = "\n".join(line for line in text.split("\n") if line.startswith(names))
    found: dict[str, Counts] = {}
    for line in exposition.read(selected):
        bucket = _bucket(line)
        if bucket is not None:
            counts = found.setdefault(line.name, {})
            counts[bucket] = counts.get(bucket, 0.0) + line.value
    return found


def _bucket(line: Line) -> Bucket | None:
    """The bucket of a line; None for calls that have no threshold."""
    labels = line.labels
    verb = "WATCHLIST" if line.name == _WATCH_LIST else labels.get("verb", "")
    subresource = labels.get("subresource", "")
    if verb == "WATCH" or subresource in _LEFT_OUT:
        return None
    try:
        bound = float(labels["le"])
    except (KeyError, ValueError):
        return None
    key = Key(labels.get("resource", ""), subresource, verb, labels.get("scope", ""))
    return Bucket(key, bound)


def _grown(counts: dict[str, Counts], before: dict[str, Counts]) -> Counts:
    """The growth of the newest histogram that exists, and of that of watched lists."""
    name = next((each for each in _NEWEST_FIRST if each in counts), None)
    grown: Counts = {}
    for each in (name, _WATCH_LIST):
        known = before.get(each or "", {})
        for bucket, count in counts.get(each or "", {}).items():
            since = count - known.get(bucket, 0.0)
            # A server that was restarted counts from zero.
            grown[bucket] = since if since >= 0 else count
    return grown


def _fill(calls: ApiCalls, grown: Counts) -> None:
    buckets: dict[Key, list[tuple[float, float]]] = {}
    for (key, bound), count in grown.items():
        buckets.setdefault(key, []).append((bound, count))
    for key in sorted(buckets):
        counts = dict(buckets[key])
        total = round(counts.get(float("inf"), 0.0))
        if not total:
            continue
        call = calls.call(key)
        call.count = total
        call.quantiles = {q: quantiles.of_buckets(q, counts.items()) for q in _QUANTILES}
        fast = counts.get(_fast_bound(key))
        call.slow_count = 0 if fast is None else total - round(fast)


def _fast_bound(key: Key) -> float:
    """Up to which bound a call is not counted as slow."""
    if key.verb == "WATCHLIST":
        return float("inf")
    if key.verb != "LIST":
        return 1.0
    return 30.0 if key.scope == "cluster" else 5.0
