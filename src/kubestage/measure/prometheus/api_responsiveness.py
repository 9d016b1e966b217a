"""APIResponsivenessPrometheus: how long the API server takes to answer, against the SLO."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.measure.prometheus import api_calls
from kubestage.measure.prometheus.query_measurement import (
    InstantQuery,
    PrometheusMeasurement,
    QueryParams,
    Violation,
    duration_text,
    first_error,
)
from kubestage.measure.results import MeasurementResult, merge_results

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.errors import InputError
    from kubestage.measure.facilities import QueryAnswer
    from kubestage.measure.params import Params
    from kubestage.measure.prometheus.query_measurement import MeasuredTime
    from kubestage.measure.registry import Registry

NAME: Final = "APIResponsivenessPrometheus"
_FILTERS: Final = 'verb!="WATCH", subresource!~"log|exec|portforward|attach|proxy"'
_FAST: Final = (
    'verb!~"WATCH|LIST", subresource!="proxy", le="1"',
    'scope!="cluster", verb="LIST", le="5"',
    'scope="cluster", verb="LIST", le="30"',
)
_QUANTILES: Final = (0.5, 0.9, 0.99)
_WATCH_LIST: Final = "apiserver_watch_list_duration_seconds"
_WATCH_LIST_VERB: Final = "WATCHLIST"
_WINDOW_NS: Final = 300_000_000_000
_LEAST_NS: Final = 60_000_000_000


class ResponsivenessParams(QueryParams, frozen=True, kw_only=True):
    """`custom_thresholds` is YAML in a text: calls with limits of their own."""

    use_simple_latency_query: bool = False
    allowed_slow_calls: int = 0
    custom_thresholds: str = ""
    single_resource_threshold: str = "1s"
    summary_name: str = NAME

    def problems(self) -> Iterator[InputError]:
        """``gather`` can read the custom thresholds."""
        yield from super().problems()
        if self.action == "gather":
            yield from api_calls.threshold_problems(self.custom_thresholds)


class APIResponsivenessPrometheus(PrometheusMeasurement[ResponsivenessParams]):
    """Latencies by call: per minute and then the 99th percentile of those, or simply over all."""

    params_type = ResponsivenessParams
    needs_version = True

    @classmethod
    def unknown_parameters(cls, params: Params, registry: Registry) -> list[str]:
        """Keys of custom thresholds that nothing reads."""
        del registry
        return api_calls.unknown_keys(getattr(params, "custom_thresholds", ""))

    def instant_queries(
        self, params: ResponsivenessParams, measured: MeasuredTime
    ) -> list[InstantQuery]:
        """Latencies first, then how many calls there were, then how many were fast."""
        metric, window = measured.names.histogram, measured.seconds
        if params.use_simple_latency_query:
            latencies = [query for q in _QUANTILES for query in _simple(metric, q, window)]
        else:
            # The rule looks back for a while, so its values at the start are left out.
            measured_ns = max(measured.ended_ns - measured.began_ns - _WINDOW_NS, _LEAST_NS)
            recorded = f"{measured.names.quantiles}{{{_FILTERS}}}[{duration_text(measured_ns)}]"
            latencies = [f"quantile_over_time(0.99, {recorded})"]
        counts = [_count(metric, _FILTERS, window), _count(_WATCH_LIST, "", window)]
        fast = [
            f"sum(increase({metric}_bucket{{{each}}}[{window}])) "
            "by (resource, subresource, scope, verb)"
            for each in _FAST
        ]
        return [InstantQuery(text, measured.ended_ns) for text in (*latencies, *counts, *fast)]

    def conclude(
        self, params: ResponsivenessParams, measured: MeasuredTime, answers: list[QueryAnswer]
    ) -> MeasurementResult:
        """The summary, and whether any call was too slow."""
        del measured
        failed = first_error(answers)
        if failed is not None:
            return failed
        calls = _gathered(params, answers)
        custom_ns, unknown = api_calls.custom_thresholds(params.custom_thresholds, calls)
        single_ns, unread = api_calls.single_resource_ns(params.single_resource_threshold)
        limits = api_calls.Limits(
            single_ns=single_ns,
            custom_ns=custom_ns,
            allowed_slow_calls=params.allowed_slow_calls,
        )
        result = self.build_result(
            params,
            [(params.summary_name, calls.to_json())],
            api_calls.verdicts(calls, limits, is_enforced=params.enable_violations),
            violation(calls, limits),
        )
        return merge_results([MeasurementResult(warnings=(*unread, *unknown)), result])


def _simple(metric: str, q: float, window: str) -> tuple[str, str]:
    requests = f"rate({metric}_bucket{{{_FILTERS}}}[{window}])"
    watch_lists = f"rate({_WATCH_LIST}_bucket{{}}[{window}])"
    call, stream = "resource,  subresource, verb, scope, le", "group, version, resource, scope, le"
    return (
        f"histogram_quantile({q:.2f}, sum({requests}) by ({call}))",
        f"histogram_quantile({q:.2f}, sum({watch_lists}) by ({stream}))",
    )


def _count(metric: str, filters: str, window: str) -> str:
    return (
        f"sum(increase({metric}_count{{{filters}}}[{window}])) "
        "by (resource, subresource, scope, verb)"
    )


def _gathered(params: ResponsivenessParams, answers: list[QueryAnswer]) -> api_calls.ApiCalls:
    calls = api_calls.ApiCalls()
    if params.use_simple_latency_query:
        for index, q in enumerate(_QUANTILES):
            calls.set_quantiles(answers[2 * index].samples, q, None)
            calls.set_quantiles(answers[2 * index + 1].samples, q, _WATCH_LIST_VERB)
    else:
        calls.set_quantiles(answers[0].samples, None, None)
    counts, watch_lists, *fast = answers[-2 - len(_FAST) :]
    calls.set_counts(counts.samples)
    calls.set_counts(watch_lists.samples, _WATCH_LIST_VERB)
    for answered in fast:
        calls.set_fast_counts(answered.samples)
    return calls


def violation(calls: api_calls.ApiCalls, limits: api_calls.Limits) -> Violation | None:
    """All calls that were too slow, in ClusterLoader2's words."""
    problems = [limits.problem(call) for call in calls.ordered()]
    bad = [each for each in problems if each is not None]
    if not bad:
        return None
    reason = f"there should be no high-latency requests, but: [{' '.join(bad)}]"
    return Violation("top latency metric", reason)
